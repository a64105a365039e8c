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
                try opened.write(entry("a", 3), revision: 3)
                try opened.write(entry("b", nil), revision: 4)
                throw .full
            }
        }
        #expect(try contents(of: journal) == ["a=1", "b=2"])
        try journal.append([entry("c", 3)])
        #expect(try contents(of: journal) == ["a=1", "b=2", "c=3"])
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
