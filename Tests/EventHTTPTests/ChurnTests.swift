import Glibc
import HTTPCodec
import Testing

@testable import EventHTTP

@Suite struct ChurnTests {
    private static let requests = [
        "GET /quiet HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /quiet HTTP/1.0\r\n\r\n",
        "GET /quiet HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
        "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "BREW / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /poll HTTP/1.1\r\nHost: a\r\n\r\n",
        "PUT /write HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
        "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /stream HTTP/1.0\r\n\r\n",
        "GET /last HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /big?300000 HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    /// Clients that do anything in any order: whatever they do, each request and each stream has one end, and nothing
    /// is left.
    @Test(arguments: 0..<4)
    func nothingIsLeftOrToldTwiceWhateverClientsDo(round: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededRandom(seed)
        let budget = ConnectionBudget(capacity: 40, courtesy: 5)
        let server = try TestServer(budget: budget) {
            $0.headDeadline = .milliseconds(100)
            $0.bodyDeadline = .milliseconds(100)
            $0.idle = .milliseconds(150)
            $0.stallDeadline = .milliseconds(100)
            $0.linger = .milliseconds(40)
            $0.acceptsPerTurn = 8
        }
        var clients: [TestClient] = []
        for _ in 0..<1500 {
            if clients.isEmpty || Int.random(in: 0..<4, using: &random) == 0 {
                clients.append(try server.client(receiveBuffer: 4096))
            }
            let index = Int.random(in: 0..<clients.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0: clients.remove(at: index)
            case 1: clients.remove(at: index).reset()
            case 2: clients[index].finishSending()
            case 3: server.run { handler, _ in handler.answerParked() }
            case 4: server.run { handler, _ in handler.send(String(repeating: "x", count: 20_000)) }
            case 5: server.run { handler, _ in handler.streams.randomElement()?.finish(nil) }
            default: send(to: clients[index], &random)
            }
        }
        clients = []
        server.run { handler, _ in
            handler.answersParkedAtOnce = true
            handler.answerParked()
        }
        do {
            try server.wait { handler, server in
                server.connectionCount == 0 && server.streamCount == 0 && budget.connections == 0
                    && handler.streams.isEmpty && handler.parked.isEmpty
            }
        } catch {
            Issue.record("seed \(seed), round \(round): something is left")
        }
        #expect(try server.ask { handler, _ in handler.owed } == 0, "seed \(seed)")
        let told = server.rest()
        let opened = told.count { $0 == .opened }
        #expect(told.count { $0 == .streamClosed } == opened, "seed \(seed)")
    }

    /// A request or a part of one, or several, without waiting for room.
    private func send(to client: TestClient, _ random: inout SeededRandom) {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            bytes += Array((Self.requests.randomElement(using: &random) ?? "").utf8)
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            bytes.removeLast(Int.random(in: 0..<20, using: &random))
        }
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        _ = bytes.withUnsafeBytes { Glibc.send(client.descriptor.number, $0.baseAddress, $0.count, flags) }
    }
}
