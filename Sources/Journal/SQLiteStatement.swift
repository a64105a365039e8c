import CSQLite

/// One prepared statement, kept for reuse; finalized when the last reference goes. Keeps its connection open.
///
/// https://www.sqlite.org/c3ref/stmt.html
final class SQLiteStatement {
    private let connection: SQLiteConnection
    private let handle: OpaquePointer

    /// Compiles the one statement in `sql`.
    init(_ sql: String, on connection: SQLiteConnection) throws(JournalError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        try connection.check(code)
        guard let handle else { preconditionFailure("A statement to prepare is not empty.") }
        self.connection = connection
        self.handle = handle
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement to its end and makes it ready for the next run. The last values bound stay bound.
    func run() throws(JournalError) {
        while try step() {}
    }

    /// Runs a statement that changes one row. That there is none to change means that the file is not what it was.
    func changeRow() throws(JournalError) {
        try run()
        guard sqlite3_changes(connection.handle) == 1 else {
            throw .corrupt("an entry is not where it was written")
        }
    }

    /// Runs the statement as far as its first row: what `read` makes of it, nil without one.
    func row<Value>(_ read: (SQLiteStatement) -> Value) throws(JournalError) -> Value? {
        guard try step() else { return nil }
        defer { reset() }
        return read(self)
    }

    /// True when there is a row to read; false at the end, where the statement is ready for its next run.
    func step() throws(JournalError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        defer { reset() }
        if code != SQLITE_DONE { try connection.check(code) }
        return false
    }

    /// Makes the statement ready for its next run, in the middle of its rows too.
    func reset() {
        // The code is that of the failed step again.
        sqlite3_reset(handle)
    }

    /// Binds an integer to parameter `index`, counted from 1.
    func bind(_ index: Int32, _ value: Int64) throws(JournalError) {
        try connection.check(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a copy of `text`.
    func bind(_ index: Int32, _ text: String) throws(JournalError) {
        try connection.check(
            sqlite3_bind_text(handle, index, text, Int32(text.utf8.count), csqlite_transient()))
    }

    /// Binds a copy of `bytes`.
    func bind(_ index: Int32, _ bytes: [UInt8]) throws(JournalError) {
        try connection.check(
            sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), csqlite_transient()))
    }

    /// The integer in a column of the current row, counted from 0.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// The text in a column of the current row; nil when it is another type or not UTF-8.
    func text(_ column: Int32) -> String? {
        guard sqlite3_column_type(handle, column) == SQLITE_TEXT,
            let start = sqlite3_column_text(handle, column)
        else { return nil }
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        return String(validating: bytes, as: UTF8.self)
    }

    /// The bytes in a column of the current row; nil when it is another type.
    func blob(_ column: Int32) -> [UInt8]? {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
        let start = sqlite3_column_blob(handle, column)
        return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
