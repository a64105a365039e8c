import Glibc
import HTTPCodec
import Testing

@testable import EventHTTP

/// Bodies that are handed over in parts.
@Suite struct BodyTests {
    private func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
    }

    private func body(_ length: Int, first: Int) -> String {
        String(repeating: "f", count: first) + String(repeating: "m", count: length - first)
    }

    @Test(arguments: [(0, 0), (1, 1), (10, 10), (10, 1), (10, 3), (10, 9), (1_000_000, 65_536)])
    func comesWholeWithItsLength(length: Int, first: Int) throws {
        let server = try TestServer()
        let client = try server.client()
        for _ in 0..<3 {
            try client.send(get("/parts?\(length),\(first)"))
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response.value(of: "content-length") == "\(length)")
            #expect(response.value(of: "connection") == nil)
            #expect(response.body == body(length, first: first))
        }
    }

    @Test func isAnsweredInItsPlaceOfAPipeline() throws {
        let server = try TestServer()
        let client = try server.client()
        let targets = ["/parts?300000,65536", "/", "/parts?5,2", "/parts?9000000,100000", "/"]
        try client.send(targets.map { get($0) }.joined())
        for length in [300_000, 5, 5, 9_000_000, 5] { #expect(try client.response().body.count == length) }
    }

    @Test func aSlowReaderHoldsOnePartAtATime() throws {
        let server = try TestServer()
        let client = try server.client(receiveBuffer: 4096)
        try client.send(get("/parts?50000000,100000"))
        try server.wait(for: .answered(200))
        #expect(try server.ask { $1.unread } <= 100_000)
        #expect(try client.response().body.count == 50_000_000)
        #expect(try server.ask { $1.unread } == 0)
    }

    @Test func headHasTheLengthAndNoBody() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("HEAD /parts?1000000,1000 HTTP/1.1\r\nHost: a\r\n\r\n" + get("/"))
        #expect(try client.response(toHead: true).value(of: "content-length") == "1000000")
        #expect(try client.response().body == "hello")
        #expect(try server.ask { handler, _ in handler.body == nil })
    }

    @Test func closesBehindItWhereTheRequestSaysSo() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(get("/parts?500000,1000", "Connection: close\r\n"))
        let response = try client.response()
        #expect(response.value(of: "connection") == "close")
        #expect(response.body.count == 500_000)
        #expect(try client.readToEnd() == "")
    }

    @Test func aReaderThatTakesNothingIsReset() throws {
        let server = try TestServer { $0.stallDeadline = .milliseconds(200) }
        let client = try server.client(receiveBuffer: 4096)
        try client.send(get("/parts?50000000,100000"))
        try server.wait(for: .answered(200))
        try server.wait { $1.connectionCount == 0 }
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try client.readToEnd() }
        #expect(try server.ask { handler, server in handler.body?.0.isOpen == false && server.unread == 0 })
    }

    @Test func whatIsSentToAClientThatHasGoneIsDropped() throws {
        let server = try TestServer()
        let client = try server.client(receiveBuffer: 4096)
        try client.send(get("/parts?50000000,100000"))
        try server.wait(for: .answered(200))
        client.reset()
        try server.wait { handler, server in handler.body?.0.isOpen == false && server.connectionCount == 0 }
        try server.ask { handler, _ in
            let body = handler.body?.0
            body?.send([1, 2, 3])
            body?.abandon()
        }
        #expect(try server.client().descriptor.number >= 0)
    }

    @Test func aBodyThatCannotGoOnEndsTheConnection() throws {
        let server = try TestServer()
        let client = try server.client(receiveBuffer: 4096)
        try client.send(get("/parts?50000000,100000"))
        try server.wait(for: .answered(200))
        let isOpen = try server.ask { handler, _ in
            handler.body?.0.abandon()
            return handler.body?.0.isOpen
        }
        #expect(isOpen == false)
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try client.readToEnd() }
        try server.wait { $1.connectionCount == 0 && $1.unread == 0 }
    }

    @Test func isReleasedWithItsConnection() throws {
        let server = try TestServer()
        let client = try server.client(receiveBuffer: 4096)
        try client.send(get("/parts?50000000,100000"))
        try server.wait(for: .answered(200))
        try server.ask { handler, _ in handler.body = nil }
        #expect(try server.ask { handler, _ in handler.lastBody != nil }, "the connection needs it")
        client.reset()
        try server.wait { handler, server in handler.lastBody == nil && server.connectionCount == 0 }
    }
}
