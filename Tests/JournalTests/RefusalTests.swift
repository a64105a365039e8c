import Glibc
import Testing

@testable import Journal

/// Files that are not opened: each for its own reason, and none of them changed.
@Suite struct RefusalTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.file("a.db") }

    private func refusal(of path: String) -> JournalError? {
        do throws(JournalError) {
            _ = try SQLiteJournal(path: path)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Paths

    @Test func refusesPathsThatCannotHoldAFile() throws {
        try write([], to: directory.file("file"))
        #expect(refusal(of: "") == .failed("its path is empty"))
        #expect(refusal(of: "a\0b") == .failed("its path contains a NUL"))
        #expect(refusal(of: directory.path) == .failed("it is a directory"))
        #expect(refusal(of: directory.file("file/a.db")) == .failed("Not a directory"))
        #expect(
            refusal(of: directory.file("none/a.db"))
                == .failed("it cannot be created: No such file or directory"))
        #expect(refusal(of: directory.file("none/")) == .failed("it cannot be created: Is a directory"))
        #expect(refusal(of: "/proc/a.db") == .failed("it cannot be created: No such file or directory"))
        #expect(
            refusal(of: directory.file(String(repeating: "n", count: 300))) == .failed("File name too long"))
    }

    @Test func refusesWhatIsNotARegularFile() throws {
        // Everything written to /dev/null would be gone, and SQLite would not mind.
        #expect(refusal(of: "/dev/null") == .failed("it is not a regular file"))
        try #require(mkfifo(path, 0o600) == 0)
        #expect(refusal(of: path) == .failed("it is not a regular file"))
    }

    @Test func refusesAReadOnlyFileSystem() throws {
        try SQLiteJournal(path: path).close()
        let mount = try Mount(
            at: directory.path, "tmpfs", flags: UInt(MS_RDONLY), options: "size=64k")
        #expect(refusal(of: path) == .failed("it cannot be created: Read-only file system"))
        mount.end()
        #expect(refusal(of: path) == nil)
    }

    @Test(arguments: [1, 2])
    func refusesWhatItsUserMayNotUse(format: Int) async throws {
        if format == 1 { try makeFirstFormat(at: path, [entry("a", 1)]) }
        if format == 2 { try SQLiteJournal(path: path).close() }
        let before = try bytes(of: path)
        chmod(directory.path, 0o755)
        let unreadable = await refusalForNobody(fileMode: 0o600)
        #expect(unreadable == "cannot be used: unable to open database file (Permission denied)")
        let unwritable = await refusalForNobody(fileMode: 0o644)
        #expect(unwritable == "cannot be used: it may not be written")
        #expect(try bytes(of: path) == before)
    }

    private func refusalForNobody(fileMode: mode_t) async -> String {
        chmod(path, fileMode)
        let report = directory.file("report")
        await #expect(processExitsWith: .success) { [path = path as String, report = report as String] in
            let output = open(report, O_CREAT | O_TRUNC | O_WRONLY, 0o644)
            // Fails if the tests are not run by root.
            guard seteuid(65_534) == 0 else { exit(EXIT_FAILURE) }
            do throws(JournalError) {
                _ = try SQLiteJournal(path: path)
            } catch {
                let text = "\(error)"
                write(output, text, text.utf8.count)
            }
            exit(EXIT_SUCCESS)
        }
        return (try? bytes(of: report)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    // MARK: Contents

    @Test func refusesAJournalOfALaterVersion() throws {
        try SQLiteJournal(path: path).close()
        try edit(path, "PRAGMA user_version = 3; CREATE TABLE more (a)")
        let before = try bytes(of: path)
        #expect(refusal(of: path) == .newer(found: 3, known: 2))
        #expect(try bytes(of: path) == before)
        #expect("\(JournalError.newer(found: 3, known: 2))".hasPrefix("is newer"))
    }

    @Test(arguments: [
        "CREATE TABLE entry (key TEXT PRIMARY KEY, value BLOB)", "PRAGMA application_id = 1",
        "PRAGMA user_version = 1",
        "PRAGMA auto_vacuum = NONE; PRAGMA user_version = 1; PRAGMA user_version = 0",
        "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)",
    ])
    func refusesTheDatabaseOfAnotherApplication(_ sql: String) throws {
        try edit(path, sql)
        let before = try bytes(of: path)
        chmod(path, 0o644)
        #expect(refusal(of: path) == .foreign("it is the database of another application"))
        #expect(try bytes(of: path) == before)
        #expect(mode(of: path) == 0o644)
        #expect(directory.names == ["a.db"])
    }

    @Test(arguments: [1, 15, 16, 99, 100, 511, 512, 4_096, 10_000])
    func refusesAFileThatIsNoDatabase(_ count: Int) throws {
        var generator = SeededGenerator()
        for content in [
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) },
            [UInt8](repeating: 0, count: count), [UInt8](repeating: UInt8(ascii: "\n"), count: count),
        ] {
            try write(content, to: path)
            guard case .foreign = refusal(of: path) else {
                Issue.record("\(String(describing: refusal(of: path))), seed \(generator.seed)")
                return
            }
            #expect(try bytes(of: path) == content)
        }
    }

    @Test func takesAnEmptyFileAsANewJournal() throws {
        try write([], to: path)
        #expect(refusal(of: path) == nil)
    }

    @Test(arguments: [
        "DROP TABLE entry", "ALTER TABLE entry ADD COLUMN more ANY", "CREATE INDEX i ON entry (key)",
        "CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END", "PRAGMA user_version = 0",
        "PRAGMA user_version = -1", "PRAGMA user_version = 1",
        "INSERT INTO entry VALUES (9223372036854775807, 'a', x'00')",
        "INSERT INTO entry VALUES (-1, 'a', x'00')", "INSERT INTO entry VALUES (0, 'a', x'00')",
        "INSERT INTO entry VALUES (1, 'a', x'00'), (2, 'b', x'00'), (3, 'a', x'00')",
    ])
    func refusesAJournalThatWasTamperedWith(_ sql: String) throws {
        try SQLiteJournal(path: path).close()
        try edit(path, sql)
        guard case .corrupt = refusal(of: path) else {
            Issue.record("\(String(describing: refusal(of: path)))")
            return
        }
    }

    @Test func refusesDamageThatNoEntryShows() throws {
        let journal = try SQLiteJournal(path: path)
        let value = [UInt8](repeating: 1, count: 300)
        try journal.append((0..<200).map { JournalEntry(key: "key-\($0)", value: value) })
        try journal.append((1..<200).map { entry("key-\($0)", nil) })
        journal.close()
        var content = try bytes(of: path)
        // https://www.sqlite.org/fileformat2.html#the_freelist: bytes 32 to 35 name the first page of the free list.
        let page = content[32..<36].reduce(0) { $0 << 8 | Int($1) }
        try #require(page > 1)
        content.replaceSubrange(
            (page - 1) * 4_096..<page * 4_096, with: [UInt8](repeating: 0xa5, count: 4_096))
        try write(content, to: path)
        guard case .corrupt = refusal(of: path) else {
            Issue.record("\(String(describing: refusal(of: path)))")
            return
        }
        #expect(try bytes(of: path) == content)
    }

    @Test(arguments: ["x''", "x'ff'", "'a b'", "'é'", "''"])
    func refusesAKeyThatItCannotHaveWritten(_ key: String) throws {
        try SQLiteJournal(path: path).close()
        try edit(path, "INSERT INTO entry VALUES (1, CAST(\(key) AS TEXT), x'00')")
        #expect(refusal(of: path) == .corrupt("an entry has no proper key"))
    }

    @Test func refusesALogWithoutItsFile() async throws {
        // Somebody removed the file and left its log, which SQLite would delete without a word.
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let journal = try SQLiteJournal(path: path)
            try journal.append([entry("a", 1)])
            kill(getpid(), SIGKILL)
        }
        let file = try bytes(of: path)
        unlink(path)
        #expect(refusal(of: path) == .corrupt("the file is empty, but its log (-wal) holds entries"))
        try write(file, to: path)
        #expect(try contents(of: SQLiteJournal(path: path)) == ["a=1"])
    }

    // MARK: While it is open

    @Test(arguments: ["a.db", "a.db-wal"])
    func noticesThatAFileWasTakenAway(_ name: String) throws {
        let journal = try SQLiteJournal(path: path)
        try journal.append([entry("a", 1)])
        let error = JournalError.failed("its file or log was moved, removed, emptied or replaced while open")
        try #require(rename(directory.file(name), directory.file("moved")) == 0)
        #expect(throws: error) { try journal.append([entry("b", 2)]) }
        #expect(throws: error) { try journal.probe() }
        #expect(throws: error) { try contents(of: journal) }
        try write([], to: directory.file(name))
        #expect(throws: error) { try journal.append([entry("b", 2)]) }
        try #require(rename(directory.file("moved"), directory.file(name)) == 0)
        try journal.append([entry("c", 3)])
        #expect(try contents(of: journal) == ["a=1", "c=3"])
    }

    @Test func noticesThatItsFileWasEmptied() throws {
        let journal = try SQLiteJournal(path: path)
        try journal.append([entry("a", 1)])
        try #require(truncate(path, 0) == 0)
        #expect(throws: JournalError.self) { try journal.append([entry("b", 2)]) }
        #expect(throws: JournalError.self) { try journal.probe() }
    }
}
