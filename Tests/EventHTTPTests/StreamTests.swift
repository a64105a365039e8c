import Glibc
import HTTPCodec
import Testing

@testable import EventHTTP

@Suite struct StreamTests {
    let open = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n"
    let first = "d\r\ndata: first\n\n\r\n"

    private func opened(_ server: TestServer, receiveBuffer: Int32 = 0) throws -> TestClient {
        let client = try server.client(receiveBuffer: receiveBuffer)
        try client.send(open)
        _ = try client.read(through: "\r\n\r\n")
        #expect(try client.read(count: first.utf8.count) == first)
        try server.wait(for: .opened)
        return client
    }

    @Test func sendsOneChunkPerEventToHTTP11() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(open)
        let head = try client.read(through: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(head.contains("Content-Type: text/event-stream\r\n"))
        #expect(head.contains("Transfer-Encoding: chunked\r\n"))
        try server.wait(for: .opened)
        server.run { handler, _ in handler.send("data: 2\n\n") }
        #expect(try client.read(through: "2\n\n\r\n") == first + "9\r\ndata: 2\n\n\r\n")
        server.run { handler, _ in handler.streams[0].finish(EventChunk(payload: Array("data: 3\n\n".utf8))) }
        #expect(try client.readToEnd() == "9\r\ndata: 3\n\n\r\n0\r\n\r\n")
        try server.wait(for: .streamClosed)
        #expect(server.rest() == [])
    }

