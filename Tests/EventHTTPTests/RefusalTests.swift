import Testing

@testable import EventHTTP

@Suite struct RefusalTests {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    struct Refused: CustomTestStringConvertible, Sendable {
        let request: String
        let status: Int

        init(_ request: String, _ status: Int) {
            self.request = request
            self.status = status
        }

        var testDescription: String { "\(request.prefix(80).debugDescription) → \(status)" }
    }

    static let refused = [
        Refused("GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
        Refused("GET / HTTP/1.1\nHost: a\n\n", 400),
        Refused("GET / HTTP/1.1\r\n\r\n", 400),
        Refused("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400),
        Refused(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400
        ),
        Refused("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", 400),
        Refused("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n", 413),
        Refused("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10001\r\n", 413),
        Refused("GET /\(String(repeating: "a", count: 33_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
        Refused("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nExpect: miracles\r\n\r\n", 417),
        Refused("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 41_000))\r\n\r\n", 431),
        Refused("BREW / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
        Refused("POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        Refused("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ]

    @Test(arguments: refused)
    func closesAndReadsNothingAfterARefusal(_ refused: Refused) throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(get + refused.request + get + get)
        #expect(try client.response().body == "hello")
        let refusal = try client.response()
        #expect(refusal.status == refused.status)
        #expect(refusal.value(of: "connection") == "close")
        #expect(refusal.body == "refused")
        #expect(try client.readToEnd() == "")
        let told = try server.wait(for: .answered(refused.status))
        #expect(told == [.handled(path: "/", body: ""), .answered(200), .answered(refused.status)])
        #expect(server.rest() == [])
    }

    @Test func refusesForTheApplicationBeforeTheBodyIsRead() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(
            "POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        let refusal = try client.response()
        #expect(refusal.status == 403)
        #expect(refusal.value(of: "connection") == "close")
        #expect(try client.readToEnd() == "")
    }

    @Test func goesOnAfterARefusalWithoutABody() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET /refused HTTP/1.1\r\nHost: a\r\n\r\n\(get)")
        #expect(try client.response().status == 403)
        #expect(try client.response().body == "hello")
    }

    @Test func theResponseSurvivesABodyThatIsStillBeingSent() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("POST /refused HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
        try client.send(String(repeating: "b", count: 60_000))
        #expect(try client.readToEnd().hasSuffix("no"))
    }

    @Test func discardsNoMoreThanTheLimitAfterARefusal() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("BREW / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.response().status == 501)
        #expect(throws: TestClient.Failure.self) {
            for _ in 0..<1000 { try client.send(String(repeating: "b", count: 65536)) }
        }
        try server.wait { $1.connectionCount == 0 }
    }

    @Test func lingersNoLongerThanTheLimitAfterARefusal() throws {
        let server = try TestServer { $0.linger = .milliseconds(1) }
        let client = try server.client()
        try client.send("BREW / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(try client.response().status == 501)
        try server.wait { $1.connectionCount == 0 }
    }
}

@Suite struct ContinueTests {
    @Test func asksForTheBodyOfAClientThatWaits() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        try client.send("abc")
        #expect(try client.response().body == "abc")
    }

    @Test(arguments: ["abc", "a"])
    func doesNotAskAClientThatDoesNotWait(part: String) throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(
            "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n\(part)")
        try client.send(String("abc".dropFirst(part.count)))
        #expect(try client.response().body == "abc")
    }

    @Test func doesNotAskWhereThereIsNoBody() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.response().body == "hello")
    }
}
