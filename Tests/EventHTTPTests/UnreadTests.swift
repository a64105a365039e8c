import Glibc
import Testing

@testable import EventHTTP

/// What all readers of a loop together may leave unread.
@Suite struct UnreadTests {
    private func stalled(
        _ server: TestServer, _ size: Int, until told: Told = .answered(200)
    ) throws -> TestClient {
        let client = try server.client(receiveBuffer: 4096)
        try client.send("GET /big?\(size) HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait(for: told)
        return client
    }

    /// The kernel takes up to 4 MB of each.
    @Test func resetsTheReaderWithTheMost() throws {
        let server = try TestServer { $0.unread = 30_000_000 }
        let small = try stalled(server, 20_000_000)
        let large = try stalled(
            server, 28_000_000, until: .logged("Readers were reset: 30000000 bytes waited to be read"))
        try server.wait { $1.connectionCount == 1 }
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try large.readToEnd() }
        #expect(try small.response().body.count == 20_000_000)
        #expect(try server.ask { $1.unread } == 0)
    }

    @Test func countsWhatALeavingReaderHadNotRead() throws {
        let server = try TestServer()
        let client = try stalled(server, 8_000_000)
        #expect(try server.ask { $1.unread } > 0)
        client.reset()
        try server.wait { $1.connectionCount == 0 }
        #expect(try server.ask { $1.unread } == 0)
    }

    @Test func anAnswerThatHasNoRoomAloneIsReset() throws {
        let server = try TestServer { $0.unread = 4_000_000 }
        let client = try stalled(server, 12_000_000)
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try client.readToEnd() }
        try server.wait { $1.connectionCount == 0 }
        let next = try server.client()
        try next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try next.response().body == "hello")
    }

    @Test func aStreamThatIsGivenUpClosesOnce() throws {
        let server = try TestServer { $0.unread = 10_000_000 }
        let client = try server.client(receiveBuffer: 4096)
        try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait(for: .opened)
        server.run { handler, _ in handler.send("data: \(String(repeating: "x", count: 14_000_000))\n\n") }
        try server.wait(for: .streamClosed)
        #expect(server.rest() == [])
        #expect(
            try server.ask { handler, server in handler.streams.count + server.streamCount + server.unread }
                == 0)
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try client.readToEnd() }
    }
}
