/// The table directory of one font: what tables it has, and where they are in its file.
///
/// Written after [the OpenType specification](https://learn.microsoft.com/typography/opentype/spec/otff). Numbers are
/// big endian; offsets count from the begin of the file, in collections, too.
struct FontDirectory {
    struct Table {
        let tag: Tag
        let checksum: UInt32
        let range: Range<Int>
    }

    /// Four characters, such as `head`.
    typealias Tag = UInt32

    /// More tables than any font has.
    private static let mostTables = 1_024
    private static let headerSize = 12
    static let recordSize = 16

    let format: FontFace.Format
    let isInCollection: Bool
    let tables: [Table]
    /// As it is in the file.
    let bytes: [UInt8]

    /// Nil when there is no font `index` in `file`, or a table of it lies outside.
    init?(of file: borrowing RegularFile, index: Int) {
        guard let start = file.read(0..<Self.headerSize) else { return nil }
        var offset = 0
        isInCollection = start.number(at: 0) == .collection
        if isInCollection {
            let entry = Self.headerSize + 4 * index
            guard index < Int(start.number(at: 8)), let place = file.read(entry..<entry + 4) else {
                return nil
            }
            offset = Int(place.number(at: 0))
        } else if index != 0 {
            return nil
        }
        guard let header = file.read(offset..<offset + Self.headerSize),
            let format = FontFace.Format(version: header.number(at: 0))
        else { return nil }
        let count = Int(header.short(at: 4))
        let size = Self.headerSize + Self.recordSize * count
        guard (1...Self.mostTables).contains(count), let bytes = file.read(offset..<offset + size) else {
            return nil
        }
        let tables = (0..<count).map { Table(bytes, at: Self.headerSize + Self.recordSize * $0) }
        guard tables.allSatisfy({ $0.range.upperBound <= file.size }) else { return nil }
        self.format = format
        self.tables = tables
        self.bytes = bytes
    }

    /// See ``FontFace/digest``.
    func digest(in file: borrowing RegularFile) -> String {
        SHA256.hex(of: bytes + file.size.bigEndianBytes, count: 16)
    }

    /// The CSS weights that the font says it has; nil when it does not say.
    func weights(in file: borrowing RegularFile) -> ClosedRange<Int>? {
        if let axis = weightAxis(in: file) { return axis }
        guard let table = tables.first(where: { $0.tag == .metrics }),
            let bytes = file.read(table.range.prefix(6)), bytes.count == 6
        else { return nil }
        let weight = Int(bytes.short(at: 4))
        return (1...1000).contains(weight) ? weight...weight : nil
    }

    /// The range of the axis `wght` (https://learn.microsoft.com/typography/opentype/spec/fvar).
    private func weightAxis(in file: borrowing RegularFile) -> ClosedRange<Int>? {
        guard let table = tables.first(where: { $0.tag == .variations }),
            let bytes = file.read(table.range.prefix(16_384)), bytes.count >= 16
        else { return nil }
        let (first, count, size) = (
            Int(bytes.short(at: 4)), Int(bytes.short(at: 8)), Int(bytes.short(at: 10))
        )
        for axis in 0..<count {
            let record = first + axis * size
            guard record + 16 <= bytes.count else { return nil }
            guard bytes.number(at: record) == .weight else { continue }
            let (least, most) = (bytes.fixed(at: record + 4), bytes.fixed(at: record + 12))
            return least <= most ? least.clampedWeight...most.clampedWeight : nil
        }
        return nil
    }
}

extension FontDirectory.Table {
    fileprivate init(_ directory: [UInt8], at place: Int) {
        tag = directory.number(at: place)
        checksum = directory.number(at: place + 4)
        let start = Int(directory.number(at: place + 8))
        range = start..<start + Int(directory.number(at: place + 12))
    }
}

extension FontFace.Format {
    fileprivate init?(version: UInt32) {
        switch version {
        case .compact: self = .otf
        case .trueType, .appleTrueType: self = .ttf
        default: return nil
        }
    }
}

extension UInt32 {
    fileprivate static let collection = tag("ttcf")
    fileprivate static let compact = tag("OTTO")
    fileprivate static let trueType: UInt32 = 0x0001_0000
    fileprivate static let appleTrueType = tag("true")
    fileprivate static let metrics = tag("OS/2")
    fileprivate static let variations = tag("fvar")
    fileprivate static let weight = tag("wght")

    static func tag(_ text: StaticString) -> UInt32 {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | UInt32($1) } }
    }

    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension Int {
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension Double {
    fileprivate var clampedWeight: Int { Int(Swift.min(Swift.max(rounded(), 1), 1000)) }
}

extension [UInt8] {
    /// 16 bits.
    func short(at place: Int) -> UInt16 { UInt16(self[place]) << 8 | UInt16(self[place + 1]) }

    /// 32 bits.
    func number(at place: Int) -> UInt32 { UInt32(short(at: place)) << 16 | UInt32(short(at: place + 2)) }

    /// 32 bits, 16 of them after the point.
    fileprivate func fixed(at place: Int) -> Double {
        Double(Int32(bitPattern: number(at: place))) / 65_536
    }
}
