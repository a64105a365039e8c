/// A face of an installed font that text was measured with.
public struct FontFace: Hashable, Sendable {
    /// What its outlines are, as its first four bytes tell
    /// (https://learn.microsoft.com/typography/opentype/spec/otff#table-directory).
    public enum Format: String, Hashable, Sendable {
        /// Compact Font Format, in a file `.otf`.
        case otf
        /// TrueType, or pictures, in a file `.ttf`.
        case ttf
    }

    /// The family's name, as ``TextMetrics/families`` has it.
    public let family: String
    /// The CSS weights that it has, within 1…1000: one, or the range of a variable font.
    public let weights: ClosedRange<Int>
    /// What its outlines are.
    public let format: Format
    /// The first 16 bytes of a SHA-256, in hex: of its table directory, which holds length and checksum of each table,
    /// and of the size of its file. So it changes with the content, and costs no reading of the content.
    public let digest: String
    /// Where it is.
    public let place: FontPlace

    /// The digest, with the format for an extension.
    public var name: String { "\(digest).\(format.rawValue)" }
}

/// Where a face is on this machine.
public struct FontPlace: Hashable, Comparable, Sendable {
    /// The path of its file.
    public let path: String
    /// Its place in a collection; 0 in a file of one font.
    public let index: Int

    /// The face `index` of the file at `path`.
    public init(path: String, index: Int) {
        self.path = path
        self.index = index
    }

    /// Orders by path, then index.
    public static func < (a: FontPlace, b: FontPlace) -> Bool {
        (a.path, a.index) < (b.path, b.index)
    }
}

extension FontFace {
    /// Looks at the face that is at `place`; reads some kilobytes.
    ///
    /// - Parameters:
    ///   - family: what the face is known as.
    ///   - weight: its CSS weight, should it not tell itself.
    /// - Returns: nil when it is nothing that a browser loads: no regular file, of another format than OpenType, damaged,
    ///   or of more than ``FontFile/limit``.
    init?(at place: FontPlace, family: String, weight: Int) {
        guard let file = RegularFile(place.path), let directory = FontDirectory(of: file, index: place.index),
            FontLayout(directory, in: file).byteCount <= FontFile.limit
        else { return nil }
        self.family = family
        self.place = place
        format = directory.format
        digest = directory.digest(in: file)
        weights = directory.weights(in: file) ?? weight...weight
    }
}
