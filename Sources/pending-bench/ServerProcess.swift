import CLinux
import Glibc

/// A server under measurement: a child process pinned to core 0, and what the kernel says that it has used.
final class ServerProcess {
    private static let serverCore: UInt32 = 0

    let pid: pid_t
    private var clock = clockid_t()
    private var isRunning = true

    /// Starts `path`; what it says on stderr goes to the file `log`.
    init(_ path: String, _ arguments: [String], log: String) throws(BenchError) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        // The child inherits where its parent may run.
        Self.pin(to: Self.serverCore)
        defer { Self.pinLoad() }
        var pid = pid_t()
        let failure = posix_spawn(&pid, path, &actions, nil, words, environ)
        guard failure == 0 else { throw .system(path, failure) }
        self.pid = pid
        clock_getcpuclockid(pid, &clock)
    }

    deinit { kill() }

    /// User and system time of all its threads, in nanoseconds.
    var cpuTime: UInt64 { Clock.read(clock) ?? 0 }

    /// Resident memory in KiB.
    var residentSize: Double {
        let page = Double(sysconf(Int32(_SC_PAGESIZE))) / 1024
        let words = (try? TextFile.read("/proc/\(pid)/statm"))?.split(separator: " ") ?? []
        return words.count > 1 ? (Double(words[1]) ?? 0) * page : 0
    }

    /// Asks it to end, and waits until it has.
    func stop() { end(with: SIGTERM) }

    /// Ends it on the spot.
    func kill() { end(with: SIGKILL) }

    /// False once it has ended by itself.
    func isAlive() -> Bool {
        guard isRunning, waitpid(pid, nil, WNOHANG) == pid else { return isRunning }
        isRunning = false
        return false
    }

    private func end(with signal: Int32) {
        guard isRunning else { return }
        isRunning = false
        Glibc.kill(pid, signal)
        while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    }

    /// Pins this process to the core for the load: the one beside the server's, if there is one.
    static func pinLoad() { pin(to: sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1 ? serverCore + 1 : serverCore) }

    private static func pin(to core: UInt32) { _ = pin_this_thread(core) }
}
