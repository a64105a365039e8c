import Glibc
import HTTPCodec

@testable import EventHTTP

/// What a test handler has been told, in order.
enum Told: Equatable, Sendable {
    case handled(path: String, body: String)
    case answered(Int)
    case finished
    case vanished
    case opened
    case drained
    case streamClosed
    case logged(String)
    case ran
}

/// What a test asks of the loop's thread.
enum Wish: Sendable {
    case run(@Sendable (TestHandler, HTTPServer) -> Void)
    case stop
}

/// A real server on port 0 with loops of its own, and what its handlers have been told.
final class TestServer {
    let address: ListenAddress
    private let wishes: [Mailbox<Wish>]
    private let threads: [LoopThread]
    private let told: Mailbox<Told>
    /// Made once, so that it is there in a loop's thread that has a descriptor table of its own.
    private let answers: Mailbox<any Sendable>
    private var untaken: [Told] = []

    struct TimedOut: Error {
        let waitedFor: String
        let had: [Told]
    }

    init(
        _ address: ListenAddress = .tcp(host: "127.0.0.1", port: 0), loops: Int = 1,
        budget: ConnectionBudget = ConnectionBudget(capacity: 10_000, courtesy: 10),
        _ configure: (inout ServerLimits) -> Void = { _ in }
    ) throws {
        var limits = ServerLimits()
        limits.tick = .milliseconds(20)
        // So that what the server closes only after lingering is not taken for closed in order.
        limits.linger = .seconds(60)
        configure(&limits)
        let sockets = try ListeningSocket.bind(address, loops: loops)
        self.address = sockets[0][0].address
        let told = try Mailbox<Told>()
        self.told = told
        answers = try Mailbox()
        var wishes: [Mailbox<Wish>] = []
        var threads: [LoopThread] = []
        for own in sockets {
            let mailbox = try Mailbox<Wish>()
            wishes.append(mailbox)
            let settings = limits
            threads.append(
                try LoopThread(name: "test loop") {
                    serve(own, settings, budget, mailbox, told)
                })
        }
        self.wishes = wishes
        self.threads = threads
    }

    deinit {
        for mailbox in wishes { mailbox.send(.stop) }
        for thread in threads { thread.join() }
    }

    /// Runs `work` on the first loop.
    func run(_ work: @escaping @Sendable (TestHandler, HTTPServer) -> Void) { wishes[0].send(.run(work)) }

    /// Runs `work` on the first loop and waits for what it returns.
    func ask<Answer: Sendable>(_ work: @escaping @Sendable (TestHandler, HTTPServer) -> Answer) throws
        -> Answer
    {
        run { [answers] in answers.send(work($0, $1)) }
        return try answer()
    }

    /// Holds the first loop up until a message comes into the answer, then runs `work`.
    func hold(then work: @escaping @Sendable (TestHandler, HTTPServer) -> Void) throws -> Mailbox<Bool> {
        let released = try Mailbox<Bool>()
        run { [answers] handler, server in
            answers.send(true)
            var entry = pollfd(fd: released.descriptor.number, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 10_000)
            work(handler, server)
        }
        let _: Bool = try answer()
        return released
    }

    /// Waits until something is true on the first loop.
    func wait(until condition: @escaping @Sendable (TestHandler, HTTPServer) -> Bool) throws {
        run { [answers] in Recheck($0, $1, condition, answers).check() }
        let _: Bool = try answer()
    }

    private func answer<Answer>() throws -> Answer {
        guard wait(for: answers.descriptor), let answer = answers.takeAll().first as? Answer else {
            throw TimedOut(waitedFor: "\(Answer.self)", had: untaken)
        }
        return answer
    }

    func client(receiveBuffer: Int32 = 0) throws -> TestClient {
        try TestClient(address, receiveBuffer: receiveBuffer)
    }

    /// Waits until the handler is told `wanted`, and takes everything up to it.
    @discardableResult
    func wait(for wanted: Told) throws -> [Told] { try wait(for: "\(wanted)") { $0 == wanted } }

    @discardableResult
    func wait(for name: String, _ isWanted: (Told) -> Bool) throws -> [Told] {
        while true {
            if let index = untaken.firstIndex(where: isWanted) {
                defer { untaken.removeFirst(index + 1) }
                return Array(untaken[...index])
            }
            guard wait(for: told.descriptor) else { throw TimedOut(waitedFor: name, had: untaken) }
            untaken += told.takeAll()
        }
    }

    /// What the handler has been told and nobody has waited for.
    func rest() -> [Told] {
        untaken += told.takeAll()
        defer { untaken = [] }
        return untaken
    }

    /// False after 10 s.
    private func wait(for descriptor: Descriptor) -> Bool {
        var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 10_000) == 1
    }
}

/// Looks every 2 ms whether something has become true.
private final class Recheck {
    private let handler: TestHandler
    private let server: HTTPServer
    private let condition: (TestHandler, HTTPServer) -> Bool
    private let answers: Mailbox<any Sendable>
    private var timer: LoopTimer?

    init(
        _ handler: TestHandler, _ server: HTTPServer,
        _ condition: @escaping (TestHandler, HTTPServer) -> Bool,
        _ answers: Mailbox<any Sendable>
    ) {
        self.handler = handler
        self.server = server
        self.condition = condition
        self.answers = answers
        timer = server.loop.timer { [self] in check() }
    }

    func check() {
        if condition(handler, server) {
            answers.send(true)
            timer = nil
        } else {
            timer?.schedule(afterNanoseconds: 2_000_000)
        }
    }
}

