import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// What every loop of a daemon is made from.
struct LoopSettings: Sendable {
    var policy = AccessPolicy()
    var streams = StreamSettings()
    var defaultTiming = Timing()
    /// Whether there is a page for people at `/`.
    var hasDashboard = true
}

/// Answers the requests of one loop: judges who may ask, finds the resource, and hands over to the one who knows.
final class LoopHandler: RequestHandler {
    private let settings: LoopSettings
    private let access: AccessControl
    private let status: Status
    private let metrics: LoopMetrics
    private let parked: Parked
    private let hub: Hub
    private let streams: Streams
    private let screens: ScreenReads
    private let pictures: PictureReads
    private let fonts: FontReads
    private let runs: RunReads
    private let writes: RunWrites
    private let exposition: () -> [UInt8]
    private var hotReads = HotReads()

    /// - Parameter exposition: the metrics of all loops, as Prometheus reads them.
    init(
        settings: LoopSettings, access: AccessControl, status: Status, metrics: LoopMetrics, parked: Parked,
        hub: Hub,
        streams: Streams,
        screens: ScreenReads, pictures: PictureReads, fonts: FontReads, runs: RunReads,
        exposition: @escaping () -> [UInt8]
    ) {
        self.settings = settings
        self.access = access
        self.status = status
        self.metrics = metrics
        self.parked = parked
        self.hub = hub
        self.streams = streams
        self.screens = screens
        self.pictures = pictures
        self.fonts = fonts
        self.runs = runs
        writes = RunWrites(access: access, parked: parked, defaultTiming: settings.defaultTiming)
        self.exposition = exposition
    }

    // MARK: Judging

    /// What was found out about a request before its body was read.
    private final class Admitted {
        let route: Route
        let credential: Credential?

        init(_ route: Route, _ credential: Credential?) {
            self.route = route
            self.credential = credential
        }
    }

    func refusal(of head: RequestHead, _ exchange: Exchange) -> Response? {
        // Without a body there is nothing to spare: `handle` follows at once, and judges.
        guard head.bodyFraming != .none else { return nil }
        do throws(Problem) {
            exchange.context = try admit(head, exchange)
            return nil
        } catch {
            var response = error.response
            response.fields += Caller(exchange, head, policy: settings.policy).fields
            return response
        }
    }

    /// The resource, if the request may have it: the order of checks is 421, path and method, 401, names, 403, 415.
    private func admit(_ head: RequestHead, _ exchange: Exchange) throws(Problem) -> Admitted {
        guard let path = ResourcePath(head.path) else {
            guard allowsHost(of: head) else { throw Problem.misdirected }
            throw Problem.noSuchResource
        }
        exchange.label = path.resource.label.rawValue
        guard path.resource.isExemptFromHostCheck || allowsHost(of: head) else {
            throw Problem.misdirected
        }
        if !settings.hasDashboard, path.isDashboard { throw Problem.noSuchResource }
        guard path.resource.allows(head.method) else { throw Problem.methodNotAllowed(path.resource) }
        let isPublic = path.resource.isPublic || head.method == .options
        let credential = isPublic ? nil : try credential(of: head, for: path.resource)
        let route = try Route(path)
        let needs = isPublic ? [] : route.needs(of: head)
        guard needs.isEmpty || needs.contains(where: { access.allows($0, to: credential) }) else {
            throw Problem.forbidden
        }
        if head.method.isWrite {
            guard !access.isOpen || settings.policy.allowsWrite(from: head) else {
                throw Problem.foreignOrigin
            }
            guard head.method == .delete || head.bodyFraming == .none || head.hasJSONBody else {
                throw Problem.unsupportedBody
            }
        }
        return Admitted(route, credential)
    }

    /// Who asks, by a token or, to read screens, by a ticket; nil when everybody may do everything.
    private func credential(of head: RequestHead, for resource: Resource) throws(Problem) -> Credential? {
        guard !access.isOpen, resource == .screen || resource == .screens,
            let ticket = Self.ticket(in: head)
        else { return try access.credential(of: head) }
        // What tickets are signed with is in the journal.
        guard status.isJournalOpen else { throw Problem.unavailable("the journal is not open yet") }
        return try access.credential(ofTicket: ticket, for: head.path)
    }

    /// The ticket of a read; a token wins over it.
    private static func ticket(in head: RequestHead) -> String? {
        guard head.method == .get || head.method == .head, head.value(of: .authorization) == nil else {
            return nil
        }
        return (try? Parameters(head.query).all("ticket"))?.first
    }

    /// Answers an event stream that may not be opened now, but later, or with another ticket: any other status than 200
    /// would stop a browser's EventSource for good.
    private func refuseStream(_ problem: Problem, _ head: RequestHead, _ caller: Caller) -> Bool {
        guard head.method == .get, Self.ticket(in: head) != nil, !access.isOpen,
            problem == .unknownTicket || problem.kind == .unavailable,
            let path = ResourcePath(head.path), ScreenRequest.asksForStream(head, path.resource)
        else { return false }
        caller.exchange.label = RouteLabel.stream.rawValue
        Streams.refuse(problem == .unknownTicket ? .unauthenticated : .full, caller)
        return true
    }

