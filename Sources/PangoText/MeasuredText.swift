/// A font without its size.
struct Face: Hashable {
    let family: String
    let weight: Int

    static func == (a: Face, b: Face) -> Bool {
        a.weight == b.weight && a.family.hasBytes(of: b.family)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(weight)
        family.hashBytes(into: &hasher)
    }
}

/// What a measurement depends on but the size, to which it is proportional.
///
/// Texts are compared byte by byte: to `String`, "é" equals "e" with a combining accent, but fonts may draw the
/// two with different widths, and the answer must not depend on which of them was asked for first.
struct MeasuredText: Hashable {
    let text: String
    let face: Face

    static func == (a: MeasuredText, b: MeasuredText) -> Bool {
        a.text.hasBytes(of: b.text) && a.face == b.face
    }

    func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
        face.hash(into: &hasher)
    }
}

extension String {
    fileprivate func hasBytes(of other: String) -> Bool {
        let areEqual = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) }
        }
        return areEqual.flatMap(\.self) ?? utf8.elementsEqual(other.utf8)
    }

    fileprivate func hashBytes(into hasher: inout Hasher) {
        let isHashed: Void? = utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { utf8.forEach { hasher.combine($0) } }
        // UTF-8 does not have this byte, so it marks the end.
        hasher.combine(0xFF as UInt8)
    }
}
