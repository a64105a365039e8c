import Testing

@testable import EventHTTP

@Suite struct ParkedWriteTests {
    let put = "PUT /write HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func answersLaterAndGoesOn() throws {
        let server = try TestServer()
        let client = try server.client()
        for _ in 0..<2 {
            try client.send(put)
            try server.wait(for: .handled(path: "/write", body: "{}"))
            server.run { handler, _ in handler.answerParked() }
            #expect(try client.response().body == "late")
        }
    }

    @Test func readsNothingUntilItIsAnsweredThenWhatWasPipelined() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(put)
        try server.wait(for: .handled(path: "/write", body: "{}"))
        try client.send(get + put + get)
        client.finishSending()
        #expect(try server.ask { handler, _ in handler.parked.count } == 1)
        server.run { handler, _ in handler.answerParked("1") }
        #expect(try client.response().body == "1")
        #expect(try client.response().body == "hello")
        try server.wait { handler, _ in !handler.parked.isEmpty }
        server.run { handler, _ in handler.answerParked("2") }
        #expect(try client.response().body == "2")
        #expect(try client.response().body == "hello")
        #expect(try client.readToEnd() == "")
    }

    @Test func whatWasPipelinedInTheSamePacketWaits() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(put + get)
        try server.wait(for: .handled(path: "/write", body: "{}"))
        #expect(try server.ask { handler, _ in handler.parked.count } == 1)
        server.run { handler, _ in handler.answerParked() }
        #expect(try client.response().body == "late")
        #expect(try client.response().body == "hello")
    }

    @Test func isOwedAnAnswerEvenIfTheClientIsGone() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(put)
        try server.wait(for: .handled(path: "/write", body: "{}"))
        client.reset()
        // The reset wakes the loop at most once: what is not watched does not spin.
        let turns = try turnsWhileNothingHappens(server)
        #expect(turns < 100)
        #expect(server.rest() == [])
        server.run { handler, _ in handler.answerParked() }
        try server.wait(for: .answered(200))
        try server.wait { $1.connectionCount == 0 }
        #expect(server.rest() == [])
    }

    @Test func doesNotSpinWhileTheClientSendsOrFinishes() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(put)
        try server.wait(for: .handled(path: "/write", body: "{}"))
        try client.send(get)
        client.finishSending()
        #expect(try turnsWhileNothingHappens(server) < 100)
        server.run { handler, _ in handler.answerParked() }
        #expect(try client.readToEnd().hasSuffix("hello"))
    }

    @Test func isToldWhenAllIsClosed() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(put)
        try server.wait(for: .handled(path: "/write", body: "{}"))
        server.run { $1.closeAll() }
        try server.wait(for: .vanished)
        #expect(throws: (any Error).self) { try client.response() }
        #expect(server.rest() == [])
    }
}

