/// The media types that a client can use (RFC 9110, section 12.5.1).
public struct Accept: Sendable {
    private var ranges: [MediaRange] = []

    /// Reads the values of all fields of that name; damaged elements are ignored. If none remains, everything is
    /// acceptable, as without the field.
    public init(_ values: [ArraySlice<UInt8>]) {
        for value in values {
            value.split(at: Byte.comma) { element in
                if let range = MediaRange(element) { ranges.append(range) }
            }
        }
    }

    /// The index of the type that suits the client best; nil if none does.
    ///
    /// The closest range decides on the quality of a type, of equally close ones the best (they differ in parameters,
    /// which are ignored); 0 excludes it; of equal qualities the first type wins.
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
            if specificity > 0, (specificity, range.quality) > closest {
                closest = (specificity, range.quality)
            }
        }
        return closest.quality
    }
}

/// One element of `Accept`, such as `text/*;q=0.5`.
private struct MediaRange: Sendable {
    /// Nil for `*`.
    private let type: ArraySlice<UInt8>?
    /// Nil for `*`.
    private let subtype: ArraySlice<UInt8>?
    /// In thousandths.
    let quality: Int

    /// Nil if `element` is damaged.
    init?(_ element: ArraySlice<UInt8>) {
        var range: ArraySlice<UInt8>?
        var quality: Int? = 1000
        element.split(at: Byte.semicolon) { part in
            if range == nil {
                range = part
            } else if part.prefix(2).equalsIgnoringCase("q=") {
                quality = Self.quality(part.dropFirst(2))
            }
        }
        guard let quality, let parts = range.flatMap(MediaType.parts) else { return nil }
        self.quality = quality
        type = parts.type.isAsterisk ? nil : parts.type
        subtype = parts.subtype.isAsterisk ? nil : parts.subtype
        guard type != nil || subtype == nil else { return nil }
    }

    /// 0 for no match; the higher, the closer.
    func specificity(for candidate: MediaType) -> Int {
        guard let type else { return 1 }
        guard type.isEqual(candidate.type) else { return 0 }
        guard let subtype else { return 2 }
        return subtype.isEqual(candidate.subtype) ? 3 : 0
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
            thousandths += Int(byte &- Byte.zero) * weight
            weight /= 10
        }
        return thousandths <= 1000 ? thousandths : nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate var isAsterisk: Bool { count == 1 && first == Byte.asterisk }

    /// Whether these are the bytes of `text`, which is in small letters, whatever case they have here.
    fileprivate func isEqual(_ text: [UInt8]) -> Bool {
        count == text.count && zip(self, text).allSatisfy { $0.lowercased == $1 }
    }
}

extension RequestHead {
    /// The media types that this request accepts.
    public var accept: Accept { Accept(values(of: .accept)) }
}
