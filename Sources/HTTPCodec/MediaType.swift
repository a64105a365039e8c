/// A media type without parameters, such as `application/json` (RFC 9110, section 8.3.1).
public struct MediaType: Hashable, Sendable {
    /// In small letters.
    let type: [UInt8]
    /// In small letters.
    let subtype: [UInt8]

    /// Nil unless `text` is two tokens joined by a slash. Case does not count; parameters, which follow a semicolon,
    /// are left out.
    public init?(_ text: ArraySlice<UInt8>) {
        guard let parts = Self.parts(text.prefix { $0 != Byte.semicolon }.trimmed) else { return nil }
        type = parts.type.map(\.lowercased)
        subtype = parts.subtype.map(\.lowercased)
    }

    /// Nil unless `text` is two tokens joined by a slash.
    public init?(_ text: String) { self.init(ArraySlice(text.utf8)) }

    /// What stands before and after the slash; nil unless both are tokens.
    static func parts(
        _ text: ArraySlice<UInt8>
    ) -> (type: ArraySlice<UInt8>, subtype: ArraySlice<UInt8>)? {
        let type = text.prefix { $0 != Byte.slash }
        let subtype = text[type.endIndex...].dropFirst()
        guard !type.isEmpty, !subtype.isEmpty, type.allSatisfy(\.isToken), subtype.allSatisfy(\.isToken)
        else { return nil }
        return (type, subtype)
    }
}