    /// Where a token is asked for, no name that a page gives us can make its reader's browser show one.
    private func allowsHost(of head: RequestHead) -> Bool {
        !access.isOpen || settings.policy.allowsHost(of: head)
    }

    func response(to error: ServerError, _ exchange: Exchange) -> Response { Problem(error).response }

    // MARK: Answering

    func handle(_ head: RequestHead, body: [UInt8], _ exchange: Exchange) {
        var caller = Caller(exchange, head, policy: settings.policy)
        if answerHotRead(head, caller) { return }
        do throws(Problem) {
            let admitted: Admitted
            if let found = exchange.context as? Admitted {
                admitted = found
                exchange.context = nil
            } else {
                admitted = try admit(head, exchange)
            }
            let route = admitted.route
            caller.credential = admitted.credential
            switch head.method {
            case .options: caller.respond(options(route, head))
            case .get, .head: try read(route, head, caller)
            case .put, .post, .patch, .delete: try write(route, head, body, caller)
            case .connect, .trace: throw Problem.noSuchResource
            }
        } catch {
            if !refuseStream(error, head, caller) { caller.refuse(error) }
        }
    }

    /// Answers what was asked before in the same words. The checks are those of any request; only the reading of
    /// the target is spared.
    private func answerHotRead(_ head: RequestHead, _ caller: Caller) -> Bool {
        guard head.method == .get || head.method == .head, let read = hotReads.find(head),
            allowsHost(of: head), !caller.exchange.isServerFull, status.isJournalOpen
        else { return false }
        var caller = caller
        if !access.isOpen {
            // Refusals, too, are those of any request.
            guard let credential = try? credential(of: head, for: .screen),
                access.allows(.screens(in: read.request.scope), to: credential)
            else { return false }
            caller.credential = credential
        }
        caller.exchange.label = read.label.rawValue
        screens.answer(read, head, caller)
        hotReads.remember(read, head)
        return true
    }

    private func options(_ route: Route, _ head: RequestHead) -> Response {
        var lines = FieldLines()
        lines.append("Allow", route.resource.methods)
        let isAllowed = settings.policy.allowedOrigin(of: head) != nil
        return Response(
            status: 204,
            fields: lines.bytes + (isAllowed ? CORS.preflight(allowing: route.resource.methods) : []))
    }

    private func read(_ route: Route, _ head: RequestHead, _ caller: Caller) throws(Problem) {
        switch route {
        case .health: return caller.respond(.text(Array("ok\n".utf8)))
        case .readiness:
            if let reason = status.reasonNotReady { throw Problem.unavailable(reason) }
            return caller.respond(.text(Array("ready\n".utf8)))
        case .metrics:
            return caller.respond(.text(exposition(), type: "text/plain; version=0.0.4; charset=utf-8"))
        case .screen(let key): try screen(key.screen, in: key.scope, head, caller)
        case .screens(let scope): try screen(nil, in: scope, head, caller)
        case .run(let key):
            try checkService(caller)
            runs.run(key, head, caller)
        case .runsOfTask(let task, let scope):
            try checkService(caller)
            runs.history(of: task, scope, caller)
        case .runs(let scope):
            try checkService(caller)
            runs.list(scope, head, caller)
        case .configuration(let name):
            try checkService(caller)
            try configuration(name, head, caller)
        case .web(let file):
            if caller.exchange.isServerFull { throw Problem.full }
            // Not with the caller's lines: who may load a file does not depend on who may read a state.
            caller.exchange.respond(file.response(to: head))
        case .font(let name):
            if caller.exchange.isServerFull { throw Problem.full }
            try fonts.answer(name, head, caller)
        case .tickets, .server: throw Problem.noSuchResource
        }
    }

    /// One screen, or several when none is named by the path.
    private func screen(
        _ screen: ScreenName?, in scope: Scope, _ head: RequestHead, _ caller: Caller
    ) throws(Problem) {
        let request = try ScreenRequest(
            head, screen: screen, scope: scope, mostScreens: settings.streams.mostScreens)
        switch request.format {
        case .json:
            try checkService(caller)
            let read = HotRead(request)
            screens.answer(read, head, caller)
            hotReads.remember(read, head)
        case .svg, .png:
            caller.exchange.label = RouteLabel.picture.rawValue
            try checkService(caller)
            if case .one(let view) = request.selection { try pictures.answer(view, request, head, caller) }
        case .sse:
            caller.exchange.label = RouteLabel.stream.rawValue
            if caller.exchange.isHead { return caller.respond(Response(status: 200, fields: Streams.fields)) }
            if caller.exchange.isServerFull || !status.isJournalOpen { return Streams.refuse(.full, caller) }
            if status.drainStep.rawValue >= DrainStep.closing.rawValue {
                return Streams.refuse(.shutdown, caller)
            }
            streams.open(request, caller)
        }
    }

