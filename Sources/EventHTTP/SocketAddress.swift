import CLibevent
import Glibc

/// A socket address of any family.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length: socklen_t = 0

    var family: Int32 { Int32(storage.ss_family) }

    /// The address of a unix socket; nil if `path` does not fit into one (107 bytes).
    init?(path: String) {
        var address = sockaddr_un()
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        withUnsafeBytes(of: &address) { from in
            withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: from) }
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
    }

    private init(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(length))
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: bytes) }
        self.length = length
    }

    /// All addresses of a name or IP literal on which one can listen, in the resolver's order, at least one.
    static func resolve(host: String) throws(EventHTTPError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(host, nil, &hints, &list)
        guard failure == 0 else {
            throw .hostNotFound(host: host, reason: String(cString: gai_strerror(failure)))
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr {
                found.append(SocketAddress(copying: address, length: entry.ai_addrlen))
            }
            next = entry.ai_next
        }
        return found
    }

    /// The port that a bound socket has; 0 if it has none.
    static func port(of number: Int32) -> UInt16 {
        var address = SocketAddress()
        address.length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let answer = withUnsafeMutableBytes(of: &address.storage) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return Int32(-1)
            }
            return getsockname(number, pointer, &address.length)
        }
        guard answer == 0 else { return 0 }
        return address.port
    }

    private init() {}

    /// Calls `body` with the address and this port (ignored by unix sockets).
    func with<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var copy = self
        copy.port = port
        return withUnsafePointer(to: copy.storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// sin_port and sin6_port are at the same offset (2), in network byte order.
    private var port: UInt16 {
        get {
            guard family == AF_INET || family == AF_INET6 else { return 0 }
            return withUnsafeBytes(of: storage) { UInt16($0[2]) << 8 | UInt16($0[3]) }
        }
        set {
            guard family == AF_INET || family == AF_INET6 else { return }
            withUnsafeMutableBytes(of: &storage) {
                $0[2] = UInt8(newValue >> 8)
                $0[3] = UInt8(newValue & 0xff)
            }
        }
    }
}
