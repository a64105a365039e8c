import Glibc
import Testing

@testable import Journal

@Suite struct SQLiteJournalTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.file("a.db") }

    @Test func keepsEntriesAndTheirOrderAcrossAReopening() throws {
        let first = try SQLiteJournal(path: path)
        try first.append([entry("b", 1), entry("a", 2), entry("c", 3)])
        try first.append([entry("a", nil), entry("b", 4)])
        first.close()
        let second = try SQLiteJournal(path: path)
        try second.append([entry("a", 5)])
        #expect(try contents(of: second) == ["c=3", "b=4", "a=5"])
    }

    @Test func isReleasedWithItsLastReference() throws {
        _ = try SQLiteJournal(path: path)
        #expect(try contents(of: SQLiteJournal(path: path)).isEmpty)
    }

    @Test func leavesOneFileBehind() throws {
        let journal = try SQLiteJournal(path: path)
        try journal.append([entry("a", 1)])
        #expect(directory.names == ["a.db", "a.db-wal"])
        journal.close()
        #expect(directory.names == ["a.db"])
    }

    @Test func takesAPathAsItStands() throws {
        // SQLite would take these for a database in memory and for a URI.
        for name in [":memory:", "file:x?mode=memory", "a b.db", "å.db", "%41.db", "-wal"] {
            let journal = try SQLiteJournal(path: directory.file(name))
            try journal.append([entry("a", 1)])
            journal.close()
            #expect(directory.names.contains(name))
            #expect(try contents(of: SQLiteJournal(path: directory.file(name))) == ["a=1"])
        }
    }

    @Test(arguments: [":memory:", "file:x?mode=memory"])
    func takesARelativePathAsItStands(_ path: String) throws {
        #expect(try JournalFile(path: path).path == "./" + path)
        unlink(path)
    }

    @Test func followsALinkToTheFileAndItsLog() throws {
        try #require(mkdir(directory.file("real"), 0o700) == 0)
        try #require(symlink("real/a.db", directory.file("link.db")) == 0)
        #expect(throws: JournalError.failed("it cannot be created: No such file or directory")) {
            try SQLiteJournal(path: directory.file("link.db"))
        }
        try SQLiteJournal(path: directory.file("real/a.db")).close()
        let journal = try SQLiteJournal(path: directory.file("link.db"))
        try journal.append([entry("a", 1)])
        #expect(directory.names == ["link.db", "real"])
        #expect(access(directory.file("real/a.db-wal"), F_OK) == 0)
        journal.close()
        #expect(try contents(of: SQLiteJournal(path: directory.file("real/a.db"))) == ["a=1"])
        unlink(directory.file("real/a.db"))
    }

    @Test func undoesWhatATransactionDidBeforeItFailed() throws {
        let journal = try SQLiteJournal(path: path)
        try journal.append([entry("a", 1), entry("b", 2)])
        #expect(throws: JournalError.full) {
            try journal.transaction { opened throws(JournalError) in
                for entry in [
                    entry("a", 3), entry("b", nil), entry("c", 4), entry("a", nil), entry("a", 5),
                    entry("b", 6),
                ] {
                    try journal.write(entry, opened)
                }
                throw .full
            }
        }
        #expect(try contents(of: journal) == ["a=1", "b=2"])
        try journal.append([entry("c", 3), entry("b", 4), entry("a", nil)])
        #expect(try contents(of: journal) == ["c=3", "b=4"])
        journal.close()
        #expect(try contents(of: SQLiteJournal(path: path)) == ["c=3", "b=4"])
    }

    /// As a list of the last entries has it, though half of the batches fail somewhere.
    @Test func equalsAListOfWhatDidNotFail() throws {
        var generator = SeededGenerator()
        var model = JournalModel()
        var journal = try SQLiteJournal(path: path)
        for _ in 0..<400 {
            let batch = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                let value = Int.random(in: 0...9, using: &generator)
                return entry("k\(Int.random(in: 0...12, using: &generator))", value < 3 ? nil : UInt8(value))
            }
            if Bool.random(using: &generator) {
                try journal.append(batch)
                model.append(batch)
            } else {
                #expect(throws: JournalError.full) {
                    try journal.transaction { opened throws(JournalError) in
                        for entry in batch { try journal.write(entry, opened) }
                        throw .full
                    }
                }
            }
            if Int.random(in: 0...20, using: &generator) == 0 {
                journal.close()
                journal = try SQLiteJournal(path: path)
            }
            try #require(try contents(of: journal) == model.contents, "seed \(generator.seed)")
        }
    }

    /// As storage would that kept a batch which it said had failed: no key gets two rows, and no value is lost unseen.
    @Test(arguments: [
        "INSERT INTO entry VALUES (3, 'c', x'07')", "UPDATE entry SET revision = 9 WHERE key = 'a'",
        "DELETE FROM entry WHERE key = 'a'",
    ])
    func failsWhenTheFileIsNotWhatItWas(_ sql: String) throws {
        let journal = try SQLiteJournal(path: path)
        try journal.append([entry("a", 1), entry("b", 2)])
        #expect(throws: JournalError.full) {
            try journal.transaction { opened throws(JournalError) in
                try opened.connection.run(sql)
                try opened.commit.run()
                throw .full
            }
        }
        for batch in [[entry("c", 3), entry("a", 3)], [entry("c", 4), entry("a", nil)]] {
            do throws(JournalError) {
                try journal.append(batch)
                Issue.record("it was written")
            } catch {
                guard case .corrupt = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    // MARK: One at a time

    @Test func isLockedWhileItIsOpenInThisProcess() throws {
        let first = try SQLiteJournal(path: path)
        #expect(throws: JournalError.locked) { try SQLiteJournal(path: path) }
        try first.append([entry("a", 1)])
        #expect(throws: JournalError.locked) { try SQLiteJournal(path: path) }
        first.close()
        #expect(try contents(of: SQLiteJournal(path: path)) == ["a=1"])
    }

    @Test func isLockedForAnotherProcess() async throws {
        let journal = try SQLiteJournal(path: path)
        try journal.append([entry("a", 1)])
        await #expect(processExitsWith: .exitCode(9)) { [path = path as String] in
            do throws(JournalError) {
                _ = try SQLiteJournal(path: path)
            } catch {
                exit(error == .locked ? 9 : 1)
            }
        }
        try journal.append([entry("b", 2)])
        #expect(try contents(of: journal) == ["a=1", "b=2"])
    }

    @Test func isFreeOnceTheOtherProcessIsGone() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let journal = try SQLiteJournal(path: path)
            try journal.append([entry("a", 1)])
            kill(getpid(), SIGKILL)
        }
        #expect(try contents(of: SQLiteJournal(path: path)) == ["a=1"])
    }

    @Test func survivesARaceOfFirstOpenings() async throws {
        // Each process opens a new file or finds it locked, never anything else; a retry gets in.
        for number in 0..<4 {
            let path = directory.file("\(number).db")
            async let first: Void = openAndAppend("a", path)
            async let second: Void = openAndAppend("b", path)
            _ = await (first, second)
            #expect(try contents(of: SQLiteJournal(path: path)).sorted() == ["a=1", "b=1"])
        }
    }

    private func openAndAppend(_ key: String, _ path: String) async {
        await #expect(processExitsWith: .success) { [key = key as String, path = path as String] in
            while true {
                do throws(JournalError) {
                    let journal = try SQLiteJournal(path: path)
                    try journal.append([entry(key, 1)])
                    exit(EXIT_SUCCESS)
                } catch {
                    guard error == .locked else { exit(EXIT_FAILURE) }
                    usleep(1_000)
                }
            }
        }
    }

    // MARK: Who may read it

    @Test(arguments: [0, 0o777])
    func isReadableByItsOwnerOnlyWhateverTheUmask(_ mask: Int) async throws {
        // In a process of its own: the umask is everybody's.
        await #expect(processExitsWith: .exitCode(9)) { [path = path as String, mask = mask as Int] in
            umask(mode_t(mask))
            let journal = try SQLiteJournal(path: path)
            try journal.append([entry("a", 1)])
            exit(mode(of: path) == 0o600 && mode(of: path + "-wal") == 0o600 ? 9 : 1)
        }
    }

    @Test func takesReadersAwayThatAnOlderFileHad() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try SQLiteJournal(path: path).append([entry("a", 1)])
            let journal = try SQLiteJournal(path: path)
            try journal.append([entry("b", 2)])
            kill(getpid(), SIGKILL)
        }
        chmod(path, 0o664)
        chmod(path + "-wal", 0o664)
        let journal = try SQLiteJournal(path: path)
        #expect(mode(of: path) == 0o600 && mode(of: path + "-wal") == 0o600)
        #expect(try contents(of: journal) == ["a=1", "b=2"])
    }
}
