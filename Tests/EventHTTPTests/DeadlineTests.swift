import Glibc
import Testing

@testable import EventHTTP

@Suite struct DeadlineTests {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func closesAnIdleConnectionWithoutAWord() throws {
        let server = try TestServer { $0.idle = .milliseconds(50) }
        let client = try server.client()
        #expect(try client.readToEnd() == "")
        let served = try server.client()
        try served.send(get)
        #expect(try served.response().body == "hello")
        #expect(try served.readToEnd() == "")
    }

    @Test func tellsAClientThatDoesNotFinishItsHead() throws {
        let server = try TestServer { $0.headDeadline = .milliseconds(50) }
        let client = try server.client()
        try client.send("GET / HTTP/1.1\r\n")
        let response = try client.response()
        #expect(response.status == 408)
        #expect(response.value(of: "connection") == "close")
        #expect(try client.readToEnd() == "")
    }

    @Test func drippingDoesNotMoveTheDeadlineOfAHead() throws {
        let server = try TestServer { $0.headDeadline = .milliseconds(50) }
        let client = try server.client()
        let descriptor = client.descriptor
        try client.send("GET / HTTP/1.1\r\nX: ")
        // Ends when the server closes.
        let dripping = try LoopThread(name: "drip") {
            while (try? TestClient.send([0x61], to: descriptor)) != nil { usleep(1000) }
        }
        #expect(try client.response().status == 408)
        client.finishSending()
        dripping.join()
    }

    @Test func tellsAClientThatDoesNotFinishItsBody() throws {
        let server = try TestServer { $0.bodyDeadline = .milliseconds(50) }
        let client = try server.client()
        try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        #expect(try client.response().status == 408)
        #expect(try client.readToEnd() == "")
        #expect(try server.wait(for: .answered(408)) == [.answered(408)])
    }

    @Test func resetsAReaderOfAResponseThatMakesNoProgress() throws {
        let server = try TestServer { $0.stallDeadline = .milliseconds(60) }
        let client = try server.client(receiveBuffer: 4096)
        try client.send("GET /big?3000000 HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait(for: .answered(200))
        try server.wait { $1.connectionCount == 0 }
        #expect(throws: TestClient.Failure.receive(ECONNRESET)) { _ = try client.readToEnd() }
    }

    @Test func drippingDoesNotMoveTheDeadlineOfABody() throws {
        let server = try TestServer { $0.bodyDeadline = .milliseconds(50) }
        let client = try server.client()
        let descriptor = client.descriptor
        try client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n")
        let dripping = try LoopThread(name: "drip") {
            while (try? TestClient.send([0x61], to: descriptor)) != nil { usleep(1000) }
        }
        #expect(try client.response().status == 408)
        client.finishSending()
        dripping.join()
    }

    @Test func aParkedRequestHasNoDeadlineOfTheConnection() throws {
        let server = try TestServer {
            $0.headDeadline = .milliseconds(1)
            $0.bodyDeadline = .milliseconds(1)
            $0.idle = .milliseconds(1)
            $0.stallDeadline = .milliseconds(1)
        }
        let clients = [try server.client(), try server.client()]
        try clients[0].send("GET /poll HTTP/1.1\r\nHost: a\r\n\r\n")
        try clients[1].send("GET /write HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.wait { handler, _ in handler.parked.count == 2 }
        let start = try server.ask { $1.loop.now }
        try server.wait { $1.loop.now > start + 60_000_000 }
        server.run { handler, _ in handler.answerParked() }
        for client in clients { #expect(try client.response().body == "late") }
    }
}

@Suite struct DeadlineListsTests {
    private func lists() -> DeadlineLists {
        var limits = ServerLimits()
        limits.headDeadline = .nanoseconds(10)
        limits.idle = .nanoseconds(100)
        return DeadlineLists(limits)
    }

    @Test func givesThoseUpWhoseTimeHasComeInOrder() {
        var lists = lists()
        lists.start(.idle, of: 3, at: 0)
        lists.start(.head, of: 0, at: 50)
        lists.start(.head, of: 1, at: 55)
        #expect(lists.takeDue(at: 59) == nil)
        #expect(lists.takeDue(at: 60)?.slot == 0)
        #expect(lists.takeDue(at: 60) == nil)
        #expect(lists.takeDue(at: 100)?.slot == 1)
        #expect(lists.takeDue(at: 100)?.kind == .idle)
        #expect(lists.takeDue(at: 1000) == nil)
    }

    @Test func forgetsTheDeadlineThatANewOneReplaces() {
        var lists = lists()
        lists.start(.head, of: 0, at: 0)
        lists.start(.head, of: 0, at: 5)
        #expect(lists.takeDue(at: 14) == nil)
        lists.start(.idle, of: 0, at: 5)
        #expect(lists.takeDue(at: 20) == nil)
        lists.cancel(0)
        lists.cancel(7)
        #expect(lists.takeDue(at: 1000) == nil)
    }

    /// The lists against an array of deadlines that is searched.
    @Test func agreesWithASearchOnRandomInput() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededRandom(seed)
        var limits = ServerLimits()
        let durations: [Deadline: UInt64] = [.head: 10, .body: 30, .idle: 75, .stalled: 20, .linger: 1]
        limits.headDeadline = .nanoseconds(10)
        limits.bodyDeadline = .nanoseconds(30)
        limits.idle = .nanoseconds(75)
        limits.stallDeadline = .nanoseconds(20)
        limits.linger = .nanoseconds(1)
        var lists = DeadlineLists(limits)
        var model: [Int32: (kind: Deadline, due: UInt64)] = [:]
        var now: UInt64 = 0
        for _ in 0..<5000 {
            now += UInt64.random(in: 0...2, using: &random)
            let slot = Int32.random(in: 0..<20, using: &random)
            let kind = Deadline.allCases.randomElement(using: &random) ?? .head
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                lists.cancel(slot)
                model[slot] = nil
            case 1:
                var due: Set<Int32> = []
                while let (slot, kind) = lists.takeDue(at: now) {
                    due.insert(slot)
                    #expect(model[slot]?.kind == kind, "seed \(seed)")
                }
                #expect(due == Set(model.filter { $0.value.due <= now }.keys), "seed \(seed)")
                model = model.filter { $0.value.due > now }
            default:
                lists.start(kind, of: slot, at: now)
                model[slot] = (kind, now + (durations[kind] ?? 0))
            }
            #expect(lists.kind(of: slot) == model[slot]?.kind, "seed \(seed)")
        }
    }
}
