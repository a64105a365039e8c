/// A journal in one SQLite file, held by one process at a time, readable by its owner only (mode 0600).
///
/// The file must be on a local file system. Beside it lies its log (`-wal`), which is part of it; both must stay where
/// they are while the journal is open. The calls that write wait for the storage.
public final class SQLiteJournal: Journal {
    private struct Opened {
        let connection: SQLiteConnection
        let identity: JournalFile.Identity
        let begin: SQLiteStatement
        let commit: SQLiteStatement
        let put: SQLiteStatement
        let remove: SQLiteStatement
    }
    /// At most this many pages are given back by one ``maintain()``.
    private static let vacuumStep: Int64 = 256

    private let file: JournalFile
    private var opened: Opened?
    private var revision: Int64

    /// Opens the journal at `path`, or creates it; its structure is checked. O(entries).
    ///
    /// Waits for nobody: ``JournalError/locked`` when another has it open. What is not a journal is left as it is.
    public init(path: String) throws(JournalError) {
        file = try JournalFile(path: path)
        let connection = try SQLiteConnection(path: file.path)
        try JournalFormat.open(connection, file)
        revision = try connection.integer("SELECT max(revision) FROM entry")
        opened = Opened(
            connection: connection,
            identity: file.identity,
            begin: try SQLiteStatement("BEGIN IMMEDIATE", on: connection),
            commit: try SQLiteStatement("COMMIT", on: connection),
            put: try SQLiteStatement(JournalFormat.put, on: connection),
            remove: try SQLiteStatement("DELETE FROM entry WHERE key = ?1", on: connection))
    }

    /// Writes the batch in one transaction; when it returns, the log has reached the disk.
    public func append(_ batch: [JournalEntry]) throws(JournalError) {
        guard !batch.isEmpty else { return }
        var next = revision
        try transaction { opened throws(JournalError) in
            for entry in batch {
                next += 1
                try Self.write(entry, revision: next, opened)
            }
        }
        revision = next
    }

    /// Hands out the live entries in order. O(n log n).
    public func replay(_ body: (JournalEntry) throws(JournalError) -> Void) throws(JournalError) {
        let opened = try stillThere()
        let rows = try SQLiteStatement(
            "SELECT key, value FROM entry ORDER BY revision", on: opened.connection)
        while try rows.step() {
            guard let key = rows.text(0), JournalEntry.isKey(key), let value = rows.blob(1) else {
                throw .corrupt("an entry has no proper key or value")
            }
            try body(JournalEntry(key: key, value: value))
        }
    }

    /// How many bytes the file and its log have.
    public var byteCount: Int64 { file.byteCount }

    /// Writes the format's number again, durably.
    public func probe() throws(JournalError) {
        try transaction { opened throws(JournalError) in
            try opened.connection.run("PRAGMA user_version = \(JournalFormat.version)")
        }
    }

    /// Shortens the file by at most 1 MiB, once more than a quarter of it is empty.
    public func maintain() {
        guard let opened else { return }
        do {
            let free = try opened.connection.integer("PRAGMA freelist_count")
            let pages = try opened.connection.integer("PRAGMA page_count")
            guard free > Self.vacuumStep, free > pages / 4 else { return }
            try opened.connection.run("PRAGMA incremental_vacuum(\(Self.vacuumStep))")
            // Only this makes the file shorter, and the log too.
            try opened.connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            // The file stays longer than need be, no more; the next append meets the same fault and tells.
            rollBack(opened)
        }
    }

    /// Writes the log back into the file, and releases the lock.
    public func close() { opened = nil }

    private func transaction(_ body: (Opened) throws(JournalError) -> Void) throws(JournalError) {
        let opened = try stillThere()
        do throws(JournalError) {
            try opened.begin.run()
            try body(opened)
            try opened.commit.run()
        } catch {
            rollBack(opened)
            throw error
        }
    }

    private func rollBack(_ opened: Opened) {
        // Some errors have rolled back already. If this fails, the next BEGIN does too, and tells.
        if opened.connection.isInTransaction { try? opened.connection.run("ROLLBACK") }
    }

    /// What is open, unless its files have been moved or removed: what is written then would be gone with the process.
    private func stillThere() throws(JournalError) -> Opened {
        guard let opened else { throw .failed("it is closed") }
        guard file.identity == opened.identity else {
            throw .failed("its file or log was moved, removed or replaced while open")
        }
        return opened
    }

    private static func write(_ entry: JournalEntry, revision: Int64, _ opened: Opened) throws(JournalError) {
        var key = entry.key
        let result: Result<Void, JournalError> = key.withUTF8 { key in
            Result { () throws(JournalError) in
                guard let value = entry.value else {
                    try opened.remove.bind(1, text: key)
                    return try opened.remove.run()
                }
                try opened.put.bind(1, text: key)
                try opened.put.bind(2, revision)
                try value.withUnsafeBytes { bytes in
                    Result { () throws(JournalError) in
                        try opened.put.bind(3, blob: bytes)
                        try opened.put.run()
                    }
                }.get()
            }
        }
        try result.get()
    }
}
