/// What texts from outside may hold: they are shown to people, in terminals and bars.
enum TextRule {
    /// The rule that `text` (valid UTF-8) breaks, for people; nil when it breaks none.
    ///
    /// Its number of Unicode scalars is in `lengths`; no control characters, line or paragraph separators (U+2028, U+2029),
    /// bidirectional embeddings, overrides (U+202A…U+202E) or isolates (U+2066…U+2069).
    static func fault(in text: UnsafeBufferPointer<UInt8>, lengths: ClosedRange<Int>) -> String? {
        var length = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            if isForbidden(byte, at: index, in: text) {
                return "must have no control characters, line separators or bidirectional overrides "
                    + "(there is one after \(length) scalars)"
            }
            if byte & 0xC0 != 0x80 { length += 1 }
            index += 1
        }
        guard !lengths.contains(length) else { return nil }
        return "must have \(lengths.lowerBound) to \(lengths.upperBound) Unicode scalars, but has \(length)"
    }

    /// True when a forbidden scalar starts with `byte`, at `index` of `text`.
    static func isForbidden(_ byte: UInt8, at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Bool {
        switch byte {
        case 0x00...0x1F, 0x7F: return true
        case 0xC2:  // U+0080…U+00BF; C1 controls end at U+009F.
            return index + 1 < text.count && text[index + 1] < 0xA0
        case 0xE2:
            guard index + 2 < text.count else { return false }
            switch (text[index + 1], text[index + 2]) {
            case (0x80, 0xA8...0xAE), (0x81, 0xA6...0xA9): return true
            default: return false
            }
        default: return false
        }
    }
}
