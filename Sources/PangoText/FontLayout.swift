/// Which bytes a face consists of as a font file of its own.
///
/// A file of one font is that. A face of a collection shares tables with others, and browsers load no collections: it
/// gets a directory of its own, and after that its tables.
struct FontLayout: Sendable {
    private enum Piece: Sendable {
        case bytes([UInt8])
        /// Of the face's file.
        case range(Range<Int>)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .range(let range): range.count
            }
        }
    }

    private var pieces: [Piece] = []
    /// How long the font file is.
    private(set) var byteCount = 0

    init(_ directory: FontDirectory, in file: borrowing RegularFile) {
        if directory.isInCollection { separate(directory) } else { add(.range(0..<file.size)) }
    }

    private mutating func separate(_ directory: FontDirectory) {
        var header = directory.bytes
        var place = header.count
        for (index, table) in directory.tables.enumerated() {
            let record = header.count - FontDirectory.recordSize * (directory.tables.count - index)
            header.replaceSubrange(record + 8..<record + 12, with: UInt32(place).bigEndianBytes)
            place += table.range.count.paddedToWords
        }
        add(.bytes(header))
        for table in directory.tables {
            if table.tag == .head, table.range.count >= 12 {
                // The sum of a whole file, which is no longer that of the collection.
                add(.range(table.range.prefix(8)))
                add(.bytes(Self.adjustment(header, directory).bigEndianBytes))
                add(.range(table.range.dropFirst(12)))
            } else {
                add(.range(table.range))
            }
            add(.bytes([UInt8](repeating: 0, count: table.range.count.paddedToWords - table.range.count)))
        }
    }

    /// What makes the sum of all words of a font 0xB1B0AFBA
    /// (https://learn.microsoft.com/typography/opentype/spec/otff#calculating-checksums).
    private static func adjustment(_ header: [UInt8], _ directory: FontDirectory) -> UInt32 {
        let words = stride(from: 0, to: header.count, by: 4).reduce(UInt32(0)) { $0 &+ header.number(at: $1) }
        return 0xB1B0_AFBA &- directory.tables.reduce(words) { $0 &+ $1.checksum }
    }

    private mutating func add(_ piece: Piece) {
        guard piece.count > 0 else { return }
        pieces.append(piece)
        byteCount += piece.count
    }

    /// The bytes of the font file at `start`, at most `count`; nil when `file` has them no longer.
    func read(from file: borrowing RegularFile, at start: Int, count: Int) -> [UInt8]? {
        let wanted = start..<min(start + count, byteCount)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(wanted.count)
        var place = 0
        for piece in pieces {
            let part = wanted.clamped(to: place..<place + piece.count)
            place += piece.count
            guard !part.isEmpty else { continue }
            let begin = part.lowerBound - (place - piece.count)
            switch piece {
            case .bytes(let own): bytes += own[begin..<begin + part.count]
            case .range(let range):
                let from = range.lowerBound + begin
                guard let read = file.read(from..<from + part.count) else { return nil }
                bytes += read
            }
        }
        return bytes
    }
}

extension UInt32 {
    fileprivate static let head = tag("head")
}

extension Int {
    /// Tables begin at multiples of 4.
    fileprivate var paddedToWords: Int { (self + 3) / 4 * 4 }
}
