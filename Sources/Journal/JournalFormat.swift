/// How a journal lies in its SQLite database, and how one is told from another file.
enum JournalFormat {
    /// The newest format that this version reads, and the only one it writes, kept as SQLite's `user_version`.
    static let version: Int64 = 2
    /// "Pend", kept as SQLite's `application_id`: `file` and we tell our files by it.
    static let applicationID: Int64 = 0x5065_6e64
    /// Adds the first value of a key. Parameters: revision, key, value.
    static let insert = "INSERT INTO entry (revision, key, value) VALUES (?1, ?2, ?3)"
    /// Puts a newer value of a key behind all others. Parameters: new revision, value, old revision.
    static let replace = "UPDATE entry SET revision = ?1, value = ?2 WHERE revision = ?3"
    /// Removes a key. Parameter: its revision.
    static let remove = "DELETE FROM entry WHERE revision = ?1"
    /// All live entries in their order.
    static let replay = "SELECT key, value FROM entry ORDER BY revision"
    static let pageSize = 4096
    /// When the log has this many bytes it is written back into the file, and begins anew.
    private static let logLimit = 4 << 20
    /// The revision is the row's place in the file: what is written together lies together, wherever its keys would
    /// be in an index. Which row a key has is kept in memory (``JournalRows``).
    private static let schema = """
        CREATE TABLE entry (revision INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB NOT NULL) STRICT
        """
    /// The table of format 1, in the order of keys.
    private static let firstSchema = """
        CREATE TABLE entry (key TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, value BLOB NOT NULL) \
        STRICT, WITHOUT ROWID
        """

    /// Takes the lock of the database, finds out that it is a journal, makes one of a new file, and checks it. A journal
    /// of an earlier format becomes one of this format; all of it happens in one transaction, or nothing.
    ///
    /// Returns which row each key has. O(entries).
    static func open(_ connection: SQLiteConnection, _ file: JournalFile) throws(JournalError) -> JournalRows
    {
        guard !connection.isReadOnly else { throw .failed("it may not be written") }
        // With the lock kept from the first access on, the index of the log is in memory: no -shm file.
        try connection.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY")
        if file.isEmpty {
            try connection.run("PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = INCREMENTAL")
        }
        // Takes the lock before anything is looked at.
        try connection.run("BEGIN EXCLUSIVE")
        if try isNew(connection) {
            try file.restrict()
            try create(connection)
        } else {
            let found = try knownFormat(of: connection)
            guard !file.isCutOff else { throw .corrupt("the end of the file is missing") }
            try file.restrict()
            // Before the conversion, which would turn some kinds of damage into a sound journal with less in it.
            try check(connection)
            if found < version { try convert(connection) }
        }
        let rows = try JournalRows(of: connection)
        try connection.run("COMMIT")
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw .failed("its file system does not allow a write-ahead log")
        }
        try connection.run(
            """
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = \(logLimit / pageSize);
            PRAGMA journal_size_limit = \(logLimit)
            """)
        // The first access to a new file in this mode makes its log, whose identity is noted next.
        _ = try connection.integer("SELECT count(*) FROM sqlite_schema")
        return rows
    }

    private static func create(_ connection: SQLiteConnection) throws(JournalError) {
        try connection.run(schema)
        try connection.run("PRAGMA application_id = \(applicationID)")
        try connection.run("PRAGMA user_version = \(version)")
    }

    /// Makes format 2 of format 1. Until the commit, the file needs room for its entries once more.
    private static func convert(_ connection: SQLiteConnection) throws(JournalError) {
        try connection.run("ALTER TABLE entry RENAME TO entry_1")
        try connection.run(schema)
        try connection.run(
            """
            INSERT INTO entry (revision, key, value) SELECT revision, key, value FROM entry_1 ORDER BY revision;
            DROP TABLE entry_1;
            PRAGMA user_version = \(version)
            """)
    }

    private static func check(_ connection: SQLiteConnection) throws(JournalError) {
        let finding = try connection.text("PRAGMA quick_check(1)")
        guard finding == "ok" else { throw .corrupt(finding ?? "its check found nothing") }
    }

    /// A file without content, or one whose creation was cut off after the first page.
    private static func isNew(_ connection: SQLiteConnection) throws(JournalError) -> Bool {
        guard try connection.integer("PRAGMA application_id") == 0,
            try connection.integer("PRAGMA user_version") == 0
        else { return false }
        let objects = try connection.integer("SELECT count(*) FROM sqlite_schema")
        let vacuum = try connection.integer("PRAGMA auto_vacuum")
        return objects == 0 && vacuum == 2
    }

    /// Which format a journal has. Throws for what is none, and for one that a later version wrote.
    private static func knownFormat(of connection: SQLiteConnection) throws(JournalError) -> Int64 {
        guard try connection.integer("PRAGMA application_id") == applicationID else {
            throw .foreign("it is the database of another application")
        }
        let found = try connection.integer("PRAGMA user_version")
        guard found <= version else { throw .newer(found: Int(found), known: Int(version)) }
        guard found >= 1 else { throw .corrupt("there is no format \(found)") }
        guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 1,
            try connection.text("SELECT sql FROM sqlite_schema") == (found == 1 ? firstSchema : schema)
        else { throw .corrupt("its table is not that of format \(found)") }
        return found
    }
}
