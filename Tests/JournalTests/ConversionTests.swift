import Glibc
import Testing

@testable import Journal

/// Journals of format 1, in which the keys were in order: they become journals of format 2, whole or not at all.
@Suite struct ConversionTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.file("a.db") }
    /// Keys in another order than revisions.
    private let entries = (0..<2_000).map { number in
        JournalEntry(key: "key-\(number * 7_919 % 2_000)", value: [UInt8](repeating: 7, count: number % 600))
    }
    private var expected: [String] { entries.map(\.text) }

    @Test func keepsEntriesAndTheirOrder() throws {
        try makeFirstFormat(at: path, entries)
        let journal = try SQLiteJournal(path: path)
        #expect(try contents(of: journal) == expected)
        try journal.append([entry("key-7", nil), entry("new", 1), entry("key-0", 2)])
        journal.close()
        #expect(try format(of: path) == 2)
        let kept = entries.filter { !["key-0", "key-7"].contains($0.key) }.map(\.text)
        #expect(try contents(of: SQLiteJournal(path: path)) == kept + ["new=1", "key-0=2"])
    }

    @Test func takesAnEmptyOne() throws {
        try makeFirstFormat(at: path, [])
        #expect(try contents(of: SQLiteJournal(path: path)).isEmpty)
        #expect(try format(of: path) == 2)
    }

    @Test func takesTheLogOfOneThatWasKilled() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try makeFirstFormat(at: path, [entry("b", 1), entry("a", 2)], isCut: true)
            kill(getpid(), SIGKILL)
        }
        #expect(directory.names == ["a.db", "a.db-wal"])
        #expect(try contents(of: SQLiteJournal(path: path)) == ["b=1", "a=2"])
    }

    @Test func givesBackTheRoomOfTheFormerTable() throws {
        try makeFirstFormat(at: path, entries)
        let before = try bytes(of: path).count
        let journal = try SQLiteJournal(path: path)
        for _ in 0..<20 { journal.maintain() }
        journal.close()
        // The file is at most a quarter, or 1 MiB, longer than need be.
        #expect(journal.byteCount < Int64(before) + 1 << 20)
    }

    @Test func isOfOneFormatWheneverItIsKilled() async throws {
        var generator = SeededGenerator()
        try makeFirstFormat(at: path, entries)
        let first = try bytes(of: path)
        let clock = ContinuousClock()
        let duration = try clock.measure { try SQLiteJournal(path: path).close() }
        let longest = max(2, Int(duration / .microseconds(1)) * 3 / 2)
        for round in 0..<60 {
            try write(first, to: path)
            unlink(path + "-wal")
            let microseconds = Int.random(in: 1...longest, using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, microseconds = microseconds as Int] in
                killThisProcess(afterMicroseconds: microseconds)
                let journal = try SQLiteJournal(path: path)
                while true { try journal.probe() }
            }
            let found = try format(of: path)
            let isKnown = found == 1 || found == 2
            try #require(isKnown, "format \(found), seed \(generator.seed), round \(round)")
            let isWhole = try contents(of: SQLiteJournal(path: path)) == expected
            try #require(isWhole, "seed \(generator.seed), round \(round), after format \(found)")
        }
    }

    @Test func staysAsItIsWhenTheDiskIsFull() throws {
        let mount = try Mount(at: directory.path, "tmpfs", options: "size=4m,mode=0700")
        defer { mount.end() }
        try makeFirstFormat(at: path, entries)
        let before = try bytes(of: path)
        // Room for half of what the entries take.
        let ballast = [UInt8](repeating: 1, count: 4 << 20 - before.count * 3 / 2)
        try write(ballast, to: directory.file("ballast"))
        for _ in 0..<3 {
            #expect(throws: JournalError.full) { try SQLiteJournal(path: path) }
            #expect(try format(of: path) == 1)
            #expect(try bytes(of: path) == before)
        }
        unlink(directory.file("ballast"))
        #expect(try contents(of: SQLiteJournal(path: path)) == expected)
    }

    @Test(arguments: [
        "INSERT INTO entry VALUES ('a', 1, x'00')", "INSERT INTO entry VALUES ('a', -1, x'00')",
        "INSERT INTO entry VALUES ('a', 9223372036854775807, x'00')",
        "INSERT INTO entry VALUES ('a b', 9, x'00')", "CREATE INDEX i ON entry (revision)",
        "PRAGMA user_version = 2",
    ])
    func leavesOneThatWasTamperedWithAsItIs(_ sql: String) throws {
        try makeFirstFormat(at: path, [entry("b", 1)])
        try edit(path, sql)
        try expectRefusal()
    }

    @Test func leavesADamagedOneAsItIs() throws {
        try makeFirstFormat(at: path, entries)
        let whole = try bytes(of: path)
        for page in stride(from: 2, to: whole.count / 4_096, by: 17) {
            var damaged = whole
            damaged.replaceSubrange(
                page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0xa5, count: 4_096))
            try write(damaged, to: path)
            try expectRefusal()
        }
        try write(Array(whole[..<(whole.count - 1_000)]), to: path)
        try expectRefusal()
    }

    @Test func leavesOneAsItIsThatLostAnEntryWithoutAnError() throws {
        try makeFirstFormat(at: path, entries)
        var damaged = try bytes(of: path)
        // https://www.sqlite.org/fileformat2.html#b_tree_pages: a leaf of an index, and how many cells it has.
        let leaves = stride(from: 4_096, to: damaged.count, by: 4_096).filter { damaged[$0] == 0x0a }
        let leaf = try #require(leaves.first { damaged[$0 + 4] > 1 })
        damaged[leaf + 4] -= 1
        try write(damaged, to: path)
        try expectRefusal()
    }

    private func expectRefusal() throws {
        let before = try bytes(of: path)
        do throws(JournalError) {
            _ = try SQLiteJournal(path: path)
            Issue.record("it was opened")
        } catch {
            guard case .corrupt = error else {
                Issue.record("\(error)")
                return
            }
        }
        #expect(try bytes(of: path) == before)
    }
}
