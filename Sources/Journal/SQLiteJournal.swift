/// A journal in one SQLite file, held by one process at a time, readable by its owner only (mode 0600).
///
/// The file must be on a local file system. Beside it lies its log (`-wal`), which is part of it; both must stay where
/// they are while the journal is open. The calls that write wait for the storage.
public final class SQLiteJournal: JournalStore {
    /// The connection and its statements, and which files they write.
    struct Opened {
        let connection: SQLiteConnection
        let identity: JournalFile.Identity
        let begin: SQLiteStatement
        let commit: SQLiteStatement
        let insert: SQLiteStatement
        let replace: SQLiteStatement
        let remove: SQLiteStatement
    }

    /// At most this many pages of 4 KiB are given back by one ``maintain()``.
    private static let vacuumStep: Int64 = 256

    private let file: JournalFile
    private var opened: Opened?
    private var rows: JournalRows

    /// Opens the journal at `path`, or creates it; its structure is checked. One of an earlier format is converted, once
    /// and for all: an earlier version will not open it any more. O(entries).
    ///
    /// Waits for nobody: ``JournalError/locked`` when another has it open. A file that is not a journal keeps its content.
    public init(path: String) throws(JournalError) {
        file = try JournalFile(path: path)
        let connection = try SQLiteConnection(path: file.path)
        rows = try JournalFormat.open(connection, file)
        opened = Opened(
            connection: connection,
            identity: file.identity,
            begin: try SQLiteStatement("BEGIN IMMEDIATE", on: connection),
            commit: try SQLiteStatement("COMMIT", on: connection),
            insert: try SQLiteStatement(JournalFormat.insert, on: connection),
            replace: try SQLiteStatement(JournalFormat.replace, on: connection),
            remove: try SQLiteStatement(JournalFormat.remove, on: connection))
    }

    /// Writes the batch in one transaction; when it returns, the log has reached the disk.
    public func append(_ batch: [JournalEntry]) throws(JournalError) {
        guard !batch.isEmpty else { return }
        try transaction { opened throws(JournalError) in
            for entry in batch { try write(entry, opened) }
        }
    }

    /// Writes one entry of the transaction that is open.
    func write(_ entry: JournalEntry, _ opened: Opened) throws(JournalError) {
        guard let value = entry.value else {
            guard let revision = rows.remove(entry.key) else { return }
            try opened.remove.bind(1, revision)
            return try opened.remove.changeRow()
        }
        let (revision, old) = rows.put(entry.key)
        if let old {
            try opened.replace.bind(1, revision)
            try opened.replace.bind(2, value)
            try opened.replace.bind(3, old)
            try opened.replace.changeRow()
        } else {
            try opened.insert.bind(1, revision)
            try opened.insert.bind(2, entry.key)
            try opened.insert.bind(3, value)
            try opened.insert.changeRow()
        }
    }

    /// Hands out the live entries in order. O(entries).
    public func replay(_ body: (JournalEntry) throws(JournalError) -> Void) throws(JournalError) {
        let opened = try stillThere()
        let rows = try SQLiteStatement(JournalFormat.replay, on: opened.connection)
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
        // After an error the file stays longer than need be, no more; the next append meets the fault and tells.
        if let opened { try? shorten(opened.connection) }
    }

    /// Writes the log back into the file, and releases the lock.
    public func close() { opened = nil }

    /// Does what `body` does in one durable transaction, or nothing of it.
    func transaction(_ body: (Opened) throws(JournalError) -> Void) throws(JournalError) {
        let opened = try stillThere()
        do throws(JournalError) {
            try opened.begin.run()
            try body(opened)
            try opened.commit.run()
            rows.confirm()
        } catch {
            rollBack(opened)
            throw error
        }
    }

    private func shorten(_ connection: SQLiteConnection) throws(JournalError) {
        let free = try connection.integer("PRAGMA freelist_count")
        let pages = try connection.integer("PRAGMA page_count")
        guard free > Self.vacuumStep, free > pages / 4 else { return }
        try connection.run("PRAGMA incremental_vacuum(\(Self.vacuumStep))")
        // Only this makes the file itself shorter, and the log.
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private func rollBack(_ opened: Opened) {
        rows.rollBack()
        // Some errors have rolled back already. If this fails, the next BEGIN does too, and tells.
        if opened.connection.isInTransaction { try? opened.connection.run("ROLLBACK") }
    }

    /// What is open, unless its files have been moved or removed: what is written then would be gone with the process.
    private func stillThere() throws(JournalError) -> Opened {
        guard let opened else { throw .failed("it is closed") }
        guard file.identity == opened.identity else {
            throw .failed("its file or log was moved, removed, emptied or replaced while open")
        }
        return opened
    }
}
