import EventHTTP
import Glibc
import Synchronization
import Testing

/// Accepts one connection, reads the request's first bytes, sends pieces, and closes.
final class CannedServer {
    let port: UInt16
    private let listener: Int32
    private let thread: LoopThread
    private let heard: Heard
    private let path: String?

    private final class Heard: Sendable {
        let text = Mutex("")
    }

    /// Listens on a port of loopback, or on the unix socket `path`.
    ///
    /// - Parameter answer: what to send; nil for nothing, with the connection kept open.
    init(_ answer: [String]?, path: String? = nil) throws {
        self.path = path
        (listener, port) = try path.map { (try Self.listen(path: $0), 0) } ?? Self.listenOnLoopback()
        heard = Heard()
        thread = try LoopThread(name: "canned") { [listener, heard] in
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            defer { close(connection) }
            heard.text.withLock { $0 = Self.received(from: connection) }
            guard let answer else {
                // Returns when the client has given up.
                _ = Self.received(from: connection)
                return
            }
            for piece in answer {
                _ = send(connection, piece, piece.utf8.count, Int32(MSG_NOSIGNAL))
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        thread.join()
        close(listener)
        if let path { unlink(path) }
    }

    /// What the client sent; complete once it has its answer.
    var request: String { heard.text.withLock { $0 } }

    private static func received(from connection: Int32) -> String {
        var part = [UInt8](repeating: 0, count: 4_096)
        let count = recv(connection, &part, part.count, 0)
        return String(decoding: part[..<max(0, count)], as: UTF8.self)
    }

    private static func listenOnLoopback() throws -> (Int32, UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        try bind(listener, &address)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &length) }
        }
        try #require(status == 0)
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    private static func listen(path: String) throws -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        unlink(path)
        try bind(listener, &address)
        return listener
    }

    private static func bind<Address>(_ listener: Int32, _ address: inout Address) throws {
        let length = socklen_t(MemoryLayout<Address>.size)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(listener, $0, length) }
        }
        try #require(status == 0 && Glibc.listen(listener, 8) == 0)
    }
}
