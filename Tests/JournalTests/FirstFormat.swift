import CSQLite
import Glibc
import Journal
import Testing

/// Runs SQL on a file as its owner would with the `sqlite3` program.
func edit(_ path: String, _ sql: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
}

/// Makes a journal of format 1, as a version that knew no other left it.
///
/// - Parameter isCut: whether that version was killed, so that the entries are in the log.
func makeFirstFormat(at path: String, _ entries: [JournalEntry], isCut: Bool = false) throws {
    var handle: OpaquePointer?
    defer { if !isCut { sqlite3_close(handle) } }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    let rows = entries.enumerated().map { number, entry in
        let value = (entry.value ?? []).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "INSERT INTO entry VALUES ('\(entry.key)', \(number + 1), x'\(value)');"
    }
    let sql = """
        PRAGMA locking_mode = EXCLUSIVE;
        PRAGMA page_size = 4096;
        PRAGMA auto_vacuum = INCREMENTAL;
        BEGIN EXCLUSIVE;
        CREATE TABLE entry (key TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, value BLOB NOT NULL) \
        STRICT, WITHOUT ROWID;
        PRAGMA application_id = \(0x5065_6e64);
        PRAGMA user_version = 1;
        COMMIT;
        PRAGMA journal_mode = WAL;
        BEGIN;
        \(rows.joined(separator: "\n"))
        COMMIT
        """
    try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
}

/// The format of the journal at `path`, as it was committed last.
func format(of path: String) throws -> Int {
    var handle: OpaquePointer?
    var statement: OpaquePointer?
    defer {
        sqlite3_finalize(statement)
        sqlite3_close(handle)
    }
    try #require(sqlite3_open(path, &handle) == SQLITE_OK)
    try #require(sqlite3_prepare_v2(handle, "PRAGMA user_version", -1, &statement, nil) == SQLITE_OK)
    try #require(sqlite3_step(statement) == SQLITE_ROW)
    return Int(sqlite3_column_int64(statement, 0))
}
