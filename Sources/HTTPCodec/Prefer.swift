/// The preferences of a request (RFC 7240) that we know. Others are ignored.
public struct Prefer: Hashable, Sendable {
    /// `wait=N`: how long the client would wait for an answer, in seconds, as asked; nil if it does not say.
    ///
    /// If it is given more than once, the first counts (section 2), even where that is no number.
    public let wait: Int?

    /// Reads the values of all fields of that name.
    public init(_ values: [ArraySlice<UInt8>]) {
        var first: ArraySlice<UInt8>?
        for value in values {
            value.split(at: Byte.comma) { preference in
                guard first == nil, let argument = Self.argument(of: preference) else { return }
                first = argument
            }
        }
        wait = first?.decimal
    }

    /// What stands after `wait=`, without quotes; parameters after a semicolon are left out. Nil for all others.
    private static func argument(of preference: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var own: ArraySlice<UInt8>?
        preference.split(at: Byte.semicolon) { part in own = own ?? part }
        guard let own else { return nil }
        let name = own.prefix { $0 != Byte.equals }
        guard name.trimmed.equalsIgnoringCase("wait") else { return nil }
        let word = own[name.endIndex...].dropFirst().trimmed
        guard word.count >= 2, word.first == Byte.quote, word.last == Byte.quote else { return word }
        return word.dropFirst().dropLast()
    }
}

extension RequestHead {
    /// The preferences of this request.
    public var prefer: Prefer { Prefer(values(of: .prefer)) }
}
