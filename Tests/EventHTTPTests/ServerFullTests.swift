import Glibc
import Testing

@testable import EventHTTP

@Suite struct ServerFullTests {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func tellsThoseBeyondTheCapacityAndClosesThem() throws {
        let server = try TestServer(budget: ConnectionBudget(capacity: 2, courtesy: 1))
        let first = try server.client()
        let second = try server.client()
        try server.wait { $1.connectionCount == 2 }
        let third = try server.client()
        try third.send(get + get)
        let refusal = try third.response()
        #expect(refusal.status == 503)
        #expect(refusal.value(of: "connection") == "close")
        #expect(try third.readToEnd() == "")
        for client in [first, second] {
            try client.send(get)
            #expect(try client.response().body == "hello")
        }
    }

    @Test func leavesTheRestInTheQueueUntilThereIsRoom() throws {
        let server = try TestServer(budget: ConnectionBudget(capacity: 1, courtesy: 0))
        var first: TestClient? = try server.client()
        try server.wait { $1.connectionCount == 1 }
        let second = try server.client()
        try second.send(get)
        let lines = try server.wait(for: "a line in the log") { if case .logged = $0 { true } else { false } }
        #expect(lines.count == 1)
        // Nobody is refused, the processor rests, and the log has one line in ten seconds.
        #expect(try turnsWhileNothingHappens(server) < 100)
        #expect(server.rest() == [])
        _ = first.take()
        first = nil
        #expect(try second.response().body == "hello")
    }

    @Test func aConnectionOutOfCourtesyHasToMakeHaste() throws {
        let server = try TestServer(budget: ConnectionBudget(capacity: 0, courtesy: 1)) {
            $0.headDeadline = .milliseconds(50)
        }
        #expect(try server.client().response().status == 408)
    }

    @Test func countsOverAllLoopsAndForgetsWhatIsClosed() throws {
        let budget = ConnectionBudget(capacity: 100, courtesy: 0)
        let server = try TestServer(loops: 3, budget: budget)
        let clients = try (0..<30).map { _ in try server.client() }
        for client in clients {
            try client.send(get + "BREW / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try client.readToEnd()
        }
        try server.wait { _, _ in budget.connections == 0 }
    }

    @Test func leavesAReserveForFiles() {
        #expect(ConnectionBudget(fileLimit: 20_000).capacity == 19_936)
        #expect(ConnectionBudget(fileLimit: 20_000).courtesy == 32)
        #expect(ConnectionBudget(fileLimit: 64).capacity == 48)
        #expect(ConnectionBudget(fileLimit: 64).courtesy == 8)
    }

    /// The loop's thread gets a table of descriptors of its own and fills it, so that nobody else is short of them.
    @Test func withoutDescriptorsItRestsAndTellsOneClientAtATime() throws {
        let server = try TestServer()
        let open = try server.client()
        try open.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait(for: .opened)
        let filled = try server.ask { fillDescriptorTable($1) }
        try #require(!filled.isEmpty)
        // Made here: these are the test's descriptors, not the loop's.
        let clients = try (0..<4).map { _ in try server.client() }
        for client in clients { try client.send(get) }
        // The first is answered from the spare descriptor.
        #expect(try clients[0].response().status == 503)
        try server.wait(for: "a line in the log") { if case .logged = $0 { true } else { false } }
        #expect(try turnsWhileNothingHappens(server) < 200)
        // What is open goes on.
        server.run { handler, _ in handler.send("data: 2\n\n") }
        _ = try open.read(through: "data: 2\n\n")
        _ = try server.ask { _, _ in for number in filled { close(number) } }
        let statuses = try clients.dropFirst().map { try $0.response().status }
        #expect(statuses.last == 200)
        try server.wait { $1.listeners[0].spare != nil }
        #expect(server.rest().filter { if case .logged = $0 { true } else { false } } == [])
    }
}

/// Gives this thread a descriptor table of its own, and takes all that is left in it. The test's own sockets and those
/// of other tests are not in it, since a socket in two tables is not closed by closing it in one.
private func fillDescriptorTable(_ server: HTTPServer) -> [Int32] {
    typealias Unshare = @convention(c) (Int32) -> Int32
    guard let symbol = dlsym(nil, "unshare") else { return [] }
    let cloneFiles: Int32 = 0x400
    guard unsafeBitCast(symbol, to: Unshare.self)(cloneFiles) == 0 else { return [] }
    let own = Set(
        server.connections.compactMap { $0?.descriptor } + server.listeners.map(\.socket.descriptor.number))
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    for number in 3..<Int32(clamping: limit.rlim_cur) where !own.contains(number) {
        var status = stat()
        if fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK { close(number) }
    }
    var taken: [Int32] = []
    while true {
        let number = dup(0)
        if number < 0 { return taken }
        taken.append(number)
    }
}
