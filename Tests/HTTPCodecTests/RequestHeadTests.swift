import Testing

@testable import HTTPCodec

@Suite struct RequestHeadTests {
    /// Request line, then path, query and target.
    @Test(arguments: [
        ("GET /a/b?c=d?e HTTP/1.1", "/a/b", "c=d?e", "/a/b?c=d?e"),
        ("GET /a? HTTP/1.1", "/a", "", "/a?"),
        ("GET /a HTTP/1.1", "/a", nil, "/a"),
        ("GET //a HTTP/1.1", "//a", nil, "//a"),
        ("OPTIONS * HTTP/1.1", "*", nil, "*"),
        ("OPTIONS /a HTTP/1.1", "/a", nil, "/a"),
        ("OPTIONS http://b HTTP/1.1", "*", nil, ""),
        ("OPTIONS http://b/ HTTP/1.1", "/", nil, "/"),
        ("OPTIONS http://b?c HTTP/1.1", "/", "c", "?c"),
        ("GET http://b HTTP/1.1", "/", nil, ""),
        ("GET http://b?c HTTP/1.1", "/", "c", "?c"),
        ("GET http://b/c/d?e HTTP/1.1", "/c/d", "e", "/c/d?e"),
        ("GET hTTp://b/?e HTTP/1.1", "/", "e", "/?e"),
        ("CONNECT b:1 HTTP/1.1", "/", nil, ""),
    ])
    func takesTheTargetApart(line: String, path: String, query: String?, target: String) throws {
        let head = try #require(acceptedHead("\(line)\r\nHost: a\r\n\r\n"))
        #expect(text(head.path) == path)
        #expect(head.query.map(text) == query)
        #expect(text(head.target) == target)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: a:8080\r\n\r\n", "a:8080"),
        ("GET / HTTP/1.1\r\nhOsT:\t[::1]\t\r\n\r\n", "[::1]"),
        ("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", "b"),
        ("GET http://b:1?x HTTP/1.0\r\n\r\n", "b:1"),
        ("CONNECT b:2 HTTP/1.1\r\nHost: a\r\n\r\n", "b:2"),
        ("GET / HTTP/1.0\r\n\r\n", nil),
    ])
    func theTargetsAuthorityWinsOverHost(request: String, authority: String?) throws {
        #expect(try #require(acceptedHead(request)).authority.map(text) == authority)
    }

    /// Version, header lines, and whether another request may follow.
    @Test(arguments: [
        ("1", "", true), ("1", "Connection: close\r\n", false), ("1", "Connection: CLOSE\r\n", false),
        ("1", "Connection: keep-alive\r\n", true), ("1", "Connection: keep-alive, close\r\n", false),
        ("1", "Connection: a\r\nConnection: b ,close\r\n", false), ("1", "Connection: closed\r\n", true),
        ("1", "Connection: \"close\"\r\n", true), ("0", "", false), ("0", "Connection: keep-alive\r\n", true),
        ("0", "Connection: Keep-Alive, x\r\n", true), ("0", "Connection: keep-alive, close\r\n", false),
    ])
    func keepsAliveByVersionAndConnection(minor: String, lines: String, keeps: Bool) throws {
        #expect(
            try #require(acceptedHead("GET / HTTP/1.\(minor)\r\nHost: a\r\n\(lines)\r\n")).keepsAlive == keeps
        )
    }

    @Test func aRefusedTunnelEndsTheConnection() throws {
        #expect(try #require(acceptedHead("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n")).keepsAlive == false)
    }

    /// Version, header lines, and whether the client waits.
    @Test(arguments: [
        ("1", "Expect: 100-continue\r\nContent-Length: 1\r\n", true),
        ("1", "Expect: 100-Continue\r\nTransfer-Encoding: chunked\r\n", true),
        ("1", "Expect: 100-continue\r\n", false),
        ("1", "Expect: 100-continue\r\nContent-Length: 0\r\n", false),
        ("0", "Expect: 100-continue\r\nContent-Length: 1\r\n", false),
        ("1", "Content-Length: 1\r\n", false),
    ])
    func expectsContinueOnlyBeforeABodyOnHTTP11(minor: String, lines: String, expects: Bool) throws {
        #expect(
            try #require(acceptedHead("PUT / HTTP/1.\(minor)\r\nHost: a\r\n\(lines)\r\n")).expectsContinue
                == expects)
    }

    @Test(arguments: [
        ("", BodyFraming.none), ("Content-Length: 0\r\n", .none), ("Content-Length: 000\r\n", .none),
        ("Content-Length: 17\r\n", .length(17)), ("Content-Length: 0017\r\n", .length(17)),
        ("Transfer-Encoding: chunked\r\n", .chunked), ("transfer-encoding:  CHUNKED \r\n", .chunked),
    ])
    func delimitsTheBody(lines: String, framing: BodyFraming) throws {
        #expect(
            try #require(acceptedHead("PUT / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n")).bodyFraming == framing)
    }

    @Test func findsFieldsWithoutRegardToCase() throws {
        let head = try #require(
            acceptedHead(
                "GET / HTTP/1.1\r\nHost: a\r\nPREFER: wait=1\r\nx-own: 1\r\nX-OWN: 2\r\nprefer: x\r\nX-Ow: 3\r\n\r\n"
            ))
        #expect(head.values(of: .prefer).map(text) == ["wait=1", "x"])
        #expect(head.value(of: FieldName("X-Own")).map(text) == "1")
        #expect(head.values(of: FieldName("x-own")).map(text) == ["1", "2"])
        #expect(head.value(of: FieldName("x-ow")).map(text) == "3")
        #expect(head.value(of: FieldName("x-owner")) == nil)
        #expect(head.value(of: .accept) == nil)
        #expect(head.values(of: .accept).isEmpty)
    }

    @Test func tokensThatDifferInABitAreNotTheSameName() throws {
        let head = try #require(acceptedHead("GET / HTTP/1.1\r\nHost: a\r\nX^: 1\r\nX~: 2\r\n\r\n"))
        #expect(head.values(of: FieldName("x~")).map(text) == ["2"])
        #expect(head.values(of: FieldName("x^")).map(text) == ["1"])
    }

    /// Every name that the parser resolves, and its look-alikes of the same length.
    @Test(arguments: [
        (FieldName.accept, "Accept"), (.accessControlRequestMethod, "Access-Control-Request-Method"),
        (.accessControlRequestHeaders, "Access-Control-Request-Headers"), (.authorization, "Authorization"),
        (.connection, "Connection"), (.contentLength, "Content-Length"), (.contentType, "Content-Type"),
        (.expect, "Expect"), (.host, "Host"), (.idempotencyKey, "Idempotency-Key"), (.ifMatch, "If-Match"),
        (.ifNoneMatch, "If-None-Match"), (.lastEventID, "Last-Event-ID"), (.origin, "Origin"),
        (.prefer, "Prefer"), (.transferEncoding, "Transfer-Encoding"), (.xRequestID, "X-Request-Id"),
    ])
    func knownNamesAreEqualToTheirText(name: FieldName, spelling: String) {
        #expect(FieldName(spelling) == name)
        #expect(FieldName(spelling.uppercased()) == name)
        #expect(FieldName(spelling.dropLast() + "!") != name)
        #expect(FieldName("!" + spelling.dropFirst()) != name)
    }
}
