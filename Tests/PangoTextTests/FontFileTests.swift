import Glibc
import Testing

@testable import PangoText

struct FontFileTests {
    private static let common: MadeFonts.Tables = [("cmap", [1, 2, 3, 4, 5]), ("head", MadeFonts.head)]

    private func whole(_ face: FontFace) throws -> [UInt8] {
        let file = try #require(FontFile(face))
        return try #require(file.read(at: 0, count: file.byteCount))
    }

    // MARK: Names

    @Test func theNameIsThatOfTheContentWhereverItIs() throws {
        let font = MadeFonts.font(Self.common)
        let (one, other) = (TemporaryFile(font), TemporaryFile(font))
        let name = try #require(one.face()).name
        #expect(name.wholeMatch(of: /[0-9a-f]{32}\.ttf/) != nil)
        #expect(other.face()?.name == name)
        #expect(TemporaryFile(font + [0]).face()?.name != name, "longer")
        let changed = MadeFonts.font([("cmap", [1, 2, 3, 4, 6]), ("head", MadeFonts.head)])
        #expect(TemporaryFile(changed).face()?.name != name, "another table of the same length")
    }

    @Test func theExtensionIsThatOfTheOutlines() {
        #expect(TemporaryFile(MadeFonts.font(Self.common, version: .tag("OTTO"))).face()?.format == .otf)
        #expect(TemporaryFile(MadeFonts.font(Self.common, version: .tag("true"))).face()?.format == .ttf)
        #expect(TemporaryFile(MadeFonts.font(Self.common, version: .tag("wOFF"))).face() == nil)
    }

    // MARK: Weights

    @Test func aStaticFaceHasOneWeight() {
        let font = MadeFonts.font(Self.common + [("OS/2", MadeFonts.metrics(weight: 275))])
        #expect(TemporaryFile(font).face()?.weights == 275...275)
    }

    @Test func aVariableFaceHasTheRangeOfItsAxis() {
        let axes = MadeFonts.variations([("opsz", 14, 32), ("wght", 100, 900)])
        let font = MadeFonts.font(Self.common + [("OS/2", MadeFonts.metrics(weight: 400)), ("fvar", axes)])
        #expect(TemporaryFile(font).face()?.weights == 100...900)
    }

    @Test func aFaceThatVariesInOtherThingsHasOneWeight() {
        let axes = MadeFonts.variations([("wdth", 75, 100)])
        let font = MadeFonts.font(Self.common + [("OS/2", MadeFonts.metrics(weight: 700)), ("fvar", axes)])
        #expect(TemporaryFile(font).face()?.weights == 700...700)
    }

    @Test(arguments: [0, 1001] as [UInt16])
    func aFaceThatDoesNotTellHasTheWeightThatItIsKnownBy(weight: UInt16) {
        #expect(TemporaryFile(MadeFonts.font(Self.common)).face()?.weights == 450...450)
        let font = MadeFonts.font(Self.common + [("OS/2", MadeFonts.metrics(weight: weight))])
        #expect(TemporaryFile(font).face()?.weights == 450...450)
    }

    // MARK: Bytes

    @Test func aFileOfOneFontIsServedAsItIs() throws {
        let font = MadeFonts.font(Self.common) + [9, 9, 9]
        let file = TemporaryFile(font)
        #expect(try whole(#require(file.face())) == font)
    }

