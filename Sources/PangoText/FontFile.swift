/// The bytes of a face, as a font file of its own, to be read in parts.
public struct FontFile: Sendable {
    /// The longest that is read, in bytes.
    public static let limit = 64 << 20

    private let path: String
    private let identity: RegularFile.Identity
    private let layout: FontLayout

    /// Nil when `face` is no longer where it was, or has another content.
    public init?(_ face: FontFace) {
        guard let file = RegularFile(face.place.path),
            let directory = FontDirectory(of: file, index: face.place.index),
            directory.digest(in: file) == face.digest
        else { return nil }
        path = face.place.path
        identity = file.identity
        layout = FontLayout(directory, in: file)
    }

    /// How long it is.
    public var byteCount: Int { layout.byteCount }

    /// The bytes at `start`, as many as there are up to `count`; nil when the file has changed, or cannot be read.
    public func read(at start: Int, count: Int) -> [UInt8]? {
        guard let file = RegularFile(path), file.identity == identity else { return nil }
        return layout.read(from: file, at: start, count: count)
    }
}
