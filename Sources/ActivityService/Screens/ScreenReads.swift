import AccessRules
import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// Answers reads of screens with JSON: at once from the board, or when it changes. Confined to its loop.
final class ScreenReads {
    private let loop: EventLoop
    private let access: AccessControl
    private let board: Board
    private let renderer: Renderer
    private let hub: Hub
    private let status: Status
    private let metrics: LoopMetrics
    private var agenda: Agenda<LongPoll>?
    /// Parked reads of lists without ids, which any change in their scopes may concern.
    private var listPolls: [ObjectIdentifier: LongPoll] = [:]
    private var parked: [ObjectIdentifier: LongPoll] = [:]

    init(
        loop: EventLoop, access: AccessControl, board: Board, renderer: Renderer, hub: Hub, status: Status,
        metrics: LoopMetrics
    ) {
        self.loop = loop
        self.access = access
        self.board = board
        self.renderer = renderer
        self.hub = hub
        self.status = status
        self.metrics = metrics
        agenda = Agenda(loop: loop) { [unowned self] in isDue($0) }
        hub.reconsider = { [unowned self] in isDue($0) }
    }

    private var isClosing: Bool { status.drainStep.rawValue >= DrainStep.closing.rawValue }

    // MARK: Answering

    /// Answers a GET or HEAD, or parks it.
    func answer(_ read: HotRead, _ head: RequestHead, _ caller: Caller) {
        guard read.request.isWide else { return answerAtOnce(read, head, caller) }
        caller.exchange.park(.write)
        loop.queue { [self] in answerAtOnce(read, head, caller) }
    }

    private func answerAtOnce(_ read: HotRead, _ head: RequestHead, _ caller: Caller) {
        let tags = head.entityTags(.ifNoneMatch)
        let wait = tags == nil || caller.exchange.isHead ? nil : head.wait
        if let tags, let wait, wait > 0, !isClosing { return park(read.request, tags, wait, caller) }
        let rendered = render(read)
        guard let tags, tags.matchesWeakly(rendered.token.hex) else {
            return send(rendered, caller, wait: wait)
        }
        sendNothingNew(rendered, caller, wait: wait, inDrain: isClosing && wait != nil)
    }

    private func park(_ request: ScreenRequest, _ tags: EntityTags, _ wait: Int, _ caller: Caller) {
        let screens = screens(of: request)
        let poll = LongPoll(
            caller: caller, request: request, screens: screens, tags: tags, wait: wait, parkedAt: loop.now,
            readings: screens.map { board.read($0, in: request.chain) })
        // Registered first and read afterwards: a change in between is seen by one of the two.
        register(poll)
        let rendered = render(request)
        guard tags.matchesWeakly(rendered.token.hex) else {
            forget(poll)
            return send(rendered, caller, wait: wait)
        }
        caller.exchange.context = poll
        caller.exchange.park(.longPoll)
        agenda?.schedule(poll, at: poll.deadline)
    }

    private func register(_ poll: LongPoll) {
        parked[ObjectIdentifier(poll)] = poll
        metrics.parked()
        if case .all = poll.request.selection {
            listPolls[ObjectIdentifier(poll)] = poll
        } else {
            hub.watch(poll, poll.screens, in: poll.request.chain)
        }
    }

    /// Takes a poll out of everything; its client gets no answer by this.
    func forget(_ poll: LongPoll) {
        guard !poll.isAnswered else { return }
        poll.isAnswered = true
        metrics.unparked()
        agenda?.cancel(poll)
        parked[ObjectIdentifier(poll)] = nil
        if listPolls.removeValue(forKey: ObjectIdentifier(poll)) == nil {
            hub.unwatch(poll, poll.screens, in: poll.request.scope)
        }
    }

    // MARK: Changes

    /// Something of these screens changed: lists without ids look whether it concerns them.
    func published(_ keys: [ScreenKey], configurations: [ScreenName]) {
        guard !listPolls.isEmpty else { return }
        for poll in Array(listPolls.values)
        where !configurations.isEmpty || keys.contains(where: { poll.request.chain.contains($0.scope) }) {
            isDue(poll)
        }
    }

    /// `poll` is looked at again when its turn comes: thousands may wait for one change, each of hundreds of views.
    private func isDue(_ poll: LongPoll) {
        guard !poll.isAnswered, !poll.isDue else { return }
        poll.isDue = true
        loop.queue { [self] in
            poll.isDue = false
            lookAgain(poll)
        }
    }

    private func lookAgain(_ poll: LongPoll) {
        guard !poll.isAnswered else { return }
        if isClosing || loop.now >= poll.deadline { return conclude(poll) }
        agenda?.schedule(poll, at: poll.deadline)
        reconsider(poll)
    }

