import ActivityCore
import Glibc

/// One line of the log: a JSON object with `time`, `level`, `message` and further members, all of them text.
struct LogLine {
    /// The longest line. A pipe takes as much in one piece, and says beforehand whether it will (`PIPE_BUF`, pipe(7)).
    static let longest = 4096
    /// What an ellipsis, a quote, the brace and the line's end need.
    private static let reserve = 6

    /// The line, with its LF.
    private(set) var bytes: [UInt8] = []

    /// A line that tells `dropped`, if that is not 0. Text beyond the longest line is cut, members beyond it left out.
    init(
        time: Timestamp, level: LogLevel, message: String, members: KeyValuePairs<String, String>,
        dropped: Int
    ) {
        bytes.reserveCapacity(256)
        bytes += "{\"time\":\"\(Self.text(of: time))\",\"level\":\"\(level.rawValue)\"".utf8
        if dropped > 0 { bytes += ",\"dropped\":\"\(dropped)\"".utf8 }
        append("message", message)
        for (name, value) in members { append(name, value) }
        bytes += "}\n".utf8
    }

    /// Writes the line, unless `descriptor` would make us wait for it. True when it was written.
    func write(to descriptor: Int32) -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // Only that: a pipe whose reader is gone has an error too, and a write to it would be the end of the process.
        guard poll(&poller, 1, 0) == 1, poller.revents == Int16(POLLOUT) else { return false }
        while true {
            let count = Glibc.write(descriptor, bytes, bytes.count)
            if count >= 0 { return true }
            guard errno == EINTR else { return false }
        }
    }

    private mutating func append(_ name: String, _ value: String) {
        guard bytes.count + name.utf8.count + Self.reserve + 8 <= Self.longest else { return }
        bytes += ",\"\(name)\":\"".utf8
        for scalar in value.unicodeScalars {
            let escaped = Self.escaped(scalar)
            guard bytes.count + escaped.utf8.count + Self.reserve <= Self.longest else {
                bytes += "…".utf8
                break
            }
            bytes += escaped.utf8
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// As RFC 8259, section 7, has it; also what would move a terminal's cursor, colour its text or turn it around.
    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x22: return "\\\""
        case 0x5c: return "\\\\"
        case 0x0a: return "\\n"
        case 0..<0x20, 0x7f...0x9f, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(scalar)
        }
    }

    /// RFC 3339 in UTC with milliseconds.
    private static func text(of time: Timestamp) -> String {
        var seconds = time_t(time.milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let length = strftime(&text, text.count, "%Y-%m-%dT%H:%M:%S.", &parts)
        let digits = String(1_000 + time.milliseconds % 1_000).dropFirst()
        return String(decoding: text[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self) + digits + "Z"
    }
}
