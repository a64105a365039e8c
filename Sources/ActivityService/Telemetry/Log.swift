import Glibc
import Synchronization

/// How much a log line matters.
public enum LogLevel: String, CaseIterable, Comparable, Sendable {
    /// What a healthy daemon does.
    case info
    /// What the operator should look at some day.
    case warning
    /// What the operator should look at now.
    case error

    private var rank: Int {
        switch self {
        case .info: 0
        case .warning: 1
        case .error: 2
        }
    }

    /// Orders by urgency.
    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }
}

/// Writes one JSON object per line, by default to stderr. Any thread may write; lines never mix.
///
/// A line takes one `write` of at most 4 096 bytes, and waits for nobody: if the reader of a pipe is behind, lines are
/// dropped, and the next one that gets through tells how many.
public final class Log: Sendable {
    private let lowest: LogLevel
    private let descriptor: Int32
    /// How many lines were dropped since the last one that got through.
    private let dropped = Mutex(0)

    /// A log of the lines of `level` and above, written to `descriptor`, which stays the caller's.
    public init(level: LogLevel = .info, descriptor: Int32 = STDERR_FILENO) {
        lowest = level
        self.descriptor = descriptor
    }

    func info(_ message: String, _ members: KeyValuePairs<String, String> = [:]) {
        write(.info, message, members)
    }

    func warning(_ message: String, _ members: KeyValuePairs<String, String> = [:]) {
        write(.warning, message, members)
    }

    func error(_ message: String, _ members: KeyValuePairs<String, String> = [:]) {
        write(.error, message, members)
    }

    private func write(_ level: LogLevel, _ message: String, _ members: KeyValuePairs<String, String>) {
        guard level >= lowest else { return }
        let time = Clock.now().wall
        dropped.withLock { dropped in
            let line = LogLine(time: time, level: level, message: message, members: members, dropped: dropped)
            dropped = line.write(to: descriptor) ? 0 : dropped + 1
        }
    }
}
