import Glibc
import HTTPCodec

@testable import EventHTTP

/// A blocking socket that gives up after 10 s, so that a test that waits in vain fails.
final class TestClient {
    enum Failure: Error, Equatable {
        case connect(Int32)
        case send(Int32)
        case receive(Int32)
        /// The server closed where more was expected; what had come until then.
        case ended(String)
    }

    let descriptor: Descriptor
    private(set) var buffer: [UInt8] = []

    /// `receiveBuffer`: the size of the kernel's, to see back pressure early; 0 is the system's default.
    init(_ address: ListenAddress, receiveBuffer: Int32 = 0) throws {
        let (family, endpoint, port) = try Self.endpoint(address)
        descriptor = Descriptor(socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(descriptor.number, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        setsockopt(descriptor.number, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        if receiveBuffer > 0 {
            var bytes = receiveBuffer
            setsockopt(descriptor.number, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        guard endpoint.with(port: port, { connect(descriptor.number, $0, $1) }) == 0 else {
            throw Failure.connect(errno)
        }
    }

    private static func endpoint(_ address: ListenAddress) throws -> (Int32, SocketAddress, UInt16) {
        switch address {
        case .unix(let path):
            guard let endpoint = SocketAddress(path: path) else { throw Failure.connect(ENAMETOOLONG) }
            return (AF_UNIX, endpoint, 0)
        case .tcp(let host, let port):
            let endpoint = try SocketAddress.resolve(host: host)[0]
            return (endpoint.family, endpoint, port)
        }
    }

    func send(_ text: String) throws { try send(bytes: Array(text.utf8)) }

    func send(bytes: [UInt8]) throws { try Self.send(bytes, to: descriptor) }

    static func send(_ bytes: [UInt8], to descriptor: Descriptor) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.send(errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends no more (FIN), but goes on reading.
    func finishSending() { shutdown(descriptor.number, Int32(SHUT_WR)) }

    /// Disappears with a reset.
    func reset() { Self.reset(descriptor) }

    static func reset(_ descriptor: Descriptor) {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor.number, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        // The number stays taken until the descriptor is freed: it becomes a socket without a connection.
        let fresh = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        dup2(fresh, descriptor.number)
        close(fresh)
    }

    /// Reads what has come, at least one byte; false at the end of the stream.
    func receive() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor.number, &chunk, chunk.count, 0)
        guard count >= 0 else { throw Failure.receive(errno) }
        buffer.append(contentsOf: chunk[..<count])
        return count > 0
    }

    /// Reads to the end of the stream, ends our side, too, and takes all.
    func readToEnd() throws -> String {
        while try receive() {}
        finishSending()
        return take(buffer.count)
    }

    /// Reads until `text` has come, and takes everything up to its end.
    func read(through text: String) throws -> String {
        let wanted = Array(text.utf8)
        var searched = 0
        while true {
            if let end = find(wanted, from: searched) { return take(end) }
            searched = max(0, buffer.count - wanted.count)
            guard try receive() else { throw Failure.ended(take(buffer.count)) }
        }
    }

    func read(count: Int) throws -> String {
        while buffer.count < count {
            guard try receive() else { throw Failure.ended(take(buffer.count)) }
        }
        return take(count)
    }

    /// One response with Content-Length (or without a body).
    func response(toHead: Bool = false) throws -> TestResponse {
        let head = try read(through: "\r\n\r\n")
        var response = TestResponse(head: head)
        if let length = response.value(of: "content-length").flatMap({ Int($0) }), !toHead {
            response.body = try read(count: length)
        }
        return response
    }

    private func find(_ wanted: [UInt8], from start: Int) -> Int? {
        guard buffer.count >= wanted.count else { return nil }
        for index in start...(buffer.count - wanted.count)
        where buffer[index] == wanted[0] && buffer[index..<index + wanted.count].elementsEqual(wanted) {
            return index + wanted.count
        }
        return nil
    }

    private func take(_ count: Int) -> String {
        defer { buffer.removeFirst(count) }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

struct TestResponse {
    let head: String
    var body = ""

    var status: Int { Int(head.dropFirst(9).prefix(3)) ?? 0 }

    func value(of name: String) -> String? {
        for line in head.split(separator: "\r\n").dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name else { continue }
            return String(parts[1].drop(while: { $0 == " " }))
        }
        return nil
    }
}
