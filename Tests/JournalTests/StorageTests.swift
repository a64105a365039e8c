import Glibc
import Testing

@testable import Journal

/// What a journal takes up, and what it does where there is no more room.
@Suite struct StorageTests {
    private let directory = TemporaryDirectory()

    @Test func staysSmallHoweverOftenFewKeysAreRenewed() throws {
        let journal = try SQLiteJournal(path: directory.file("a.db"))
        var largest: Int64 = 0
        // Three times what fills the log.
        for round in 0..<800 {
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 400)
            try journal.append((0..<40).map { JournalEntry(key: "key-\($0)", value: value) })
            largest = max(largest, journal.byteCount)
        }
        #expect(largest < 5 << 20)
        #expect(try contents(of: journal).count == 40)
        journal.close()
        #expect(journal.byteCount < 64 << 10)
    }

    @Test func makesALargeLogSmallAgain() throws {
        let journal = try SQLiteJournal(path: directory.file("a.db"))
        let value = [UInt8](repeating: 1, count: 1_000)
        try journal.append((0..<20_000).map { JournalEntry(key: "key-\($0)", value: value) })
        let peak = journal.byteCount
        for round in 0..<10 { try journal.append([entry("a", UInt8(round))]) }
        #expect(peak > 35 << 20)
        #expect(journal.byteCount < peak / 2 + 5 << 20)
    }

    @Test func givesSpaceBackInSmallSteps() throws {
        let journal = try SQLiteJournal(path: directory.file("a.db"))
        let value = [UInt8](repeating: 1, count: 300)
        try journal.append((0..<20_000).map { JournalEntry(key: "key-\($0)", value: value) })
        try journal.append((0..<20_000).filter { $0 % 1_000 > 0 }.map { entry("key-\($0)", nil) })
        var sizes = [try #require(size(of: directory.file("a.db")))]
        for _ in 0..<100 {
            journal.maintain()
            sizes.append(try #require(size(of: directory.file("a.db"))))
        }
        #expect(try #require(sizes.last) < 2 << 20)
        // The first step also brings the log into the file.
        for (before, after) in zip(sizes.dropFirst(), sizes.dropFirst(2)) {
            #expect((0...(1 << 20) + 64 << 10).contains(before - after))
        }
        #expect(try contents(of: journal).count == 20)
    }

    @Test func losesNothingWhenTheDiskIsFullAndGoesOnWhenThereIsRoom() throws {
        let mount = try Mount(at: directory.path, "tmpfs", options: "size=1m,mode=0700")
        defer { mount.end() }
        let ballast = directory.file("ballast")
        try write([UInt8](repeating: 1, count: 500_000), to: ballast)
        let path = directory.file("a.db")
        var journal = try SQLiteJournal(path: path)
        var model = JournalModel()
        var generator = SeededGenerator()
        var failures = 0
        for round in 0..<2_000 {
            let batch = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                JournalEntry(
                    key: "key-\(Int.random(in: 0..<40, using: &generator))",
                    value: [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 500))
            }
            do throws(JournalError) {
                try journal.append(batch)
                model.append(batch)
            } catch {
                failures += 1
                try #require(error == .full, "seed \(generator.seed)")
                try #require(try contents(of: journal) == model.contents, "seed \(generator.seed)")
                if failures == 3 { break }
            }
        }
        #expect(failures == 3)
        unlink(ballast)
        try journal.probe()
        try journal.append([entry("after", 1)])
        model.append([entry("after", 1)])
        #expect(try contents(of: journal) == model.contents, "seed \(generator.seed)")
        journal.close()
        journal = try SQLiteJournal(path: path)
        #expect(try contents(of: journal) == model.contents, "seed \(generator.seed)")
        journal.close()
    }

    @Test func tellsThatTheDiskIsFullWhenItIsOpened() throws {
        let mount = try Mount(at: directory.path, "tmpfs", options: "size=64k,mode=0700")
        defer { mount.end() }
        try write([UInt8](repeating: 1, count: 61_440), to: directory.file("ballast"))
        #expect(throws: JournalError.full) { try SQLiteJournal(path: directory.file("a.db")) }
        unlink(directory.file("ballast"))
        #expect(try contents(of: SQLiteJournal(path: directory.file("a.db"))).isEmpty)
    }

    private func size(of path: String) -> Int64? {
        var file = stat()
        return stat(path, &file) == 0 ? Int64(file.st_size) : nil
    }
}
