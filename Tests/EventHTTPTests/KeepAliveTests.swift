import HTTPCodec
import Testing

@testable import EventHTTP

@Suite struct KeepAliveTests {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func answersOneRequestAfterTheOtherOnOneConnection() throws {
        let server = try TestServer()
        let client = try server.client()
        for _ in 0..<3 {
            try client.send(get)
            let response = try client.response()
            #expect(response.status == 200)
            #expect(response.body == "hello")
            #expect(response.value(of: "connection") == nil)
            #expect(response.value(of: "date")?.hasSuffix(" GMT") == true)
        }
    }

    @Test func answersPipelinedRequestsInOrder() throws {
        let server = try TestServer()
        let client = try server.client()
        let posts = (0..<3).map {
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n\($0)"
        }
        try client.send(posts.joined())
        for index in 0..<3 { #expect(try client.response().body == "\(index)") }
    }

    @Test func answersThousandsOfPipelinedRequestsWhoseSenderDoesNotReadMeanwhile() throws {
        let server = try TestServer()
        let client = try server.client()
        let count = 20_000
        let requests = Array(String(repeating: "GET /quiet HTTP/1.1\r\nHost: a\r\n\r\n", count: count).utf8)
        let descriptor = client.descriptor
        let sender = try LoopThread(name: "sender") { try? TestClient.send(requests, to: descriptor) }
        defer { sender.join() }
        for index in 0..<count {
            #expect(try client.response().body == "hello", "response \(index)")
            if index % 1000 == 0 { #expect(try server.ask { largestKept($1) } <= (64 + 40) * 1024) }
        }
    }

    @Test func servesOthersBetweenTheRequestsOfAPipeline() throws {
        let server = try TestServer()
        let (busy, other) = (try server.client(), try server.client())
        let before = try server.ask { $1.loop.turns }
        try busy.send(String(repeating: "GET /quiet HTTP/1.1\r\nHost: a\r\n\r\n", count: 2000))
        try other.send(get)
        #expect(try other.response().body == "hello")
        for _ in 0..<2000 { #expect(try busy.response().status == 200) }
        // 2 000 requests fit into one read, but a turn does not go on with all of them.
        #expect(try server.ask { $1.loop.turns } - before > 3)
    }

    @Test func readsARequestThatComesByteByByte() throws {
        let server = try TestServer()
        let client = try server.client()
        for byte
            in "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n"
            .utf8
        {
            try client.send(bytes: [byte])
        }
        #expect(try client.response().body == "abc")
        try client.send(get)
        #expect(try client.response().body == "hello")
    }

    @Test func readsBodiesUpToTheLimit() throws {
        let server = try TestServer()
        let client = try server.client()
        let body = String(repeating: "b", count: 64 * 1024)
        try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.response().body == body)
        try client.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "8000\r\n\(body.prefix(0x8000))\r\n8000\r\n\(body.prefix(0x8000))\r\n0\r\n\r\n\(get)")
        #expect(try client.response().body == body)
        #expect(try client.response().body == "hello")
    }

    @Test func ignoresTheBodyOfAGet() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\(get)")
        #expect(try client.response().body == "hello")
        #expect(try client.response().body == "hello")
    }

    @Test func answersHeadWithoutABody() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n\(get)")
        #expect(try client.response(toHead: true).value(of: "content-length") == "5")
        #expect(try client.response().body == "hello")
    }

    @Test(arguments: [("/204", 204), ("/304", 304)])
    func sendsNoLengthWhereThereCanBeNoBody(path: String, status: Int) throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n\(get)")
        let response = try client.response()
        #expect(response.status == status)
        #expect(response.value(of: "content-length") == nil)
        #expect(try client.response().body == "hello")
    }

    @Test func closesAfterAResponseToHTTP10() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET / HTTP/1.0\r\n\r\n")
        let text = try client.readToEnd()
        #expect(text.contains("Connection: close\r\n"))
        #expect(text.hasSuffix("\r\n\r\nhello"))
    }

    @Test func keepsAnHTTP10ConnectionThatAsksForIt() throws {
        let server = try TestServer()
        let client = try server.client()
        for _ in 0..<2 {
            try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let response = try client.response()
            #expect(response.value(of: "connection") == "keep-alive")
            #expect(response.body == "hello")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET /closes HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func closesWhenEitherSideWantsIt(request: String) throws {
        let server = try TestServer()
        let client = try server.client()
        // What comes after is neither answered nor turns the answer into a reset.
        try client.send(request + get + get)
        let response = try client.response()
        #expect(response.status == 200)
        #expect(response.value(of: "connection") == "close")
        #expect(try client.readToEnd() == "")
    }

    @Test func sendsLargeResponsesToASlowReader() throws {
        let server = try TestServer()
        let client = try server.client(receiveBuffer: 4096)
        let size = 3_000_000
        try client.send("GET /big?\(size) HTTP/1.1\r\nHost: a\r\n\r\n\(get)")
        #expect(try client.response().body.utf8.count == size)
        #expect(try client.response().body == "hello")
    }

    @Test func usesTheClientsRequestIDIfItIsSane() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /id HTTP/1.1\r\nHost: a\r\nX-Request-Id: web-7.A_\r\n\r\n")
        let named = try client.response()
        #expect(named.body == "web-7.A_")
        #expect(named.value(of: "x-request-id") == "web-7.A_")
        for id in ["", String(repeating: "a", count: 65), "a b", "\"x\""] {
            try client.send("GET /id HTTP/1.1\r\nHost: a\r\nX-Request-Id: \(id)\r\n\r\n")
            let response = try client.response()
            #expect(response.body.utf8.count == 16)
            #expect(response.body.allSatisfy { $0.isHexDigit })
            #expect(response.value(of: "x-request-id") == response.body)
        }
    }

    @Test func answersWhatAHalfClosedClientHasAskedThenCloses() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(get + get)
        client.finishSending()
        let text = try client.readToEnd()
        #expect(text.split(separator: "hello", omittingEmptySubsequences: false).count == 3)
    }
}
