import PangoText

/// A part of a font file that is to be read.
struct FontRead: Sendable {
    enum Source: Sendable {
        /// Not looked at yet.
        case face(FontFace)
        case file(FontFile)
    }

    /// By which the loop that asked knows it.
    let number: UInt64
    let source: Source
    /// The first byte, and how many at most.
    let position, count: Int

    /// Nil when the file is gone, or is no longer what it was.
    func perform() -> FontPart? {
        let file: FontFile? =
            switch source {
            case .face(let face): FontFile(face)
            case .file(let file): file
            }
        guard let file, let bytes = file.read(at: position, count: count) else { return nil }
        return FontPart(file: file, bytes: bytes)
    }
}

/// A part of a font file.
struct FontPart: Sendable {
    let file: FontFile
    let bytes: [UInt8]
}
