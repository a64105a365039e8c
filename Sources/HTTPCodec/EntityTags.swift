/// The value of `If-Match` or `If-None-Match` (RFC 9110, sections 13.1.1 and 13.1.2).
public enum EntityTags: Hashable, Sendable {
    /// One tag of a list.
    public struct Tag: Hashable, Sendable {
        /// What stands between the quotes.
        public let opaque: ArraySlice<UInt8>
        /// Whether `W/` stands before it.
        public let isWeak: Bool

        fileprivate func isSpelled(_ other: UnsafeRawBufferPointer) -> Bool {
            opaque.count == other.count && opaque.elementsEqual(other)
        }
    }

    /// `*`: whatever exists.
    case any
    /// Any of these. Empty also if the value was damaged: then nothing matches.
    case list([Tag])

    /// Reads the values of all fields of that name. Lists go on from one field to the next; `*` stands alone.
    public init(_ values: [ArraySlice<UInt8>]) {
        if values.count == 1, values[0].elementsEqual(CollectionOfOne(Byte.asterisk)) {
            self = .any
            return
        }
        var tags: [Tag] = []
        for value in values {
            guard Self.parse(value, into: &tags) else {
                self = .list([])
                return
            }
        }
        self = .list(tags)
    }

    /// The weak comparison of RFC 9110, section 8.8.3.2, for `If-None-Match`: equal apart from weakness.
    ///
    /// `opaque` is the current tag without its quotes; `any` matches it.
    public func matchesWeakly(_ opaque: some Collection<UInt8>) -> Bool {
        switch self {
        case .any: true
        case .list(let tags): opaque.withBytes { opaque in tags.contains { $0.isSpelled(opaque) } }
        }
    }

    /// The strong comparison, for `If-Match`: equal, and neither is weak; the current one, `opaque`, is not.
    public func matchesStrongly(_ opaque: some Collection<UInt8>) -> Bool {
        switch self {
        case .any: true
        case .list(let tags):
            opaque.withBytes { opaque in tags.contains { !$0.isWeak && $0.isSpelled(opaque) } }
        }
    }

    /// Reads one list; a comma can be part of a tag. Empty elements are allowed (RFC 9110, section 5.6.1.2).
    private static func parse(_ value: ArraySlice<UInt8>, into tags: inout [Tag]) -> Bool {
        var rest = value.trimmed
        while !rest.isEmpty {
            if rest.first != Byte.comma {
                guard let tag = parseTag(&rest) else { return false }
                tags.append(tag)
                rest = rest.trimmed
            }
            guard let separator = rest.popFirst() else { return true }
            guard separator == Byte.comma else { return false }
            rest = rest.trimmed
        }
        return true
    }

    private static func parseTag(_ rest: inout ArraySlice<UInt8>) -> Tag? {
        // "W/" is case-sensitive (RFC 9110, section 8.8.3).
        let isWeak = rest.first == UInt8(ascii: "W") && rest.dropFirst().first == Byte.slash
        if isWeak { rest.removeFirst(2) }
        guard rest.popFirst() == Byte.quote else { return nil }
        let opaque = rest.prefix { $0 == 0x21 || ($0 >= 0x23 && $0 != 0x7F) }
        rest = rest[opaque.endIndex...]
        guard rest.popFirst() == Byte.quote else { return nil }
        return Tag(opaque: opaque, isWeak: isWeak)
    }
}

extension RequestHead {
    /// The entity tags of `If-Match` or `If-None-Match`; nil if there is no such field.
    public func entityTags(_ name: FieldName) -> EntityTags? {
        let values = values(of: name)
        return values.isEmpty ? nil : EntityTags(values)
    }
}