private func serve(
    _ sockets: [ListeningSocket], _ limits: ServerLimits, _ budget: ConnectionBudget, _ wishes: Mailbox<Wish>,
    _ told: Mailbox<Told>
) {
    guard let loop = try? EventLoop() else { preconditionFailure("no event loop") }
    let handler = TestHandler(told)
    let server = HTTPServer(loop: loop, listeners: sockets, limits: limits, budget: budget, handler: handler)
    {
        told.send(.logged($0))
    }
    loop.receive(from: wishes) { wishes in
        for wish in wishes {
            switch wish {
            case .run(let work): work(handler, server)
            case .stop:
                server.stopAccepting()
                server.closeAll()
                loop.stop()
            }
        }
    }
    server.start()
    loop.run()
}

/// Answers by path; see `handle`.
final class TestHandler: RequestHandler {
    private let told: Mailbox<Told>
    var parked: [Exchange] = []
    var streams: [EventStream] = []
    /// The body that was opened last, and the size of its parts.
    var body: (ResponseBody, partSize: Int)?
    weak var lastBody: ResponseBody?
    /// Whoever acts on the loop beside it, and goes with it.
    var companion: AnyObject?
    /// Requests that were handed over and have no end yet.
    var owed = 0
    /// Whether a parked long poll is answered when its client has finished.
    var answersFinished = true
    /// Whether nothing is parked any more.
    var answersParkedAtOnce = false

    init(_ told: Mailbox<Told>) { self.told = told }

    func refusal(of head: RequestHead, _ exchange: Exchange) -> Response? {
        if exchange.isServerFull { return Response(status: 503, body: Array("full".utf8)) }
        return Self.text(head.path) == "/refused" ? Response(status: 403, body: Array("no".utf8)) : nil
    }

    func handle(_ head: RequestHead, body: [UInt8], _ exchange: Exchange) {
        let path = Self.text(head.path)
        let text = String(decoding: body, as: UTF8.self)
        if path != "/quiet" {
            told.send(.handled(path: path, body: text.count > 100 ? "\(text.count)" : text))
        }
        exchange.label = 7
        owed += 1
        switch path {
        case "/write" where answersParkedAtOnce, "/poll" where answersParkedAtOnce:
            exchange.respond(Response(status: 200))
        case "/write", "/poll":
            parked.append(exchange)
            exchange.park(path == "/write" ? .write : .longPoll)
        case "/stream", "/last":
            let first = EventChunk(payload: Array("data: first\n\n".utf8))
            let fields = Array("Content-Type: text/event-stream\r\n".utf8)
            guard let stream = exchange.openStream(fields: fields, first: first, isLast: path == "/last")
            else { return }
            streams.append(stream)
            told.send(.opened)
        case "/echo":
            exchange.respond(Response(status: 200, body: body))
        case "/204":
            exchange.respond(Response(status: 204))
        case "/304":
            exchange.respond(Response(status: 304, fields: Array("ETag: \"a\"\r\n".utf8)))
        case "/closes":
            exchange.respond(Response(status: 200, body: Array("bye".utf8), closes: true))
        case "/big":
            let size = head.query.flatMap { Int(Self.text($0)) } ?? 0
            exchange.respond(Response(status: 200, body: [UInt8](repeating: 0x78, count: size)))
        case "/parts":
            let sizes = Self.text(head.query ?? []).split(separator: ",").compactMap { Int($0) }
            let first = [UInt8](repeating: 0x66, count: sizes[1])
            let opened = exchange.openBody(fields: [], length: sizes[0], first: first)
            self.body = opened.map { ($0, sizes[1]) }
            lastBody = opened
            sendParts()
        case "/id":
            exchange.respond(Response(status: 200, body: Array(exchange.requestID.utf8)))
        default:
            exchange.respond(Response(status: 200, body: Array("hello".utf8)))
        }
    }

    func response(to error: ServerError, _ exchange: Exchange) -> Response {
        Response(status: error.status, body: Array("refused".utf8))
    }

    func clientFinished(_ exchange: Exchange) {
        told.send(.finished)
        guard answersFinished else { return }
        parked.removeAll { $0 === exchange }
        exchange.respond(Response(status: 304))
    }

    func clientVanished(_ exchange: Exchange) {
        parked.removeAll { $0 === exchange }
        owed -= 1
        told.send(.vanished)
    }

    func streamDrained(_ stream: EventStream) { told.send(.drained) }

    func bodyDrained(_ body: ResponseBody) {
        told.send(.drained)
        sendParts()
    }

    /// What the kernel takes of the body's parts, and one more.
    func sendParts() {
        while let (body, size) = body, body.isOpen, body.isDrained {
            body.send([UInt8](repeating: 0x6D, count: min(size, body.remaining)))
        }
    }

    func streamClosed(_ stream: EventStream) {
        streams.removeAll { $0 === stream }
        told.send(.streamClosed)
    }

    func answered(_ exchange: Exchange, status: Int, bytes: Int) {
        if exchange.label == 7 { owed -= 1 }
        if exchange.label == 7 || status != 200 { told.send(.answered(status)) }
    }

    /// Answers everything that is parked.
    func answerParked(_ body: String = "late") {
        let all = parked
        parked = []
        for exchange in all { exchange.respond(Response(status: 200, body: Array(body.utf8))) }
    }

    func send(_ text: String) {
        let chunk = EventChunk(payload: Array(text.utf8))
        for stream in streams { stream.send(chunk) }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