    private func reconsider(_ poll: LongPoll) {
        guard loop.now >= poll.parkedAt + LongPoll.patience || hasChangedUrgently(poll) else {
            agenda?.schedule(poll, at: min(poll.deadline, poll.parkedAt + LongPoll.patience))
            return
        }
        let rendered = render(poll.request)
        guard !poll.tags.matchesWeakly(rendered.token.hex) else { return }
        forget(poll)
        send(rendered, poll.caller, wait: poll.wait)
    }

    private func hasChangedUrgently(_ poll: LongPoll) -> Bool {
        if case .all = poll.request.selection, screens(of: poll.request) != poll.screens { return true }
        return zip(poll.screens, poll.readings).contains { screen, old in
            board.read(screen, in: poll.request.chain).differsUrgently(from: old)
        }
    }

    /// Answers a parked poll now, with the newest state or with 304.
    func conclude(_ poll: LongPoll) {
        guard !poll.isAnswered else { return }
        forget(poll)
        let rendered = render(poll.request)
        guard poll.tags.matchesWeakly(rendered.token.hex) else {
            return send(rendered, poll.caller, wait: poll.wait)
        }
        sendNothingNew(rendered, poll.caller, wait: poll.wait, inDrain: isClosing)
    }

    /// Answers those that may no longer read what they wait for.
    func refuseForbidden() {
        for poll in Array(parked.values) {
            let need = AccessNeed.screens(in: poll.request.scope)
            guard let problem = access.refusal(of: need, to: poll.caller.credential) else { continue }
            forget(poll)
            poll.caller.refuse(problem)
        }
    }

    /// Answers every parked poll, since the daemon is shutting down: this is called when ``isClosing`` has become true.
    func concludeAll() {
        for poll in parked.values { isDue(poll) }
    }

    // MARK: Bodies

    /// The configuration of a screen; nil when nobody configured it.
    func configuration(of screen: ScreenName) -> ScreenConfiguration? {
        board.read(screen, in: [.root]).configuration?.value
    }

    private func screens(of request: ScreenRequest) -> [ScreenName] {
        switch request.selection {
        case .one(let view): [view.screen]
        case .several(let views): views.map(\.screen)
        case .all(let limit, let after): listed(request.chain, limit: limit, after: after).screens
        }
    }

    private func listed(_ chain: [Scope], limit: Int, after: ScreenName?) -> (
        screens: [ScreenName], hasMore: Bool
    ) {
        let all = board.listedScreens(in: chain)
        let rest = all.drop { name in
            after.map { !$0.rawValue.utf8.lexicographicallyPrecedes(name.rawValue.utf8) } ?? false
        }
        return (Array(rest.prefix(limit)), rest.count > limit)
    }

    /// The answer of last time while nothing at all was published since.
    private func render(_ read: HotRead) -> RenderedView {
        let generation = board.generation
        if let rendered = read.rendered, read.generation == generation { return rendered }
        let rendered = render(read.request)
        read.remember(rendered, generation)
        return rendered
    }

    private func render(_ request: ScreenRequest) -> RenderedView {
        switch request.selection {
        case .one(let view): return render(view, request)
        case .several(let views): return join(views.map { render($0, request) }, next: nil)
        case .all(let limit, let after):
            let page = listed(request.chain, limit: limit, after: after)
            let views = page.screens.map { render(request.view(of: $0), request) }
            let next =
                page.hasMore ? page.screens.last.map { Cursor.afterScreen($0, scope: request.scope) } : nil
            return join(views, next: next)
        }
    }

    private func render(_ view: ViewRequest, _ request: ScreenRequest) -> RenderedView {
        renderer.render(ViewKey(scope: request.scope, view: view), board.read(view.screen, in: request.chain))
    }

    private func join(_ views: [RenderedView], next: String?) -> RenderedView {
        let (body, token) = ScreenBody.several(views.map(\.body), next: next)
        return RenderedView(body: body, token: token, isPending: views.contains(where: \.isPending))
    }

    // MARK: Answers

    private func send(_ rendered: RenderedView, _ caller: Caller, wait: Int?) {
        var response = Response(status: 200, fields: rendered.fields, body: rendered.body)
        if let wait { response.fields += Self.applied(wait) }
        caller.respond(response)
    }

    private func sendNothingNew(_ rendered: RenderedView, _ caller: Caller, wait: Int?, inDrain: Bool) {
        var response = Response(status: 304, fields: rendered.notModifiedFields)
        if let wait { response.fields += Self.applied(wait) }
        if inDrain, !rendered.isPending { response.fields += Array("Retry-After: 2\r\n".utf8) }
        caller.respond(response)
    }

    private static func applied(_ wait: Int) -> [UInt8] { Array("Preference-Applied: wait=\(wait)\r\n".utf8) }
}
