import CLibevent
import Glibc
import Synchronization

/// A socket that listens, for one loop. Connections wait in its queue until its server starts.
///
/// A value, so that `main` can bind (and fail) before there is any thread.
public struct ListeningSocket: Sendable {
    /// Connections that the kernel keeps until they are accepted (further limited by `net.core.somaxconn`).
    static let backlog: Int32 = 4096

    /// What it is bound to, with the real port.
    public let address: ListenAddress
    let descriptor: Descriptor
    private let use: Use

    /// Listens on `address` for `loops` loops: one array of sockets per loop, one socket in it per address of the host.
    ///
    /// Each array must be given to a server that runs: the kernel spreads connections over all of them.
    ///
    /// A TCP address is bound once without SO_REUSEPORT to find out whether it is free; with that option a second
    /// daemon, started by mistake, would take half of the connections. Several loops then get a socket each with
    /// SO_REUSEPORT. A unix socket is one for all loops.
    /// Throws `.addressInUse`, `.hostNotFound`, `.unusablePath` or `.systemCallFailed`.
    public static func bind(
        _ address: ListenAddress, loops: Int = 1
    ) throws(EventHTTPError) -> [[ListeningSocket]] {
        precondition(loops > 0, "a server needs at least one loop")
        switch address {
        case .unix(let path):
            let socket = try bindUnix(path, loops: loops)
            return Array(repeating: [socket], count: loops)
        case .tcp(let host, let port):
            return try bindTCP(host: host, port: port, loops: loops)
        }
    }

    private static func bind(
        _ descriptor: Descriptor, to endpoint: SocketAddress, port: UInt16, _ address: ListenAddress
    ) throws(EventHTTPError) {
        guard endpoint.with(port: port, { Glibc.bind(descriptor.number, $0, $1) }) == 0 else {
            if errno == EADDRINUSE { throw .addressInUse(address) }
            throw .lastError(of: "bind")
        }
    }

    private static func listen(_ descriptor: Descriptor, _ address: ListenAddress) throws(EventHTTPError) {
        guard Glibc.listen(descriptor.number, backlog) == 0 else {
            // With SO_REUSEADDR two sockets may be bound to one address, as long as neither listens.
            if errno == EADDRINUSE { throw .addressInUse(address) }
            throw .lastError(of: "listen")
        }
    }
}

// MARK: - The end

extension ListeningSocket {
    /// The loops that accept from a socket, and its name in the file system, if it has one.
    private final class Use: Sendable {
        let loops: Atomic<Int>
        let path: SocketPath?

        init(loops: Int, path: SocketPath? = nil) {
            self.loops = Atomic(loops)
            self.path = path
        }
    }

    /// One loop accepts no more; each calls this once. With the last one the socket stops listening, whoever still
    /// holds this value, and a unix socket's name is removed.
    func retire() {
        guard use.loops.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        use.path?.remove()
        shutdown(descriptor.number, Int32(SHUT_RDWR))
    }
}

// MARK: - TCP

extension ListeningSocket {
    private static func bindTCP(
        host: String, port: UInt16, loops: Int
    ) throws(EventHTTPError) -> [[ListeningSocket]] {
        var sockets: [[ListeningSocket]] = Array(repeating: [], count: loops)
        var port = port
        var failure: EventHTTPError?
        for endpoint in try SocketAddress.resolve(host: host) {
            do throws(EventHTTPError) {
                let bound = try bindAll(endpoint, host: host, port: port, loops: loops)
                for (loop, socket) in bound.enumerated() { sockets[loop].append(socket) }
                if case .tcp(_, let real) = bound[0].address { port = real }
            } catch .addressInUse(let address) {
                throw .addressInUse(address)
            } catch {
                // `localhost` also has ::1 where IPv6 is switched off: one address of a host is enough.
                failure = error
            }
        }
        if sockets[0].isEmpty, let failure { throw failure }
        return sockets
    }

    private static func bindAll(
        _ endpoint: SocketAddress, host: String, port: UInt16, loops: Int
    ) throws(EventHTTPError) -> [ListeningSocket] {
        // The probe is closed before the others are bound: the kernel puts no socket with SO_REUSEPORT beside one
        // without. A port that the system chooses (0) is nobody else's and needs no probe.
        if loops > 1, port != 0 { _ = try bindOne(endpoint, host: host, port: port, sharesPort: false) }
        var sockets: [ListeningSocket] = []
        var port = port
        for _ in 0..<loops {
            let socket = try bindOne(endpoint, host: host, port: port, sharesPort: loops > 1)
            if case .tcp(_, let real) = socket.address { port = real }
            sockets.append(socket)
        }
        return sockets
    }