    private func configuration(_ name: ScreenName, _ head: RequestHead, _ caller: Caller) throws(Problem) {
        guard let published = screens.configuration(of: name) else {
            throw Problem(.notFound, "The screen has no configuration of its own; the defaults are in force.")
        }
        let body = ConfigurationBody.encode(published, for: name, defaultTiming: settings.defaultTiming)
        let token = Token(of: body)
        var response = Response.json(status: 200, body, token: token)
        if let tags = head.entityTags(.ifNoneMatch), tags.matchesWeakly(token.hex) { response.status = 304 }
        caller.respond(response)
    }

    private func write(_ route: Route, _ head: RequestHead, _ body: [UInt8], _ caller: Caller) throws(Problem)
    {
        try checkService(caller)
        switch (route, head.method) {
        case (.run(let key), .put): writes.put(key, head, body, caller)
        case (.run(let key), .patch): writes.patch(key, head, body, caller)
        case (.run(let key), .delete): writes.delete(key, head, caller)
        case (.runsOfTask(let task, let scope), .post): writes.post(task, scope, head, body, caller)
        case (.tickets, .post): try ticket(body, caller)
        case (.configuration(let name), .put): writes.configure(name, head, body, caller)
        case (.configuration(let name), .delete): writes.removeConfiguration(name, head, caller)
        default: throw Problem.noSuchResource
        }
    }

    /// Gives a ticket for a path that the caller may read.
    private func ticket(_ body: [UInt8], _ caller: Caller) throws(Problem) {
        guard let credential = caller.credential else {
            throw Problem(.notFound, "No tokens are configured: nobody needs a ticket.")
        }
        let text: String
        do throws(BodyError) { text = try TicketBody.decode(body) } catch { throw Problem(error) }
        let path = Array(text.utf8)
        guard let found = ResourcePath(path[...]), found.resource == .screen || found.resource == .screens,
            let route = try? Route(found), let scope = route.scopeOfScreens
        else {
            let fault = MemberFault(
                pointer: "/path", detail: "must be the path of screens, such as /v1/screens, without a query")
            throw Problem(BodyError.invalidMembers([fault]))
        }
        if let refusal = access.refusal(of: .screens(in: scope), to: credential) { throw refusal }
        guard let ticket = access.ticket(for: text, to: credential) else {
            throw Problem.unavailable("the journal is not open yet")
        }
        var response = Response.json(
            status: 201, TicketBody.encode(ticket.text, expiresIn: ticket.seconds), token: nil)
        response.fields = Array("Content-Type: application/json\r\nCache-Control: no-store\r\n".utf8)
        caller.respond(response)
    }

    /// - Throws: `unavailable` when all connections are in use, or the journal is not open yet.
    private func checkService(_ caller: Caller) throws(Problem) {
        if caller.exchange.isServerFull { throw Problem.full }
        if !status.isJournalOpen { throw Problem.unavailable("the journal is not open yet") }
    }

    // MARK: Connections

    func clientFinished(_ exchange: Exchange) {
        if let poll = exchange.context as? LongPoll { screens.conclude(poll) }
        if let poll = exchange.context as? RunPoll { runs.conclude(poll, inDrain: false) }
    }

    func clientVanished(_ exchange: Exchange) {
        if let poll = exchange.context as? LongPoll { screens.forget(poll) }
        if let poll = exchange.context as? RunPoll { runs.forget(poll) }
    }

    func streamDrained(_ stream: EventStream) {
        if let subscriber = stream.context as? Subscriber { hub.drained(subscriber) }
    }

    func streamClosed(_ stream: EventStream) {
        if let subscriber = stream.context as? Subscriber { streams.remove(subscriber) }
    }

    func bodyDrained(_ body: ResponseBody) { fonts.drained(body) }

    /// The drain's window has begun: parked long polls are answered, streams are closed over `seconds`.
    func beginClosing(over seconds: Double) {
        screens.concludeAll()
        runs.concludeAll()
        streams.closeAll(over: seconds)
    }

    func answered(_ exchange: Exchange, status: Int, bytes: Int) {
        metrics.answered(route: exchange.label, status: status)
    }

    // MARK: Messages

    /// Takes a message of another thread. ``endTurn()`` follows.
    func consume(_ message: LoopMessage) {
        switch message {
        case .published(let keys, let configurations, let instant):
            hub.published(keys, configurations: configurations, at: instant)
            screens.published(keys, configurations: configurations)
        case .runChanged(let key, let run): runs.changed(key, run)
        case .reply(let reply, let number): parked.resume(number, with: reply)
        case .painted(let token, let file): pictures.painted(token, file)
        case .read(let number, let part): fonts.read(number, part)
        case .accessChanged:
            streams.closeForbidden()
            screens.refuseForbidden()
            runs.refuseForbidden()
        case .drain: break
        }
    }

    /// After the messages of a turn: one turn of the fan-out.
    func endTurn() { hub.takeTurn() }
}
