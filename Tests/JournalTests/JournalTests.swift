import Testing

@testable import Journal

/// What both journals promise.
@Suite struct JournalTests {
    enum Kind: CaseIterable {
        case memory, sqlite
    }

    private let directory = TemporaryDirectory()

    private func journal(_ kind: Kind) throws -> any JournalStore {
        switch kind {
        case .memory: MemoryJournal()
        case .sqlite: try SQLiteJournal(path: directory.file("a.db"))
        }
    }

    @Test(arguments: Kind.allCases)
    func startsEmpty(_ kind: Kind) throws {
        #expect(try contents(of: journal(kind)).isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func replaysWhatWasAppendedInItsOrder(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([entry("b", 1), entry("a", 2)])
        try journal.append([entry("c", 3)])
        #expect(try contents(of: journal) == ["b=1", "a=2", "c=3"])
    }

    @Test(arguments: Kind.allCases)
    func keepsTheLastValueOfAKeyInItsNewPlace(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([entry("a", 1), entry("b", 2)])
        try journal.append([entry("a", 3)])
        #expect(try contents(of: journal) == ["b=2", "a=3"])
    }

    @Test(arguments: Kind.allCases)
    func takesAKeySeveralTimesInOneBatch(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([entry("a", 1), entry("b", 2), entry("a", nil), entry("c", 3), entry("a", 4)])
        try journal.append([entry("b", 5), entry("b", nil)])
        #expect(try contents(of: journal) == ["c=3", "a=4"])
    }

    @Test(arguments: Kind.allCases)
    func forgetsRemovedKeys(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([entry("a", 1), entry("b", 2)])
        try journal.append([entry("a", nil), entry("never-there", nil)])
        #expect(try contents(of: journal) == ["b=2"])
    }

    @Test(arguments: Kind.allCases)
    func acceptsAnEmptyBatch(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([])
        #expect(try contents(of: journal).isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func tellsKeysApartByteByByte(_ kind: Kind) throws {
        let journal = try journal(kind)
        let keys = [
            "a", "A", "a/", "a.", "~!", String(repeating: "k", count: 1024), "';DROP/**/TABLE/**/entry;--",
        ]
        try journal.append(keys.map { entry($0, 1) })
        #expect(try contents(of: journal) == keys.map { "\($0)=1" })
    }

    @Test(arguments: Kind.allCases, [[], [0], Array(0...255), [UInt8](repeating: 0xff, count: 300_000)])
    func keepsAnyBytes(_ kind: Kind, _ value: [UInt8]) throws {
        let journal = try journal(kind)
        try journal.append([JournalEntry(key: "a", value: value)])
        var found: [[UInt8]?] = []
        try journal.replay { found.append($0.value) }
        #expect(found == [value])
    }

    @Test(arguments: Kind.allCases)
    func passesOnWhatTheReaderThrowsAndGoesOn(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([entry("a", 1), entry("b", 2)])
        var calls = 0
        #expect(throws: JournalError.corrupt("a")) {
            try journal.replay { entry throws(JournalError) in
                calls += 1
                throw .corrupt(entry.key)
            }
        }
        #expect(calls == 1)
        try journal.append([entry("c", 3)])
        #expect(try contents(of: journal) == ["a=1", "b=2", "c=3"])
    }

    @Test(arguments: Kind.allCases)
    func countsBytesWithWhatItHolds(_ kind: Kind) throws {
        let journal = try journal(kind)
        let before = journal.byteCount
        try journal.append([JournalEntry(key: "a", value: [UInt8](repeating: 1, count: 100_000))])
        #expect(journal.byteCount >= before + 100_000)
    }

    @Test(arguments: Kind.allCases)
    func changesNoEntryWhenProbedOrMaintained(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([entry("a", 1)])
        try journal.probe()
        journal.maintain()
        #expect(try contents(of: journal) == ["a=1"])
    }

    @Test(arguments: Kind.allCases)
    func refusesEverythingOnceClosed(_ kind: Kind) throws {
        let journal = try journal(kind)
        try journal.append([entry("a", 1)])
        journal.close()
        journal.close()
        journal.maintain()
        #expect(throws: JournalError.failed("it is closed")) { try journal.append([entry("b", 1)]) }
        #expect(throws: JournalError.failed("it is closed")) { try contents(of: journal) }
        #expect(throws: JournalError.failed("it is closed")) { try journal.probe() }
    }

    /// The slow, obvious journal is a list of entries.
    @Test(arguments: Kind.allCases)
    func equalsAListOfTheLastEntries(_ kind: Kind) throws {
        var generator = SeededGenerator()
        var model = JournalModel()
        var journal = try journal(kind)
        for _ in 0..<200 {
            let batch = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                let value = Int.random(in: 0...9, using: &generator)
                return entry("k\(Int.random(in: 0...12, using: &generator))", value < 3 ? nil : UInt8(value))
            }
            try journal.append(batch)
            model.append(batch)
            if kind == .sqlite, Int.random(in: 0...20, using: &generator) == 0 {
                journal.close()
                journal = try self.journal(kind)
            }
            try #require(try contents(of: journal) == model.contents, "seed \(generator.seed)")
        }
    }

    @Test(arguments: [("", false), ("a", true), ("a b", false), ("é", false), ("a\n", false), ("a\0", false)])
    func knowsWhatAKeyIs(_ text: String, _ isKey: Bool) {
        #expect(JournalEntry.isKey(text) == isKey)
        #expect(!JournalEntry.isKey(String(repeating: "k", count: 1025)))
    }
}