    @Test func sendsRawEventsToHTTP10() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let head = try client.read(through: "\r\n\r\n")
        #expect(head.contains("Connection: close\r\n"))
        #expect(!head.contains("chunked"))
        #expect(!head.contains("Content-Length"))
        try server.wait(for: .opened)
        server.run { handler, _ in
            handler.send("data: 2\n\n")
            handler.streams[0].finish(nil)
        }
        #expect(try client.readToEnd() == "data: first\n\ndata: 2\n\n")
        try server.wait(for: .streamClosed)
    }

    @Test(arguments: [("1.1", "d\r\ndata: first\n\n\r\n0\r\n\r\n"), ("1.0", "data: first\n\n")])
    func aStreamThatEndsAtOnceIsWhole(version: String, body: String) throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /last HTTP/\(version)\r\nHost: a\r\n\r\n")
        _ = try client.read(through: "\r\n\r\n")
        #expect(try client.readToEnd() == body)
        try server.wait(for: .answered(200))
        #expect(server.rest() == [])
    }

    @Test func endsAtOnceWhenTheClientFinishes() throws {
        let server = try TestServer()
        let client = try opened(server)
        client.finishSending()
        try server.wait(for: .streamClosed)
        #expect(try server.ask { $1.streamCount } == 0)
        #expect(try server.ask { $1.connectionCount } == 0)
        #expect(try client.readToEnd() == "")
        #expect(server.rest() == [])
    }

    @Test func endsAtOnceWhenTheClientHasFinishedBefore() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(open)
        client.finishSending()
        try server.wait(for: .streamClosed)
        #expect(server.rest().filter { $0 == .streamClosed } == [])
    }

    @Test func endsAtOnceWhenTheClientVanishes() throws {
        let server = try TestServer()
        let client = try opened(server)
        client.reset()
        try server.wait(for: .streamClosed)
        #expect(try server.ask { $1.connectionCount } == 0)
        #expect(server.rest() == [])
    }

    @Test func sendingToAClientThatHasVanishedClosesOnce() throws {
        let server = try TestServer()
        let clients = try (0..<10).map { _ in try opened(server) }
        // The loop is busy here, so it learns of the resets by sending.
        for client in clients { client.reset() }
        server.run { handler, _ in for _ in 0..<3 { handler.send("data: x\n\n") } }
        for _ in clients { try server.wait(for: .streamClosed) }
        #expect(try server.ask { $1.streamCount } == 0)
        #expect(server.rest() == [])
    }

    @Test func aFailedSendEndsTheStreamOnlyAfterTheCall() throws {
        let server = try TestServer()
        let client = try opened(server)
        let answer = try server.ask { [descriptor = client.descriptor] handler, _ in
            TestClient.reset(descriptor)
            let stream = handler.streams[0]
            let chunk = EventChunk(payload: Array("data: x\n\n".utf8))
            while stream.isOpen { stream.send(chunk) }
            // Still in the handler's list: it was not called back.
            return handler.streams.count
        }
        #expect(answer == 1)
        try server.wait(for: .streamClosed)
        #expect(server.rest() == [])
    }

    @Test func dropsWhatTheClientSendsUpToALimit() throws {
        let server = try TestServer()
        let client = try opened(server)
        try client.send(open + String(repeating: "x", count: 60_000))
        server.run { handler, _ in handler.send("data: 2\n\n") }
        #expect(try client.read(through: "2\n\n\r\n") == "9\r\ndata: 2\n\n\r\n")
        #expect(server.rest() == [])
        try client.send(String(repeating: "x", count: 6_000))
        try server.wait(for: .streamClosed)
    }

    @Test func queuesForAReaderThatStopsAndTellsWhenThereIsRoom() throws {
        let server = try TestServer()
        let client = try opened(server, receiveBuffer: 4096)
        let payload = String(repeating: "x", count: 1000)
        // The handler's rule: no more than `streamQueue` is ever left queued.
        let sent = try server.ask { handler, server in
            let chunk = EventChunk(payload: Array(payload.utf8))
            var count = 0
            while handler.streams[0].queuedBytes + 1010 <= server.limits.streamQueue {
                handler.streams[0].send(chunk)
                count += 1
            }
            return count
        }
        #expect(try server.ask { handler, _ in handler.streams[0].queuedBytes } > 60_000)
        #expect(server.rest() == [])
        for _ in 0..<sent { #expect(try client.read(through: "x\r\n").hasPrefix("3e8\r\nxxx")) }
        try server.wait(for: .drained)
        try server.wait { handler, _ in handler.streams[0].queuedBytes == 0 }
        server.run { handler, _ in handler.send("data: 2\n\n") }
        #expect(try client.read(through: "2\n\n\r\n") == "9\r\ndata: 2\n\n\r\n")
    }

    @Test func finishesBehindWhatIsQueued() throws {
        let server = try TestServer()
        let client = try opened(server, receiveBuffer: 4096)
        server.run { handler, _ in
            while handler.streams[0].queuedBytes < 100_000 {
                handler.send(String(repeating: "x", count: 5000))
            }
            handler.streams[0].finish(EventChunk(payload: Array("bye".utf8)))
        }
        let rest = try client.readToEnd()
        #expect(rest.hasSuffix("x\r\n3\r\nbye\r\n0\r\n\r\n"))
        try server.wait(for: .streamClosed)
        #expect(server.rest().filter { $0 == .streamClosed } == [])
    }

    @Test func resetsAReaderThatMakesNoProgress() throws {
        let server = try TestServer { $0.stallDeadline = .milliseconds(60) }
        let client = try opened(server, receiveBuffer: 4096)
        server.run { handler, _ in
            while handler.streams[0].queuedBytes < 10_000 {
                handler.send(String(repeating: "x", count: 5000))
            }
        }
        try server.wait(for: .streamClosed)
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try client.readToEnd() }
    }

    /// What is sent on top does not count as progress.
    @Test func resetsAReaderThatMakesNoProgressHoweverMuchIsQueued() throws {
        let server = try TestServer { $0.stallDeadline = .milliseconds(60) }
        let client = try opened(server, receiveBuffer: 4096)
        server.run { handler, server in
            let sender = SendsAndSends(handler, server)
            handler.companion = sender
            sender.go()
        }
        try server.wait(for: .streamClosed)
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try client.readToEnd() }
    }

    @Test func aReaderThatCatchesUpIsNotReset() throws {
        let server = try TestServer { $0.stallDeadline = .milliseconds(200) }
        let client = try opened(server, receiveBuffer: 4096)
        server.run { handler, _ in
            while handler.streams[0].queuedBytes < 10_000 {
                handler.send(String(repeating: "x", count: 5000))
            }
            handler.send("data: 1\n\n")
        }
        _ = try client.read(through: "data: 1\n\n\r\n")
        let start = try server.ask { $1.loop.now }
        try server.wait { $1.loop.now > start + 300_000_000 }
        server.run { handler, _ in handler.send("data: 2\n\n") }
        _ = try client.read(through: "data: 2\n\n\r\n")
    }

    @Test func aSlowReaderCostsNoMoreThanItsQueue() throws {
        let server = try TestServer()
        let client = try opened(server, receiveBuffer: 4096)
        var largest = 0
        for _ in 0..<200 {
            let size = try server.ask { handler, server in
                while handler.streams[0].queuedBytes < 60_000 {
                    handler.send(String(repeating: "x", count: 990))
                }
                return server.connections.compactMap { $0?.output.count }.max() ?? 0
            }
            largest = max(largest, size)
            _ = try client.read(count: 20_000)
        }
        #expect(largest < 2 * 64 * 1024)
    }

    @Test func aSilentStreamLives() throws {
        let server = try TestServer {
            $0.headDeadline = .milliseconds(1)
            $0.idle = .milliseconds(1)
            $0.stallDeadline = .milliseconds(1)
        }
        let client = try opened(server)
        let start = try server.ask { $1.loop.now }
        try server.wait { $1.loop.now > start + 60_000_000 }
        server.run { handler, _ in handler.send("data: 2\n\n") }
        #expect(try client.read(through: "2\n\n\r\n") == "9\r\ndata: 2\n\n\r\n")
    }

    @Test func closingAllEndsEachStreamOnce() throws {
        let server = try TestServer()
        let clients = try (0..<5).map { _ in try opened(server) }
        server.run { handler, server in
            handler.streams[0].finish(nil)
            server.closeAll()
            server.closeAll()
        }
        for _ in clients { try server.wait(for: .streamClosed) }
        #expect(try server.ask { $1.streamCount } == 0)
        #expect(server.rest() == [])
    }
}

/// Sends a byte every 2 ms to streams whose readers have stopped. Its handler holds it, and so outlives it.
private final class SendsAndSends {
    private unowned let handler: TestHandler
    private var timer: LoopTimer?

    init(_ handler: TestHandler, _ server: HTTPServer) {
        self.handler = handler
        timer = server.loop.timer { [unowned self] in go() }
    }

    func go() {
        guard let stream = handler.streams.first else { return }
        while stream.queuedBytes < 10_000 { handler.send(String(repeating: "x", count: 5000)) }
        handler.send("x")
        timer?.schedule(afterNanoseconds: 2_000_000)
    }
}
