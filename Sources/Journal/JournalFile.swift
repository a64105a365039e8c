import Glibc

/// The file of a journal and the log beside it, as the file system sees them.
///
/// Nothing here opens an existing file: closing it again would drop the locks that SQLite holds on it in this
/// process (https://www.sqlite.org/howtocorrupt.html, 2.2).
struct JournalFile {
    /// The path for SQLite, without links and without a special meaning.
    let path: String
    private var logPath: String { path + "-wal" }

    /// Finds out that `path` is or can become a journal, and creates an empty file (mode 0600) if nothing is there.
    init(path: String) throws(JournalError) {
        guard !path.isEmpty else { throw .failed("its path is empty") }
        guard !path.utf8.contains(0) else { throw .failed("its path contains a NUL") }
        self.path = Self.resolved(path)
        // The log first: once another process has written one, the file is no longer empty.
        let logSize = status(of: logPath)?.st_size ?? 0
        let file = try existingOrNew()
        guard file.st_mode & S_IFMT == S_IFREG else {
            throw .failed(file.st_mode & S_IFMT == S_IFDIR ? "it is a directory" : "it is not a regular file")
        }
        // SQLite would delete the log without a word.
        guard file.st_size > 0 || logSize == 0 else {
            throw .corrupt("the file is empty, but its log (-wal) holds entries")
        }
    }

    /// Lets nobody but the owner read or write the file and its log. SQLite gives later logs the file's mode.
    func restrict() throws(JournalError) {
        for path in [path, logPath] {
            guard let file = status(of: path), file.st_mode & 0o777 != 0o600 else { continue }
            guard chmod(path, 0o600) == 0 else { throw .failed("its mode cannot be made 0600: \(reason())") }
        }
    }

    /// Whether nothing was ever written to the file.
    var isEmpty: Bool { status(of: path)?.st_size == 0 }

    /// How many bytes the file and its log have.
    var byteCount: Int64 {
        Int64(status(of: path)?.st_size ?? 0) + Int64(status(of: logPath)?.st_size ?? 0)
    }

    /// What the paths of the file and its log lead to now.
    var identity: Identity {
        Identity(
            file: status(of: path).map(Identity.Node.init), log: status(of: logPath).map(Identity.Node.init))
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

    private func existingOrNew() throws(JournalError) -> stat {
        if let file = status(of: path) { return file }
        guard errno == ENOENT else { throw .failed(reason()) }
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        // Another process may have been faster; which of the two gets the lock is seen later.
        guard descriptor >= 0 || errno == EEXIST else { throw .failed("it cannot be created: \(reason())") }
        if descriptor >= 0 {
            fchmod(descriptor, 0o600)  // whatever the umask takes away
            close(descriptor)
        }
        guard let file = status(of: path) else { throw .failed("it cannot be created: \(reason())") }
        return file
    }

    private func status(of path: String) -> stat? {
        var file = stat()
        return stat(path, &file) == 0 ? file : nil
    }

    private func reason() -> String { String(cString: strerror(errno)) }
}
