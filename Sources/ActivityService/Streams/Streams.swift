import AccessRules
import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// How event streams are kept.
struct StreamSettings: Sendable {
    /// Seconds without traffic before a heartbeat, ± 20 %.
    var heartbeat: Double = 15
    /// Seconds until a stream is closed for its age, ± 20 %.
    var maxAge: Double = 1_800
    /// Screens on one request.
    var mostScreens = 256
    /// Views on all streams of a loop together.
    var mostViews = 500_000
    /// Bytes queued per subscriber.
    var queueLimit = 64 * 1024
}

/// Opens event streams, keeps them alive, and ends them. Confined to its loop.
final class Streams {
    private static let second: Double = 1_000_000_000
    private static let comment = EventChunk(payload: EventStreamFormat.comment)

    private let loop: EventLoop
    private let access: AccessControl
    private let board: Board
    private let renderer: Renderer
    private let hub: Hub
    private let metrics: LoopMetrics
    private let settings: StreamSettings
    private var subscribers: [Subscriber] = []
    private var viewCount = 0
    private var tick: LoopTimer?
    private var closing: LoopTimer?
    /// How many streams were open when all began to be closed, how long that takes, and when it ends.
    private var closingCount = 0
    private var closingTime: UInt64 = 1
    private var closingEndsAt: UInt64 = 0
    private let heartbeatEvent: EventChunk

    init(
        loop: EventLoop, access: AccessControl, board: Board, renderer: Renderer, hub: Hub,
        metrics: LoopMetrics, settings: StreamSettings
    ) {
        self.loop = loop
        self.access = access
        self.board = board
        self.renderer = renderer
        self.hub = hub
        self.metrics = metrics
        self.settings = settings
        let within = Int((settings.heartbeat * 1.2).rounded(.up))
        heartbeatEvent = EventChunk(
            payload: EventStreamFormat.event(
                name: "heartbeat", id: nil, data: StreamEventBody.heartbeat(within: within)))
        tick = loop.timer { [unowned self] in keepAlive() }
        closing = loop.timer { [unowned self] in closeSome() }
        tick?.schedule(afterNanoseconds: UInt64(Self.second))
    }

    // MARK: Opening

    /// The header lines of every event stream.
    static let fields: [UInt8] = {
        var lines = FieldLines()
        lines.append("Content-Type", "text/event-stream; charset=utf-8")
        lines.append("Cache-Control", "private, no-cache, no-store, no-transform")
        lines.append("X-Accel-Buffering", "no")
        lines.append("Vary", "Accept, Prefer, Authorization")
        return lines.bytes
    }()

    /// Answers with a stream that begins with the whole current state.
    func open(_ request: ScreenRequest, _ caller: Caller) {
        guard request.isWide else { return openAtOnce(request, caller) }
        caller.exchange.park(.write)
        loop.queue { [self] in openAtOnce(request, caller) }
    }

    private func openAtOnce(_ request: ScreenRequest, _ caller: Caller) {
        // The keys may have changed while it waited for its turn.
        guard access.allows(.screens(in: request.scope), to: caller.credential) else {
            return Self.refuse(.unauthenticated, caller)
        }
        let views = views(of: request)
        guard viewCount + views.count <= settings.mostViews else { return Self.refuse(.full, caller) }
        let groups = hub.groups(of: views, in: request.chain)
        // Registered first, read afterwards: what changes in between comes as a message and is sent if it is news.
        var first = EventStreamFormat.retry(milliseconds: Self.retryDelay())
        let isSingle = views.count == 1 && views[0].label == nil
        var states: [(rendered: RenderedView, generation: UInt64, fits: Bool)] = []
        for group in groups {
            let reading = board.read(group.key.view.screen, in: request.chain)
            let rendered = renderer.render(group.key, reading)
            let event = rendered.event
            let fits = states.isEmpty || first.count + event.count <= settings.queueLimit
            let isKnown = isSingle && request.lastEventID == rendered.token
            if fits, !isKnown { first += event }
            states.append((rendered, reading.generation, fits))
        }
        // Else a script would not know how long a quiet stream may be, before it has been quiet for so long.
        if request.heartbeat == .event { first += heartbeatEvent.framed[heartbeatEvent.payload] }
        guard
            let stream = caller.exchange.openStream(
                fields: Self.fields + caller.fields, first: EventChunk(payload: first), isLast: false)
        else { return groups.forEach(hub.dropIfEmpty) }
        let subscriber = Subscriber(
            stream: stream, heartbeat: request.heartbeat, credential: caller.credential,
            scope: request.scope, closesAt: loop.now + nanoseconds(around: settings.maxAge),
            quiet: quietTime())
        add(subscriber)
        for (group, state) in zip(groups, states) {
            let subscription = Subscription(subscriber: subscriber, group: group)
            if state.fits {
                subscription.sent = state.rendered.token
                subscription.sentGeneration = state.generation
                subscription.isQueued = stream.queuedBytes > 0
            } else {
                subscription.isMarked = true
                subscriber.hasMarked = true
            }
            hub.attach(subscription)
        }
        viewCount += subscriber.subscriptions.count
        if subscriber.hasMarked, stream.queuedBytes == 0 { hub.drained(subscriber) }
    }

