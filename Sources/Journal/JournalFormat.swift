/// How a journal lies in its SQLite database, and how one is told from another file.
enum JournalFormat {
    /// The newest format that this version writes and reads, kept as SQLite's `user_version`.
    static let version: Int64 = 1
    /// "Pend", kept as SQLite's `application_id`: `file` and we tell our files by it.
    static let applicationID: Int64 = 0x5065_6e64
    /// The statement that gives a key its newest value. Parameters: key, revision, value.
    static let put = """
        INSERT INTO entry (key, revision, value) VALUES (?1, ?2, ?3)
        ON CONFLICT (key) DO UPDATE SET revision = ?2, value = ?3
        """
    static let pageSize = 4096
    /// When the log has this many bytes it is written back into the file, and begins anew.
    private static let logLimit = 4 << 20
    /// Measured with 100 000 entries of 300 bytes: a table with rowids, ordered by revision or not, costs 1.0 to 2.4
    /// times the CPU per renewal, and replays at best 0.1 s faster.
    private static let schema = """
        CREATE TABLE entry (key TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, value BLOB NOT NULL) \
        STRICT, WITHOUT ROWID
        """

    /// Takes the lock of the database, finds out that it is a journal, makes one of a new file, and checks it.
    static func open(_ connection: SQLiteConnection, _ file: JournalFile) throws(JournalError) {
        guard !connection.isReadOnly else { throw .failed("it may not be written") }
        // With the lock kept from the first access on, the index of the log is in memory: no -shm file.
        try connection.run("PRAGMA locking_mode = EXCLUSIVE")
        if file.isEmpty {
            try connection.run("PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = INCREMENTAL")
        }
        // Takes the lock before anything is looked at.
        try connection.run("BEGIN EXCLUSIVE")
        if try isNew(connection) {
            try file.restrict()
            try connection.run(schema)
            try connection.run("PRAGMA application_id = \(applicationID)")
            try connection.run("PRAGMA user_version = \(version)")
        } else {
            try refuseForeign(connection)
            guard !file.isCutOff else { throw .corrupt("the end of the file is missing") }
            try file.restrict()
        }
        try connection.run("COMMIT")
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw .failed("its file system does not allow a write-ahead log")
        }
        try connection.run(
            """
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = \(logLimit / pageSize);
            PRAGMA journal_size_limit = \(logLimit);
            PRAGMA temp_store = MEMORY
            """)
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

    private static func refuseForeign(_ connection: SQLiteConnection) throws(JournalError) {
        guard try connection.integer("PRAGMA application_id") == applicationID else {
            throw .foreign("it is the database of another application")
        }
        let found = try connection.integer("PRAGMA user_version")
        guard found <= version else { throw .newer(found: Int(found), known: Int(version)) }
        guard found == version else { throw .corrupt("there is no format \(found)") }
        guard try connection.integer("SELECT count(*) FROM sqlite_schema") == 1,
            try connection.text("SELECT sql FROM sqlite_schema") == schema
        else { throw .corrupt("its table is not that of format \(version)") }
    }
}
