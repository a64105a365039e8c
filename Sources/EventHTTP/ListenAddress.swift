/// Where a server listens, such as `127.0.0.1:8080`, `[::1]:8080`, `localhost:0` or `unix:/run/pending.sock`.
public enum ListenAddress: Hashable, Sendable {
    /// A host (a name or an IP literal without brackets) and a port; port 0 lets the system choose.
    case tcp(host: String, port: UInt16)
    /// The path of a unix socket.
    case unix(path: String)

    /// Nil unless `text` is `host:port`, `[IPv6]:port` or `unix:PATH`.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            return nil
        }
        guard let host = Self.host(in: text[..<colon]) else { return nil }
        self = .tcp(host: host, port: port)
    }

    private static func host(in text: Substring) -> String? {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let host = isBracketed ? text.dropFirst().dropLast() : text
        let isPlain =
            !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x5b && $0 != 0x5d && $0 != 0x7f }
        guard isPlain, host.utf8.contains(0x3a) == isBracketed else { return nil }
        return String(host)
    }

    /// True if only this machine can reach it: 127.0.0.0/8, ::1, `localhost`, a unix socket.
    public var isLoopback: Bool {
        switch self {
        case .unix: return true
        case .tcp("localhost", _), .tcp("::1", _): return true
        case .tcp(let host, _):
            let octets = host.split(separator: ".", omittingEmptySubsequences: false)
            return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
        }
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The text that `init` reads.
    public var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
}