    /// Answers with a stream that says why it ends, and when to come back: any other status would stop a browser's
    /// EventSource for good.
    static func refuse(_ reason: StreamCloseReason, _ caller: Caller) {
        _ = caller.exchange.openStream(
            fields: fields + caller.fields, first: EventChunk(payload: farewell(reason)), isLast: true)
    }

    private func views(of request: ScreenRequest) -> [ViewRequest] {
        switch request.selection {
        case .one(let view): [view]
        case .several(let views): views
        case .all(let limit, let after):
            board.listedScreens(in: request.chain)
                .drop { name in
                    after.map { !$0.rawValue.utf8.lexicographicallyPrecedes(name.rawValue.utf8) } ?? false
                }
                .prefix(limit)
                .map { request.view(of: $0, label: $0.rawValue) }
        }
    }

    // MARK: Keeping

    private func add(_ subscriber: Subscriber) {
        subscriber.index = subscribers.count
        subscribers.append(subscriber)
        metrics.streamOpened()
        subscriber.stream.context = subscriber
    }

    /// The stream of `subscriber` is gone, for whatever reason.
    func remove(_ subscriber: Subscriber) {
        subscriber.stream.context = nil
        metrics.streamClosed()
        viewCount -= subscriber.subscriptions.count
        hub.unsubscribe(subscriber)
        let last = subscribers.removeLast()
        guard last !== subscriber else { return }
        last.index = subscriber.index
        subscribers[subscriber.index] = last
    }

    /// Once a second: who has been silent for long gets a heartbeat, who is old is closed.
    private func keepAlive() {
        tick?.schedule(afterNanoseconds: UInt64(Self.second))
        for subscriber in subscribers {
            if loop.now >= subscriber.closesAt {
                close(subscriber, .maxAge)
            } else if loop.now >= subscriber.stream.lastSendAt + subscriber.quiet,
                subscriber.stream.queuedBytes == 0
            {
                subscriber.quiet = quietTime()
                switch subscriber.heartbeat {
                case .comment: subscriber.stream.send(Self.comment)
                case .event: subscriber.stream.send(heartbeatEvent)
                }
            }
        }
    }

    /// A tick may come a second late, and the promise is 1.2 times the heartbeat at the latest.
    private func quietTime() -> UInt64 {
        let latest = max(settings.heartbeat * 0.8, settings.heartbeat * 1.2 - 1)
        return UInt64(Double.random(in: settings.heartbeat * 0.8...latest) * Self.second)
    }

    private func nanoseconds(around seconds: Double) -> UInt64 {
        UInt64(Double.random(in: seconds * 0.8...seconds * 1.2) * Self.second)
    }

    // MARK: Ending

    private static func retryDelay() -> Int { Int.random(in: 2_500...4_500) }

    /// Who has to find a token first need not come back soon.
    private static func farewell(_ reason: StreamCloseReason) -> [UInt8] {
        EventStreamFormat.retry(milliseconds: reason == .unauthenticated ? 60_000 : retryDelay())
            + EventStreamFormat.event(name: "close", id: nil, data: StreamEventBody.close(reason))
    }

    private func close(_ subscriber: Subscriber, _ reason: StreamCloseReason) {
        remove(subscriber)
        subscriber.stream.finish(EventChunk(payload: Self.farewell(reason)))
    }

    /// Ends the streams of those who may no longer read them.
    func closeForbidden() {
        for subscriber in Array(subscribers)
        where !access.allows(.screens(in: subscriber.scope), to: subscriber.credential) {
            close(subscriber, .unauthenticated)
        }
    }

    /// Ends all streams, spread evenly over `seconds` but for the time that the last clients may take to leave.
    func closeAll(over seconds: Double) {
        closingTime = max(1, UInt64(max(seconds / 2, seconds - 1.2) * Self.second))
        closingEndsAt = loop.now + closingTime
        closingCount = subscribers.count
        closeSome()
    }

    /// Closes those whose time has come, and comes back for the others.
    private func closeSome() {
        let left = closingEndsAt > loop.now ? closingEndsAt - loop.now : 0
        let staying = Int(Double(closingCount) * Double(left) / Double(closingTime))
        for subscriber in subscribers.dropFirst(staying) { close(subscriber, .shutdown) }
        if left > 0 { closing?.schedule(afterNanoseconds: min(left, 50_000_000)) }
    }
}
