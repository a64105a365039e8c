import CSQLite
import Glibc

/// One open SQLite database, closed when the last reference goes. Used only on the thread that opened it.
///
/// https://www.sqlite.org/c3ref/open.html
final class SQLiteConnection {
    let handle: OpaquePointer

    /// Opens the existing file at `path`; reads nothing of it yet.
    init(path: String) throws(JournalError) {
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard let handle else { throw .failed("out of memory") }
        self.handle = handle
        try check(code)
    }

    deinit {
        // Writes the log back into the file and removes it; if that fails, the next opening does it.
        sqlite3_close_v2(handle)
    }

    /// Whether a BEGIN has neither been committed nor rolled back.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Whether the file may not be written: SQLite then opens it all the same.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Runs statements whose rows do not matter.
    func run(_ sql: String) throws(JournalError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// The first column of the only row of `sql`.
    func integer(_ sql: String) throws(JournalError) -> Int64 {
        try SQLiteStatement(sql, on: self).row { $0.integer(0) } ?? 0
    }

    /// The first column of the first row of `sql`; nil without a row, or if it is not text.
    func text(_ sql: String) throws(JournalError) -> String? {
        try SQLiteStatement(sql, on: self).row { $0.text(0) } ?? nil
    }

    /// Throws what a result code of this connection's last call means, unless it means success.
    func check(_ code: Int32) throws(JournalError) {
        guard code != SQLITE_OK else { return }
        let text = String(cString: sqlite3_errmsg(handle))
        switch code & 0xff {
        case SQLITE_BUSY, SQLITE_LOCKED: throw .locked
        case SQLITE_FULL: throw .full
        // No write of ours breaks a constraint, unless the file is not what it was.
        case SQLITE_CORRUPT, SQLITE_CONSTRAINT: throw .corrupt(text)
        case SQLITE_NOTADB: throw .foreign(text)
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            let errno = sqlite3_system_errno(handle)
            // SQLite reports a used-up quota as a failed write.
            if errno == EDQUOT || errno == ENOSPC { throw .full }
            throw .failed(errno == 0 ? text : "\(text) (\(String(cString: strerror(errno))))")
        default: throw .failed(text)
        }
    }
}