@Suite struct LongPollTests {
    let poll = "GET /poll HTTP/1.1\r\nHost: a\r\n\r\n"
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func keepsPipelinedRequestsUntilItIsAnswered() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(poll)
        try server.wait(for: .handled(path: "/poll", body: ""))
        try client.send(get)
        try client.send(get)
        server.run { handler, _ in handler.answerParked() }
        #expect(try client.response().body == "late")
        #expect(try client.response().body == "hello")
        #expect(try client.response().body == "hello")
    }

    @Test func isAnsweredWhenItsClientHasFinishedThenWhatWasPipelinedThenClosed() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(poll)
        try server.wait(for: .handled(path: "/poll", body: ""))
        try client.send(get)
        client.finishSending()
        #expect(try client.response().status == 304)
        #expect(try client.response().body == "hello")
        #expect(try client.readToEnd() == "")
        try server.wait(for: .finished)
    }

    @Test func aPipelinedPollOfAHalfClosedClientIsAnsweredAtOnce() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(poll + poll)
        client.finishSending()
        #expect(try client.response().status == 304)
        #expect(try client.response().status == 304)
        #expect(try client.readToEnd() == "")
    }

    /// The finish is noticed although reading was off while the request before was parked.
    @Test func aPollBehindAParkedWriteNoticesThatItsClientHasFinished() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("PUT /write HTTP/1.1\r\nHost: a\r\n\r\n" + poll)
        try server.wait(for: .handled(path: "/write", body: ""))
        client.finishSending()
        #expect(try turnsWhileNothingHappens(server) < 100)
        server.run { handler, _ in handler.answerParked() }
        #expect(try client.response().body == "late")
        #expect(try client.response().status == 304)
        #expect(try client.readToEnd() == "")
    }

    @Test func aWriteThatGoesOnAsALongPollNoticesThatItsClientHasFinished() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send("PUT /write HTTP/1.1\r\nHost: a\r\n\r\n" + get)
        try server.wait(for: .handled(path: "/write", body: ""))
        client.finishSending()
        #expect(try turnsWhileNothingHappens(server) < 100)
        server.run { handler, _ in for exchange in handler.parked { exchange.park(.longPoll) } }
        #expect(try client.response().status == 304)
        #expect(try client.response().body == "hello")
        #expect(try client.readToEnd() == "")
    }

    @Test func aStreamBehindAPollOfAHalfClosedClientEndsAtOnce() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(poll + "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        client.finishSending()
        #expect(try client.response().status == 304)
        try server.wait(for: .streamClosed)
    }

    @Test func isClosedIfNobodyAnswersAClientThatHasFinished() throws {
        let server = try TestServer()
        let client = try server.client()
        _ = try server.ask { handler, _ in handler.answersFinished = false }
        try client.send(poll)
        client.finishSending()
        #expect(try client.readToEnd() == "")
        #expect(try server.wait(for: .vanished).suffix(2) == [.finished, .vanished])
    }

    @Test func isForgottenWhenItsClientVanishes() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(poll)
        try server.wait(for: .handled(path: "/poll", body: ""))
        client.reset()
        try server.wait(for: .vanished)
        #expect(try server.ask { $1.connectionCount } == 0)
        #expect(server.rest() == [])
    }

    @Test func keepsNoMoreThanAHead() throws {
        let server = try TestServer()
        let client = try server.client()
        try client.send(poll)
        try server.wait(for: .handled(path: "/poll", body: ""))
        let many = 20_000
        let requests = Array(String(repeating: "GET /quiet HTTP/1.1\r\nHost: a\r\n\r\n", count: many).utf8)
        let descriptor = client.descriptor
        let sender = try LoopThread(name: "sender") { try? TestClient.send(requests, to: descriptor) }
        defer { sender.join() }
        try server.wait { largestKept($1) >= 40 * 1024 }
        #expect(try turnsWhileNothingHappens(server) < 100)
        #expect(try server.ask { largestKept($1) } < 40 * 1024 + 64 * 1024)
        server.run { handler, _ in handler.answerParked() }
        #expect(try client.response().body == "late")
        for _ in 0..<many { _ = try client.response() }
    }

    @Test func canBeAnsweredWhileAllAreWalked() throws {
        let server = try TestServer()
        let clients = try (0..<20).map { _ in try server.client() }
        for client in clients { try client.send(poll + poll) }
        for round in 1...2 {
            try server.wait { handler, _ in handler.parked.count == 20 }
            server.run { handler, _ in handler.answerParked("\(round)") }
            for client in clients { #expect(try client.response().body == "\(round)") }
        }
    }
}

/// How often the loop turns within a few ticks of 20 ms in which nobody does anything.
func turnsWhileNothingHappens(_ server: TestServer) throws -> Int {
    let (before, start) = try server.ask { _, server in (server.loop.turns, server.loop.now) }
    try server.wait { $1.loop.now > start + 50_000_000 }
    return try server.ask { _, server in server.loop.turns } - before
}

/// The most bytes that a connection keeps unread.
func largestKept(_ server: HTTPServer) -> Int {
    server.connections.compactMap { $0?.reader?.kept.count }.max() ?? 0
}
