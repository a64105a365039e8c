import Glibc
import HTTPCodec
import Testing

@testable import EventHTTP

@Suite struct DrainTests {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func closesConnectionsThatHaveBeenServedAndServesTheOthersOnceMore() throws {
        let server = try TestServer()
        let (served, fresh, parked) = (try server.client(), try server.client(), try server.client())
        try served.send(get)
        #expect(try served.response().body == "hello")
        try parked.send("PUT /write HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait { handler, server in handler.parked.count == 1 && server.connectionCount == 3 }
        server.run { $1.closeConnectionsAfterResponses() }
        #expect(try served.readToEnd() == "")
        try fresh.send(get + get)
        let response = try fresh.response()
        #expect(response.body == "hello")
        #expect(response.value(of: "connection") == "close")
        #expect(try fresh.readToEnd() == "")
        server.run { handler, _ in handler.answerParked() }
        let last = try parked.response()
        #expect(last.body == "late")
        #expect(last.value(of: "connection") == "close")
        #expect(try parked.readToEnd() == "")
        // New ones are still welcome.
        let late = try server.client()
        try late.send(get)
        #expect(try late.response().value(of: "connection") == "close")
    }

    @Test func servesARequestThatIsInTheKernelAlready() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(get)
        #expect(try client.response().body == "hello")
        // The loop is held up until the request is there, so it has not looked at it when draining begins.
        let sent = try server.hold { $1.closeConnectionsAfterResponses() }
        try client.send(get)
        sent.send(true)
        #expect(try client.response().body == "hello")
        #expect(try client.readToEnd() == "")
    }

    @Test func aStreamLivesUntilItIsFinished() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait(for: .opened)
        server.run { handler, server in
            server.closeConnectionsAfterResponses()
            server.stopAccepting()
            handler.send("data: 2\n\n")
        }
        _ = try client.read(through: "data: 2\n\n\r\n")
        server.run { handler, _ in handler.streams[0].finish(EventChunk(payload: Array("data: bye\n\n".utf8)))
        }
        #expect(try client.readToEnd() == "b\r\ndata: bye\n\n\r\n0\r\n\r\n")
        try server.wait { $1.connectionCount == 0 && $1.streamCount == 0 }
    }

    @Test func servesWhatWaitsInTheQueueThenRefuses() throws {
        let server = try TestServer()
        let held = try server.hold { _, server in
            server.closeConnectionsAfterResponses()
            server.stopAccepting()
        }
        let clients = try (0..<300).map { _ in try server.client() }
        held.send(true)
        for client in clients {
            try client.send(get)
            #expect(try client.response().body == "hello")
        }
        #expect(throws: TestClient.Failure.connect(ECONNREFUSED)) { _ = try server.client() }
    }

    @Test func closingAllLeavesNothing() throws {
        let budget = ConnectionBudget(capacity: 100, courtesy: 0)
        let server = try TestServer(budget: budget)
        let clients = try (0..<3).map { _ in try server.client() }
        try clients[0].send("GET /poll HTTP/1.1\r\nHost: a\r\n\r\n")
        try clients[1].send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait { handler, server in
            handler.parked.count == 1 && handler.streams.count == 1 && server.connectionCount == 3
        }
        _ = server.rest()
        server.run { $1.closeAll() }
        try server.wait { handler, server in
            handler.parked.isEmpty && handler.streams.isEmpty && server.connectionCount == 0
                && budget.connections == 0
        }
        #expect(Set(server.rest().map { "\($0)" }) == ["vanished", "streamClosed"])
    }
}
