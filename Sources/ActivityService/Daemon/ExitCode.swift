/// What a process tells whoever started it; the numbers of `sysexits.h`.
public enum ExitCode: Int32, Sendable {
    /// A flag or an environment variable is wrong.
    case usage = 64
    /// An address is in use.
    case unavailable = 69
    /// The system refused what every program needs.
    case system = 71
    /// The journal is newer, damaged, locked, or cannot be used.
    case journal = 74
    /// A file of settings has a fault.
    case configuration = 78
}
