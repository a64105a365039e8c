import Glibc

/// A connected socket to loopback. Closed with a reset, so that no port waits for stray segments.
final class Socket {
    let descriptor: Int32

    /// - Parameter isBlocking: false for one whose connection is still to be awaited.
    init(port: UInt16, isBlocking: Bool = true, receiveBuffer: Int32? = nil) throws(BenchError) {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_INET, kind | (isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)), 0)
        guard descriptor >= 0 else { throw .last("socket") }
        set(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        set(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
        if let receiveBuffer { set(SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 || (!isBlocking && errno == EINPROGRESS) else { throw .last("connect") }
    }

    deinit { close(descriptor) }

    private func set<Value: BitwiseCopyable>(_ level: Int32, _ option: Int32, _ value: Value) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    /// Sends all of `bytes`, waiting for room only on a blocking socket. False when it could not.
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
            == bytes.count
    }

    /// Receives what is there; 0 at the end, below 0 for nothing or an error.
    func receive(into buffer: UnsafeMutableRawBufferPointer, isWaiting: Bool) -> Int {
        recv(descriptor, buffer.baseAddress, buffer.count, isWaiting ? 0 : Int32(MSG_DONTWAIT))
    }
}

/// Requests one after the other on one connection.
final class Client {
    let socket: Socket
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var received = 0

    init(port: UInt16) throws(BenchError) { socket = try Socket(port: port) }

    deinit { buffer.deallocate() }

    /// Sends `request` and waits for its answer.
    func answer(to request: [UInt8]) throws(BenchError) -> (status: Int, text: String) {
        guard socket.send(request) else { throw .last("send") }
        while true {
            if let answer = try take(isWaiting: true) { return answer }
        }
    }

    /// Waits for the answer to `request`, and throws unless its status is one of `statuses`.
    @discardableResult func expect(
        _ statuses: ClosedRange<Int>, _ request: [UInt8]
    ) throws(BenchError) -> String {
        let answer = try answer(to: request)
        guard statuses.contains(answer.status) else { throw .daemon("unexpected answer: \(answer.text)") }
        return answer.text
    }

    /// The next answer, if all of it has arrived; with `isWaiting` it waits for more, once.
    func take(isWaiting: Bool) throws(BenchError) -> (status: Int, text: String)? {
        if let answer = takeBuffered() { return answer }
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[received...])
        let count = socket.receive(into: room, isWaiting: isWaiting)
        guard count > 0 else {
            if count < 0, errno == EAGAIN { return nil }
            throw .daemon("the connection was closed")
        }
        received += count
        return takeBuffered()
    }

    private func takeBuffered() -> (status: Int, text: String)? {
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<received])
        guard let answer = AnswerHead(of: bytes), answer.size <= received else { return nil }
        let text = String(decoding: bytes[..<answer.size], as: UTF8.self)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[answer.size...]))
        received -= answer.size
        return (answer.status, text)
    }
}

/// Status and size of an answer whose head has arrived. Reads only what this service and nginx send.
struct AnswerHead {
    let status: Int
    /// Bytes of head and body.
    let size: Int

    init?(of bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 16, let base = bytes.baseAddress else { return nil }
        var length = 0
        var at = 0
        while let line = memchr(base + at, 10, bytes.count - at) {
            let next = UnsafeRawPointer(line) - base + 1
            if next - at == 2 {
                status = (9..<12).reduce(0) { $0 * 10 + Int(bytes[$1]) - 48 }
                size = next + length
                return
            }
            if next - at > 17, bytes[at + 7] == UInt8(ascii: "-"), bytes[at + 14] == UInt8(ascii: ":"),
                bytes[at + 8] | 0x20 == UInt8(ascii: "l")
            {
                length = bytes[(at + 16)..<(next - 2)].reduce(0) { $0 * 10 + Int($1) - 48 }
            }
            at = next
        }
        return nil
    }
}
