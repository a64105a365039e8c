import ActivityCore
import EventHTTP
import HTTPCodec

/// A loop's watchers: subscribers of event streams and parked long polls, found by the screen that changed.
///
/// A publication says only *that* a screen changed; the newest state is read from the board, so the order of
/// messages cannot matter and bursts conflate by themselves. No step costs more than the watchers it reaches.
final class Hub {
    /// How many sends one turn of the loop may take before requests get their turn: some 2 ms.
    private static let sendsPerTurn = 256
    /// The least time between two changes of progress alone, in nanoseconds: at most 10 a second.
    private static let progressInterval: UInt64 = 100_000_000

    private let loop: EventLoop
    private let board: Board
    private let renderer: Renderer
    private let metrics: LoopMetrics
    private let queueLimit: Int
    private var screens: [ScreenName: ScreenNode] = [:]
    /// The groups whose subscriptions are being walked, from `firstWalk` on.
    private var walks: [ViewGroup] = []
    private var firstWalk = 0
    private var turn: LoopTimer?
    private var heldBack: Agenda<ScopeNode>?
    /// Called with each long poll whose screens may have changed.
    var reconsider: (LongPoll) -> Void = { _ in }
    /// When the newest publication was made, in nanoseconds of the loop's clock.
    private var publishedAt: UInt64 = 0

    init(loop: EventLoop, board: Board, renderer: Renderer, metrics: LoopMetrics, queueLimit: Int) {
        self.loop = loop
        self.board = board
        self.renderer = renderer
        self.metrics = metrics
        self.queueLimit = queueLimit
        turn = loop.timer { [unowned self] in takeTurn() }
        heldBack = Agenda(loop: loop) { [unowned self] in release($0) }
    }

    // MARK: Watching

    /// The groups of `views`, made where missing. Read the board only after this: from here on no change is
    /// missed. Who then does not ``attach(_:_:)`` calls ``dropIfEmpty(_:)``.
    func groups(of views: [ViewRequest], in chain: [Scope]) -> [ViewGroup] {
        views.map { view in
            let node = node(for: view.screen, in: chain)
            if let group = node.groups[view] { return group }
            let group = ViewGroup(node: node, key: ViewKey(scope: node.key.scope, view: view))
            node.groups[view] = group
            return group
        }
    }

    /// Adds a subscription, which may already have got a first state.
    func attach(_ subscription: Subscription) {
        subscription.group.add(subscription)
        subscription.subscriber.subscriptions.append(subscription)
        let node = subscription.group.node
        node.newestSent = max(node.newestSent, subscription.sentGeneration)
    }

    /// Takes all views of a subscriber out.
    func unsubscribe(_ subscriber: Subscriber) {
        for subscription in subscriber.subscriptions {
            subscription.group.remove(subscription)
            dropIfEmpty(subscription.group)
        }
        subscriber.subscriptions = []
    }

    /// Forgets a group that nobody subscribes to.
    func dropIfEmpty(_ group: ViewGroup) {
        guard group.subscriptions.isEmpty else { return }
        group.node.groups[group.key.view] = nil
        dropIfEmpty(group.node)
    }

    /// Has `poll` reconsidered at every change of `screens`. Read the board only after this.
    func watch(_ poll: LongPoll, _ screens: [ScreenName], in chain: [Scope]) {
        for screen in screens { node(for: screen, in: chain).polls[ObjectIdentifier(poll)] = poll }
    }

    /// Forgets `poll`.
    func unwatch(_ poll: LongPoll, _ screens: [ScreenName], in scope: Scope) {
        for screen in screens {
            guard let node = self.screens[screen]?.scopes[scope] else { continue }
            node.polls[ObjectIdentifier(poll)] = nil
            dropIfEmpty(node)
        }
    }

    private func node(for screen: ScreenName, in chain: [Scope]) -> ScopeNode {
        let scope = chain.first ?? .root
        if let node = screens[screen]?.scopes[scope] { return node }
        let key = ScreenKey(scope: scope, screen: screen)
        let node = ScopeNode(key: key, chain: chain, reading: board.read(screen, in: chain))
        screens[screen, default: ScreenNode()].add(node)
        board.subscribe(key)
        return node
    }

    private func dropIfEmpty(_ node: ScopeNode) {
        guard node.isEmpty, screens[node.key.screen]?.scopes[node.key.scope] === node else { return }
        screens[node.key.screen]?.remove(node)
        if screens[node.key.screen]?.isEmpty == true { screens[node.key.screen] = nil }
        board.unsubscribe(node.key)
    }

    // MARK: Publication

    /// Something of these screens changed on the board. The caller ends its batch with ``takeTurn()``.
    ///
    /// - Parameter instant: when, in nanoseconds of the loop's clock.
    func published(_ keys: [ScreenKey], configurations: [ScreenName], at instant: UInt64) {
        publishedAt = instant
        for key in keys {
            guard let nodes = screens[key.screen]?.nodes(reachedFrom: key.scope) else { continue }
            for node in nodes { refresh(node) }
        }
        for name in configurations {
            guard let nodes = screens[name]?.scopes.values else { continue }
            for node in nodes { refresh(node) }
        }
    }