    private static func bindOne(
        _ endpoint: SocketAddress, host: String, port: UInt16, sharesPort: Bool
    ) throws(EventHTTPError) -> ListeningSocket {
        let descriptor = try newSocket(endpoint.family)
        let number = descriptor.number
        try set(SOL_SOCKET, SO_REUSEADDR, 1, on: number)
        if sharesPort { try set(SOL_SOCKET, SO_REUSEPORT, 1, on: number) }
        // `[::]` serves IPv4, too, whatever the system's default is; but `::1` does not, and needs no exception.
        if endpoint.family == AF_INET6 { try set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0, on: number) }
        try setTransportOptions(on: number)
        try bind(descriptor, to: endpoint, port: port, .tcp(host: host, port: port))
        let real = SocketAddress.port(of: number)
        try listen(descriptor, .tcp(host: host, port: real))
        return ListeningSocket(
            address: .tcp(host: host, port: real), descriptor: descriptor, use: Use(loops: 1))
    }

    /// Accepted sockets inherit all of these from the one that listens, so they cost nothing per connection.
    private static func setTransportOptions(on number: Int32) throws(EventHTTPError) {
        let tcp = Int32(IPPROTO_TCP)
        try set(tcp, TCP_NODELAY, 1, on: number)
        try set(SOL_SOCKET, SO_KEEPALIVE, 1, on: number)
        // A client whose cable was pulled is given up 25 s after the first byte that it does not acknowledge.
        try set(tcp, TCP_USER_TIMEOUT, 25_000, on: number)
        // What the kernel holds beyond this is state that grows old; ours can still be replaced by a newer one.
        try set(tcp, TCP_NOTSENT_LOWAT, 16 * 1024, on: number)
    }
}

// MARK: - Unix sockets

/// The name of a unix socket, and which file it was when it was bound.
private struct SocketPath: Sendable {
    let path: String
    let device: UInt
    let number: UInt

    init(_ path: String) {
        var status = stat()
        lstat(path, &status)
        self.path = path
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
    }

    /// Removes the name, unless another's socket has it by now.
    func remove() {
        let now = SocketPath(path)
        if now.device == device, now.number == number { unlink(path) }
    }
}

extension ListeningSocket {
    private static func bindUnix(_ path: String, loops: Int) throws(EventHTTPError) -> ListeningSocket {
        guard let endpoint = SocketAddress(path: path) else { throw .unusablePath(path) }
        let descriptor = try newSocket(AF_UNIX)
        try removeStale(path, endpoint)
        // Never wider than 0660, not even between bind and chmod; chmod then undoes what the umask took away.
        fchmod(descriptor.number, 0o660)
        try bind(descriptor, to: endpoint, port: 0, .unix(path: path))
        guard chmod(path, 0o660) == 0 else { throw .lastError(of: "chmod") }
        try listen(descriptor, .unix(path: path))
        return ListeningSocket(
            address: .unix(path: path), descriptor: descriptor, use: Use(loops: loops, path: SocketPath(path))
        )
    }

    /// Removes what a daemon left that did not end in order. Nothing but a socket that nobody listens on is removed.
    private static func removeStale(_ path: String, _ endpoint: SocketAddress) throws(EventHTTPError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .unusablePath(path) }
        let probe = try newSocket(AF_UNIX)
        let isAnswered = endpoint.with(port: 0) { connect(probe.number, $0, $1) } == 0
        // EAGAIN: someone listens, and its queue is full.
        if isAnswered || errno != ECONNREFUSED { throw .addressInUse(.unix(path: path)) }
        guard unlink(path) == 0 || errno == ENOENT else { throw .lastError(of: "unlink") }
    }
}

private func newSocket(_ family: Int32) throws(EventHTTPError) -> Descriptor {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(family, kind, 0)
    guard number >= 0 else { throw .lastError(of: "socket") }
    return Descriptor(number)
}

private func set(_ level: Int32, _ option: Int32, _ value: Int32, on number: Int32) throws(EventHTTPError) {
    var value = value
    guard setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
        throw .lastError(of: "setsockopt")
    }
}
