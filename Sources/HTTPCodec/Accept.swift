/// A media type without parameters, such as `application/json`.
public struct MediaType: Hashable, Sendable {
    let type: ArraySlice<UInt8>
    let subtype: ArraySlice<UInt8>

    /// Nil unless `text` is two tokens joined by a slash. Case does not count, parameters are ignored
    /// (RFC 9110, section 8.3.1).
    public init?(_ text: ArraySlice<UInt8>) {
        let own = text.prefix { $0 != Byte.semicolon }.trimmed
        let type = own.prefix { $0 != Byte.slash }
        let subtype = own[type.endIndex...].dropFirst()
        guard !type.isEmpty, !subtype.isEmpty, type.allSatisfy(\.isToken), subtype.allSatisfy(\.isToken)
        else { return nil }
        self.type = ArraySlice(type.map(\.lowercased))
        self.subtype = ArraySlice(subtype.map(\.lowercased))
    }

    /// Nil unless `text` is two tokens joined by a slash.
    public init?(_ text: String) { self.init(ArraySlice(text.utf8)) }
}

/// The media types that a client can use (RFC 9110, section 12.5.1).
public struct Accept: Hashable, Sendable {
    private struct Range: Hashable, Sendable {
        let mediaType: MediaType
        /// In thousandths.
        let quality: Int

        /// 0 for no match; the higher, the closer.
        func specificity(for candidate: MediaType) -> Int {
            let isAnySubtype = mediaType.subtype == [Byte.asterisk]
            if mediaType.type == [Byte.asterisk] { return 1 }
            guard mediaType.type == candidate.type else { return 0 }
            if isAnySubtype { return 2 }
            return mediaType.subtype == candidate.subtype ? 3 : 0
        }
    }

    private var ranges: [Range] = []

    /// Reads the values of all fields of that name; damaged elements are ignored. If none remains, everything is
    /// acceptable, as without the field.
    public init(_ values: [ArraySlice<UInt8>]) {
        for value in values {
            value.split(at: Byte.comma) { element in
                guard let range = Self.range(element) else { return }
                ranges.append(range)
            }
        }
    }

    /// The index of the type that suits the client best; nil if none does.
    ///
    /// The closest range decides on the quality of a type, of equally close ones the best; 0 excludes it; of equal
    /// qualities the first type wins.
    public func best(among candidates: [MediaType]) -> Int? {
        var best: (index: Int, quality: Int)?
        for (index, candidate) in candidates.enumerated() {
            let quality = quality(of: candidate)
            if quality > (best?.quality ?? 0) { best = (index, quality) }
        }
        return best?.index
    }

    private func quality(of candidate: MediaType) -> Int {
        guard !ranges.isEmpty else { return 1000 }
        var closest = (specificity: 0, quality: 0)
        for range in ranges {
            let specificity = range.specificity(for: candidate)
            guard specificity > 0, (specificity, range.quality) > closest else { continue }
            closest = (specificity, range.quality)
        }
        return closest.quality
    }

    private static func range(_ element: ArraySlice<UInt8>) -> Range? {
        var mediaType: MediaType?
        var quality: Int? = 1000
        var isFirst = true
        element.split(at: Byte.semicolon) { part in
            if isFirst {
                mediaType = MediaType(part)
            } else if part.prefix(2).equalsIgnoringCase("q=") {
                quality = Self.quality(part.dropFirst(2))
            }
            isFirst = false
        }
        guard let mediaType, let quality else { return nil }
        guard mediaType.type != [Byte.asterisk] || mediaType.subtype == [Byte.asterisk] else { return nil }
        return Range(mediaType: mediaType, quality: quality)
    }

    /// `qvalue` of RFC 9110, section 12.4.2, in thousandths; nil if it is malformed.
    private static func quality(_ text: ArraySlice<UInt8>) -> Int? {
        guard let whole = text.first, whole == Byte.zero || whole == UInt8(ascii: "1") else { return nil }
        let fraction = text.dropFirst()
        guard fraction.isEmpty || fraction.first == Byte.dot, fraction.count <= 4 else { return nil }
        var thousandths = whole == Byte.zero ? 0 : 1000
        var weight = 100
        for byte in fraction.dropFirst() {
            guard byte.isDigit else { return nil }
            thousandths += Int(byte - Byte.zero) * weight
            weight /= 10
        }
        return thousandths <= 1000 ? thousandths : nil
    }
}

extension RequestHead {
    /// The media types that this request accepts.
    public var accept: Accept { Accept(values(of: .accept)) }
}
