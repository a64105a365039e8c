import Glibc

/// The file of a journal and the log beside it, as the file system sees them.
///
/// Nothing here opens an existing file: closing it again would drop the locks that SQLite holds on it in this
/// process (https://www.sqlite.org/howtocorrupt.html, 2.2).
struct JournalFile {
    /// The path for SQLite, without links and without a special meaning.
    let path: String
    /// Whether the file ends within a page, and no log of an interrupted write can make it whole: SQLite would read on
    /// in zeros.
    let isCutOff: Bool
    private var logPath: String { path + "-wal" }

    /// Finds out that `path` is or can become a journal, and creates an empty file (mode 0600) if nothing is there.
    init(path: String) throws(JournalError) {
        guard !path.isEmpty else { throw .failed("its path is empty") }
        guard !path.utf8.contains(0) else { throw .failed("its path contains a NUL") }
        let path = Self.resolved(path)
        // The log first: once another process has written one, the file is no longer empty.
        let logSize = Self.status(of: path + "-wal")?.st_size ?? 0
        let file = try Self.existingOrNew(path)
        guard file.st_mode & S_IFMT == S_IFREG else {
            throw .failed(file.st_mode & S_IFMT == S_IFDIR ? "it is a directory" : "it is not a regular file")
        }
        // SQLite would delete the log without a word.
        guard file.st_size > 0 || logSize == 0 else {
            throw .corrupt("the file is empty, but its log (-wal) holds entries")
        }
        self.path = path
        isCutOff =
            Int(file.st_size) % JournalFormat.pageSize != 0 && logSize == 0
            && Self.status(of: path + "-journal") == nil
    }

    /// Lets nobody but the owner read or write the file and its log. SQLite gives later logs the file's mode.
    func restrict() throws(JournalError) {
        for path in [path, logPath] {
            guard let file = Self.status(of: path), file.st_mode & 0o777 != 0o600 else { continue }
            guard chmod(path, 0o600) == 0 else {
                throw .failed("its mode cannot be made 0600: \(Self.reason())")
            }
        }
    }

    /// Whether nothing was ever written to the file.
    var isEmpty: Bool { Self.status(of: path)?.st_size == 0 }

    /// How many bytes the file and its log have.
    var byteCount: Int64 {
        Int64(Self.status(of: path)?.st_size ?? 0) + Int64(Self.status(of: logPath)?.st_size ?? 0)
    }

    /// What the paths of the file and its log lead to now. A file that was emptied is not the one it was.
    var identity: Identity {
        Identity(
            file: Self.status(of: path).flatMap { $0.st_size > 0 ? Identity.Node($0) : nil },
            log: Self.status(of: logPath).map(Identity.Node.init))
    }

    /// Which files the file and its log are, whatever they are called.
    struct Identity: Equatable {
        struct Node: Equatable {
            let device: UInt
            let number: UInt
            init(_ status: stat) {
                device = UInt(status.st_dev)
                number = UInt(status.st_ino)
            }
        }
        let file: Node?
        let log: Node?
    }

    /// The log of a journal lies beside the file itself, not beside a link to it.
    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else {
            // Nothing is there yet. ":memory:" and "file:x?mode=memory" would be databases that forget.
            return path.utf8.first == UInt8(ascii: "/") ? path : "./" + path
        }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func existingOrNew(_ path: String) throws(JournalError) -> stat {
        if let file = Self.status(of: path) { return file }
        guard errno == ENOENT else { throw .failed(Self.reason()) }
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        // Another process may have been faster; which of the two gets the lock is seen later.
        guard descriptor >= 0 || errno == EEXIST else {
            throw .failed("it cannot be created: \(Self.reason())")
        }
        if descriptor >= 0 { close(descriptor) }
        guard let file = Self.status(of: path) else {
            throw .failed("it cannot be created: \(Self.reason())")
        }
        return file
    }

    private static func status(of path: String) -> stat? {
        var file = stat()
        return stat(path, &file) == 0 ? file : nil
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
