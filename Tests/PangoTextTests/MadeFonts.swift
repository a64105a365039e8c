import Glibc

@testable import PangoText

/// Font files as the OpenType specification has them, of tables that mean nothing but what a test wants.
enum MadeFonts {
    typealias Tables = [(tag: StaticString, bytes: [UInt8])]

    /// A font of `tables`, each at a multiple of 4.
    static func font(_ tables: Tables, version: UInt32 = 0x0001_0000) -> [UInt8] {
        file([tables], version: version, heads: [])
    }

    /// A collection of fonts. Tables with the same bytes are there once.
    static func collection(_ fonts: [Tables]) -> [UInt8] {
        let heads = [UInt32.tag("ttcf"), 0x0001_0000, UInt32(fonts.count)]
        return file(fonts, version: 0x0001_0000, heads: heads)
    }

    private static func file(_ fonts: [Tables], version: UInt32, heads: [UInt32]) -> [UInt8] {
        let headSize = heads.isEmpty ? 0 : 4 * (heads.count + fonts.count)
        let directorySizes = fonts.map { 12 + 16 * $0.count }
        var places: [[UInt8]: Int] = [:]
        var body: [UInt8] = []
        let bodyStart = headSize + directorySizes.reduce(0, +)
        var directories: [UInt8] = []
        var starts: [Int] = []
        for tables in fonts {
            starts.append(headSize + directories.count)
            directories +=
                version.bigEndianBytes + [0, UInt8(tables.count)] + [UInt8](repeating: 0, count: 6)
            for table in tables {
                let place = places[table.bytes] ?? bodyStart + body.count
                if places.updateValue(place, forKey: table.bytes) == nil {
                    body += table.bytes + [UInt8](repeating: 0, count: (4 - table.bytes.count % 4) % 4)
                }
                directories += UInt32.tag(table.tag).bigEndianBytes + sum(table.bytes).bigEndianBytes
                directories += UInt32(place).bigEndianBytes + UInt32(table.bytes.count).bigEndianBytes
            }
        }
        var head = heads
        if !heads.isEmpty { head += starts.map { UInt32($0) } }
        return head.flatMap(\.bigEndianBytes) + directories + body
    }

    /// The sum of all 32-bit words, with zeros behind the last byte.
    static func sum(_ bytes: [UInt8]) -> UInt32 {
        let padded = bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        return stride(from: 0, to: padded.count, by: 4).reduce(0) { $0 &+ padded.number(at: $1) }
    }

    /// A table `head` whose adjustment is 0, as its sum wants it.
    static let head: [UInt8] = (0..<54).map { (8..<12).contains($0) ? 0 : UInt8($0) }

    /// A table `OS/2` with that weight.
    static func metrics(weight: UInt16) -> [UInt8] {
        [0, 4, 0, 0, UInt8(weight >> 8), UInt8(weight & 255)] + [UInt8](repeating: 0, count: 90)
    }

    /// A table `fvar` with axes and their least and greatest values.
    static func variations(_ axes: [(tag: StaticString, least: UInt16, most: UInt16)]) -> [UInt8] {
        func fixed(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255), 0, 0] }
        var table: [UInt8] = [0, 1, 0, 0, 0, 16, 0, 2, 0, UInt8(axes.count), 0, 20, 0, 0, 0, 0]
        for axis in axes {
            table += UInt32.tag(axis.tag).bigEndianBytes
            table += fixed(axis.least) + fixed(axis.least) + fixed(axis.most)
            table += [0, 0, 1, 0]
        }
        return table
    }
}

/// A file that is removed with this object.
final class TemporaryFile {
    let path: String

    init(_ bytes: [UInt8]) {
        var template = Array("/tmp/pending-font-XXXXXX".utf8CString)
        close(mkstemp(&template))
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        write(bytes)
    }

    deinit { unlink(path) }

    /// Puts `bytes` in the place of what is there.
    func write(_ bytes: [UInt8]) {
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "the disk is full")
    }

    /// The face in it.
    func face(_ index: Int = 0) -> FontFace? {
        FontFace(at: FontPlace(path: path, index: index), family: "Made", weight: 450)
    }

    /// The table directory of a file of one font.
    var directory: FontDirectory? {
        guard let file = RegularFile(path) else { return nil }
        return FontDirectory(of: file, index: 0)
    }
}