    @Test func aFaceOfACollectionIsAFontOfItsOwn() throws {
        let shared: (tag: StaticString, bytes: [UInt8]) = ("glyf", (0..<101).map { UInt8($0) })
        let fonts: [MadeFonts.Tables] = [
            [("cmap", [1, 2, 3]), shared, ("head", MadeFonts.head)],
            [("cmap", [4, 5, 6, 7, 8]), shared, ("head", MadeFonts.head)],
        ]
        let file = TemporaryFile(MadeFonts.collection(fonts))
        let faces = try [0, 1].map { try #require(file.face($0)) }
        #expect(faces[0].name != faces[1].name)
        for (face, tables) in zip(faces, fonts) {
            let bytes = try whole(face)
            #expect(MadeFonts.sum(bytes) == 0xB1B0_AFBA, "as the table head wants it")
            let own = TemporaryFile(bytes)
            #expect(own.face()?.weights == face.weights)
            let directory = try #require(own.directory)
            #expect(!directory.isInCollection)
            for (table, wanted) in zip(directory.tables, tables) {
                #expect(table.tag == .tag(wanted.tag) && table.range.lowerBound % 4 == 0)
                var found = Array(bytes[table.range])
                if table.tag == .tag("head") { found.replaceSubrange(8..<12, with: [0, 0, 0, 0]) }
                #expect(found == wanted.bytes)
            }
        }
    }

    @Test(arguments: [1, 7, 64, 1000])
    func partsMakeUpTheWhole(size: Int) throws {
        let file = TemporaryFile(MadeFonts.collection([Self.common, Self.common + [("glyf", [1, 2, 3])]]))
        let face = try #require(file.face(1))
        let font = try #require(FontFile(face))
        var parts: [UInt8] = []
        while parts.count < font.byteCount {
            parts += try #require(font.read(at: parts.count, count: size))
        }
        #expect(try parts == whole(face))
        #expect(font.read(at: font.byteCount, count: size) == [])
    }

    // MARK: What is no font

    @Test func aFileThatHasChangedIsNotRead() throws {
        let file = TemporaryFile(MadeFonts.font(Self.common))
        let face = try #require(file.face())
        let font = try #require(FontFile(face))
        file.write(MadeFonts.font(Self.common + [("glyf", [1])]))
        #expect(font.read(at: 0, count: 10) == nil)
        #expect(FontFile(face) == nil)
        unlink(file.path)
        #expect(FontFile(face) == nil)
    }

    @Test func onlyRegularFilesAreOpened() throws {
        let path = TemporaryFile([]).path
        for kind in [S_IFIFO, S_IFDIR] {
            if kind == S_IFIFO { mkfifo(path, 0o600) } else { mkdir(path, 0o700) }
            #expect(FontFace(at: FontPlace(path: path, index: 0), family: "", weight: 400) == nil)
            remove(path)
        }
        #expect(FontFace(at: FontPlace(path: "/dev/zero", index: 0), family: "", weight: 400) == nil)
    }

    @Test func aFontAboveTheLimitIsNone() {
        let file = TemporaryFile(MadeFonts.font(Self.common))
        truncate(file.path, off_t(FontFile.limit))
        #expect(file.face() != nil)
        truncate(file.path, off_t(FontFile.limit + 1))
        #expect(file.face() == nil)
    }

    @Test func anIndexBeyondTheFontsIsNone() {
        #expect(TemporaryFile(MadeFonts.font(Self.common)).face(1) == nil)
        #expect(TemporaryFile(MadeFonts.collection([Self.common])).face(1) == nil)
    }

    @Test func damagedFontsAreReadAsFarAsTheyGo() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var chance = SeededChance(seed)
        let axes = MadeFonts.variations([("wght", 100, 900)])
        let tables = Self.common + [("OS/2", MadeFonts.metrics(weight: 400)), ("fvar", axes)]
        let file = TemporaryFile([])
        for bytes in [MadeFonts.font(tables), MadeFonts.collection([tables, Self.common])] {
            for _ in 0..<2_000 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &chance) {
                    damaged[Int.random(in: 0..<bytes.count, using: &chance)] = .random(
                        in: 0...255, using: &chance)
                }
                if Bool.random(using: &chance) {
                    damaged.removeLast(.random(in: 0...bytes.count, using: &chance))
                }
                file.write(damaged)
                guard let face = file.face(), let font = FontFile(face) else { continue }
                let count = font.read(at: 0, count: font.byteCount)?.count
                #expect(
                    count == font.byteCount && (1...1000).contains(face.weights.upperBound), "seed \(seed)")
            }
        }
    }
}

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
private struct SeededChance: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
