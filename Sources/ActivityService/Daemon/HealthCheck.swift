import EventHTTP
import Glibc
import HTTPCodec

/// One question to a running daemon: is it well?
public struct HealthCheck: Hashable, Sendable {
    private let address: ListenAddress
    /// The value of `Host`.
    private let authority: String
    private let target: String

    /// Nil unless `url` is `http://HOST[:PORT][/PATH]` or `unix:PATH`. Without a path of its own it asks for `/healthz`.
    public init?(_ url: String) {
        guard url.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        if url.hasPrefix("unix:") {
            guard let address = ListenAddress(url) else { return nil }
            self.init(address: address, authority: "localhost", target: "/healthz")
            return
        }
        guard url.hasPrefix("http://") else { return nil }
        let rest = url.dropFirst(7)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = String(rest[..<slash])
        guard let host = HostField(Array(authority.utf8)[...]) else { return nil }
        let bare = authority.utf8.prefix(host.host.count)
        guard let name = String(bare), let address = ListenAddress("\(name):\(host.port ?? 80)") else {
            return nil
        }
        let path = String(rest[slash...])
        self.init(address: address, authority: authority, target: path.isEmpty ? "/healthz" : path)
    }

    private init(address: ListenAddress, authority: String, target: String) {
        self.address = address
        self.authority = authority
        self.target = target
    }

    /// Asks, and waits so long at most (name servers excepted). True when the answer's status is 2xx.
    public func isPassed(within patience: Duration = .seconds(3)) -> Bool {
        let deadline = Clock.monotonic() + UInt64(patience / .nanoseconds(1))
        guard let connection = DeadlineSocket(to: address, deadline: deadline) else { return false }
        let request = "GET \(target) HTTP/1.1\r\nHost: \(authority)\r\nConnection: close\r\n\r\n"
        guard connection.send(Array(request.utf8)) else { return false }
        // "HTTP/1.1 200": nothing after it matters.
        let start = connection.receive(12)
        return start.count == 12 && start.starts(with: "HTTP/1.".utf8)
            && start.dropFirst(8).starts(with: " 2".utf8)
    }
}
