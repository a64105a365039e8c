import EventHTTP
import Glibc

/// A client's connection, every step of which fails once a common deadline has passed.
final class DeadlineSocket {
    private let descriptor: Int32
    /// In nanoseconds of the monotonic clock.
    private let deadline: UInt64

    /// Connects to the first address of a name that answers; nil if none does.
    convenience init?(to address: ListenAddress, deadline: UInt64) {
        switch address {
        case .unix(let path): self.init(path: path, deadline: deadline)
        case .tcp(let host, let port): self.init(host: host, port: port, deadline: deadline)
        }
    }

    deinit { close(descriptor) }

    private init(descriptor: Int32, deadline: UInt64) {
        self.descriptor = descriptor
        self.deadline = deadline
    }

    private convenience init?(host: String, port: UInt16, deadline: UInt64) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var next = list
        while let entry = next?.pointee {
            if let descriptor = Self.connected(
                entry.ai_family, entry.ai_addr, entry.ai_addrlen, deadline: deadline)
            {
                self.init(descriptor: descriptor, deadline: deadline)
                return
            }
            next = entry.ai_next
        }
        return nil
    }

    private convenience init?(path: String, deadline: UInt64) {
        var address = sockaddr_un()
        guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Self.connected(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size), deadline: deadline)
            }
        }
        guard let descriptor else { return nil }
        self.init(descriptor: descriptor, deadline: deadline)
    }

    /// Sends all of `bytes`.
    func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else {
                guard errno == EAGAIN, Self.waits(descriptor, POLLOUT, until: deadline) else { return false }
            }
        }
        return true
    }

    /// The next `count` bytes, or what arrives before the end or the deadline.
    func receive(_ count: Int) -> [UInt8] {
        var received: [UInt8] = []
        var part = [UInt8](repeating: 0, count: count)
        while received.count < count {
            guard Self.waits(descriptor, POLLIN, until: deadline) else { break }
            let arrived = recv(descriptor, &part, count - received.count, 0)
            if arrived < 0, errno == EAGAIN { continue }
            guard arrived > 0 else { break }
            received += part[..<arrived]
        }
        return received
    }

    private static func connected(
        _ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t, deadline: UInt64
    ) -> Int32? {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { return nil }
        if connect(descriptor, address, length) == 0 { return descriptor }
        var failure: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard errno == EINPROGRESS, waits(descriptor, POLLOUT, until: deadline),
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size) == 0, failure == 0
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// False when `deadline` passes first.
    private static func waits(_ descriptor: Int32, _ events: Int32, until deadline: UInt64) -> Bool {
        while true {
            let now = Clock.monotonic()
            guard now < deadline else { return false }
            var poller = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let ready = poll(&poller, 1, Int32((deadline - now) / 1_000_000) + 1)
            if ready > 0 { return true }
            guard ready == 0 || errno == EINTR else { return false }
        }
    }
}
