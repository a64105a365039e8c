import Glibc
import Testing

@testable import EventHTTP

@Suite struct ListeningTests {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test(arguments: [1, 3])
    func anAddressInUseIsAnError(loops: Int) throws {
        let server = try TestServer(loops: loops)
        for others in [1, 2] {
            #expect(throws: EventHTTPError.addressInUse(server.address)) {
                _ = try ListeningSocket.bind(server.address, loops: others)
            }
        }
    }

    @Test func anAddressIsFreeAgainAtOnce() throws {
        var server: TestServer? = try TestServer(loops: 2)
        let address = try #require(server).address
        let client = try TestClient(address)
        try client.send(get)
        _ = try client.response()
        server = nil
        let next = try TestServer(address, loops: 2)
        #expect(next.address == address)
        let again = try TestClient(address)
        try again.send(get)
        #expect(try again.response().body == "hello")
    }

    @Test func allLoopsOfAServerSharePortZeroAndAccept() throws {
        let budget = ConnectionBudget(capacity: 1000, courtesy: 0)
        let server = try TestServer(loops: 3, budget: budget)
        let clients = try (0..<200).map { _ in try server.client() }
        for client in clients { try client.send(get) }
        for client in clients { #expect(try client.response().body == "hello") }
        // The kernel spreads them by a hash: that one of three loops got all of 200 does not happen.
        let own = try server.ask { $1.connectionCount }
        #expect(own < 200)
        #expect(budget.connections == 200)
    }

    @Test func acceptedSocketsInheritTheOptions() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(get)
        _ = try client.response()
        let options = try server.ask { _, server in
            let number = server.connections.compactMap { $0?.descriptor }[0]
            let tcp = Int32(IPPROTO_TCP)
            return [
                option(number, tcp, TCP_NODELAY), option(number, SOL_SOCKET, SO_KEEPALIVE),
                option(number, tcp, TCP_USER_TIMEOUT), option(number, tcp, TCP_NOTSENT_LOWAT),
                fcntl(number, F_GETFD) & FD_CLOEXEC, fcntl(number, F_GETFL) & O_NONBLOCK,
            ]
        }
        #expect(options == [1, 1, 25_000, 16_384, FD_CLOEXEC, O_NONBLOCK])
    }

    @Test func servesIPv6() throws {
        let server: TestServer
        do {
            server = try TestServer(.tcp(host: "::1", port: 0))
        } catch EventHTTPError.systemCallFailed(_, let errno)
            where errno == EADDRNOTAVAIL || errno == EAFNOSUPPORT
        {
            return  // This machine has no IPv6.
        }
        let client = try server.client()
        try client.send(get)
        #expect(try client.response().body == "hello")
    }

    @Test func servesAllAddressesOfAName() throws {
        let server = try TestServer(.tcp(host: "localhost", port: 0))
        guard case .tcp(_, let port) = server.address else { return }
        let client = try TestClient(.tcp(host: "127.0.0.1", port: port))
        try client.send(get)
        #expect(try client.response().body == "hello")
    }

    @Test func servesAUnixSocketOnSeveralLoopsAndRemovesIt() throws {
        let path = "/tmp/eventhttp-\(getpid())-\(UInt64.random(in: .min ... .max)).sock"
        var server: TestServer? = try TestServer(.unix(path: path), loops: 2)
        for _ in 0..<20 {
            let client = try TestClient(.unix(path: path))
            try client.send(get + "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try client.response().body == "hello")
            _ = try client.read(through: "first")
        }
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o660)
        #expect(throws: EventHTTPError.addressInUse(.unix(path: path))) {
            _ = try ListeningSocket.bind(.unix(path: path))
        }
        server = nil
        #expect(server == nil)
        #expect(lstat(path, &status) == -1)
    }

    @Test func removesAStaleUnixSocketAndNothingElse() throws {
        let path = "/tmp/eventhttp-\(getpid())-\(UInt64.random(in: .min ... .max)).sock"
        defer { unlink(path) }
        // Left by a process that did not end in order.
        let left = Descriptor(socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        let endpoint = try #require(SocketAddress(path: path))
        #expect(endpoint.with(port: 0) { bind(left.number, $0, $1) } == 0)
        let sockets = try ListeningSocket.bind(.unix(path: path))
        #expect(sockets[0][0].address == .unix(path: path))
        let file = path + ".txt"
        defer { unlink(file) }
        close(creat(file, 0o600))
        #expect(throws: EventHTTPError.unusablePath(file)) { _ = try ListeningSocket.bind(.unix(path: file)) }
        #expect(access(file, F_OK) == 0)
        let long = "/tmp/" + String(repeating: "a", count: 200)
        #expect(throws: EventHTTPError.unusablePath(long)) { _ = try ListeningSocket.bind(.unix(path: long)) }
    }

    @Test func aHostThatIsNotOursIsAnError() throws {
        #expect(throws: EventHTTPError.systemCallFailed(name: "bind", errno: EADDRNOTAVAIL)) {
            _ = try ListeningSocket.bind(.tcp(host: "192.0.2.1", port: 0))
        }
    }
}

private func option(_ number: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(number, level, name, &value, &size)
    return value
}

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", ListenAddress.tcp(host: "127.0.0.1", port: 8080)),
        ("[::1]:0", .tcp(host: "::1", port: 0)),
        ("localhost:65535", .tcp(host: "localhost", port: 65535)),
        ("unix:/run/pending.sock", .unix(path: "/run/pending.sock")),
    ])
    func readsWhatItWrites(text: String, address: ListenAddress) {
        #expect(ListenAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "8080", ":8080", "a:", "a:65536", "a:-1", "a:+1", "::1:80", "[]:80", "[a]:80", "a b:80", "unix:",
        "[::1:80",
        "unix:/a\0b",
    ])
    func refusesOtherTexts(text: String) { #expect(ListenAddress(text) == nil) }

    @Test func knowsWhoCanReachIt() {
        for text in ["127.0.0.1:1", "127.255.0.9:1", "[::1]:1", "localhost:1", "unix:/a"] {
            #expect(ListenAddress(text)?.isLoopback == true)
        }
        for text in [
            "0.0.0.0:1", "[::]:1", "10.0.0.1:1", "127.0.0.1.example:1", "127.1.example.com:1", "128.0.0.1:1",
        ] {
            #expect(ListenAddress(text)?.isLoopback == false)
        }
    }
}