    private func refresh(_ node: ScopeNode) {
        for poll in Array(node.polls.values) { reconsider(poll) }
        guard !node.groups.isEmpty, !node.isHoldingBack else { return refreshUrgently(node) }
        let reading = board.read(node.key.screen, in: node.chain)
        guard node.isBehind(reading) else { return }
        let due = node.fannedOutAt + Self.progressInterval
        guard reading.differsUrgently(from: node.reading) || loop.now >= due else {
            node.isHoldingBack = true
            heldBack?.schedule(node, at: due)
            return
        }
        fanOut(node, reading)
    }

    /// While progress is held back, anything else still goes out at once.
    private func refreshUrgently(_ node: ScopeNode) {
        guard !node.groups.isEmpty else { return }
        let reading = board.read(node.key.screen, in: node.chain)
        if reading.differsUrgently(from: node.reading) { fanOut(node, reading) }
    }

    private func release(_ node: ScopeNode) {
        guard node.isHoldingBack else { return }
        node.isHoldingBack = false
        let reading = board.read(node.key.screen, in: node.chain)
        if node.isBehind(reading) { fanOut(node, reading) }
        takeTurn()
    }

    private func fanOut(_ node: ScopeNode, _ reading: Reading) {
        node.reading = reading
        node.fannedOutAt = loop.now
        for group in node.groups.values {
            group.event = renderer.event(group.key, reading)
            group.generation = reading.generation
            if group.beginWalk() { walks.append(group) }
        }
    }

    // MARK: Delivery

    /// Sends what is due, up to a bound; the rest follows in the next turn.
    func takeTurn() {
        var budget = Self.sendsPerTurn
        while firstWalk < walks.count, budget > 0 {
            let group = walks[firstWalk]
            while budget > 0, let subscription = group.nextInWalk() {
                guard let event = group.event, group.generation > subscription.sentGeneration else {
                    continue
                }
                if deliver(event, group.generation, to: subscription) { budget -= 1 }
            }
            guard group.remaining == 0 else { break }
            firstWalk += 1
            let written = Clock.monotonic()
            metrics.publishedToWritten(nanoseconds: written > publishedAt ? written - publishedAt : 0)
        }
        if firstWalk == walks.count {
            walks.removeAll(keepingCapacity: true)
            firstWalk = 0
        } else {
            turn?.schedule(afterNanoseconds: 0)
        }
    }

    /// Room appeared on a stream: what was marked follows, each view in its newest state.
    func drained(_ subscriber: Subscriber) {
        let isEmpty = subscriber.stream.queuedBytes == 0
        guard subscriber.hasMarked || isEmpty else { return }
        subscriber.hasMarked = false
        for subscription in subscriber.subscriptions {
            if isEmpty { subscription.isQueued = false }
            guard subscription.isMarked else { continue }
            let group = subscription.group
            let reading = board.read(group.key.view.screen, in: group.node.chain)
            group.node.newestSent = max(group.node.newestSent, reading.generation)
            deliver(newestEvent(of: group, reading), reading.generation, to: subscription)
        }
    }

    /// What was fanned out, unless `reading` shows something newer.
    private func newestEvent(of group: ViewGroup, _ reading: Reading) -> ViewEvent {
        if let event = group.event, group.node.reading.shows(the: reading) { return event }
        let rendered = renderer.render(group.key, reading)
        return ViewEvent(body: rendered.body, token: rendered.token)
    }

    /// Sends a state, unless the subscriber has it; marks the subscription when it does not fit.
    ///
    /// - Returns: True when something was sent.
    @discardableResult private func deliver(
        _ event: ViewEvent, _ generation: UInt64, to subscription: Subscription
    ) -> Bool {
        let subscriber = subscription.subscriber
        guard subscription.sent != event.token else {
            subscription.sentGeneration = generation
            subscription.isMarked = false
            return false
        }
        guard hasRoom(for: event, of: subscription) else {
            if subscription.isMarked { metrics.conflated() }
            subscription.isMarked = true
            subscriber.hasMarked = true
            return false
        }
        subscription.sent = event.token
        subscription.sentGeneration = generation
        subscription.isMarked = false
        subscriber.stream.send(event.chunk)
        subscription.isQueued = subscriber.stream.queuedBytes > 0
        return true
    }

    /// At most one unsent event per view, and all of a stream within its queue's limit.
    private func hasRoom(for event: ViewEvent, of subscription: Subscription) -> Bool {
        let queued = subscription.subscriber.stream.queuedBytes
        return queued == 0 || (!subscription.isQueued && queued + event.chunk.framed.count <= queueLimit)
    }
}
