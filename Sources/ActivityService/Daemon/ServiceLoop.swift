import ActivityCore
import EventHTTP
import HTTPCodec
import PangoText

/// What the threads of a daemon share: values, and objects that are safe to share.
struct SharedState: Sendable {
    let board: Board
    let status: Status
    let access: AccessControl
    let measurer: PangoTextMeasurer
    let budget: ConnectionBudget
    let registry: Mailbox<RegistryMessage>
    let painter: Mailbox<PainterMessage>
    let loops: [Mailbox<LoopMessage>]
    let metrics: ServiceMetrics
    let log: Log
}

/// One I/O loop with all that belongs to it: connections, subscribers, and the handler that serves them.
final class ServiceLoop {
    /// How often an ending loop looks whether it is done, in nanoseconds.
    private static let endingStep: UInt64 = 10_000_000
    /// How long an ending loop goes on serving, in nanoseconds.
    private static let endingTime: UInt64 = 800_000_000

    /// How long a turn may work on messages before connections get their turn, in nanoseconds: thousands of large
    /// answers may be among them.
    private static let turnTime: UInt64 = 5_000_000

    private let loop: EventLoop
    private let server: HTTPServer
    private let handler: LoopHandler
    private let parked: Parked
    private var ending: LoopTimer?
    private var endsAt: UInt64 = 0
    /// Messages of other threads, oldest first, and how many of them have been taken.
    private var inbox: [LoopMessage] = []
    private var taken = 0

    /// - Parameters:
    ///   - number: the loop's place among `shared.loops`.
    ///   - listeners: this loop's own.
    init(
        number: Int, listeners: [ListeningSocket], limits: ServerLimits, settings: LoopSettings,
        shared: SharedState
    ) throws(EventHTTPError) {
        loop = try EventLoop()
        let metrics = shared.metrics.loops[number]
        let renderer = Renderer(measurer: shared.measurer)
        let hub = Hub(
            loop: loop, board: shared.board, renderer: renderer, metrics: metrics,
            queueLimit: settings.streams.queueLimit)
        parked = Parked(loop: loop, number: number, registry: shared.registry)
        handler = LoopHandler(
            settings: settings, access: shared.access, status: shared.status, metrics: metrics,
            parked: parked, hub: hub,
            streams: Streams(
                loop: loop, access: shared.access, board: shared.board, renderer: renderer, hub: hub,
                metrics: metrics, settings: settings.streams),
            screens: ScreenReads(
                loop: loop, access: shared.access, board: shared.board, renderer: renderer, hub: hub,
                status: shared.status, metrics: metrics),
            pictures: PictureReads(
                number: number, board: shared.board, renderer: renderer, painter: shared.painter),
            fonts: FontReads(number: number, catalog: shared.measurer.fonts, painter: shared.painter),
            runs: RunReads(
                loop: loop, access: shared.access, parked: parked, status: shared.status, metrics: metrics),
            exposition: {
                shared.metrics.exposition(
                    connections: shared.budget.connections, layoutCache: shared.measurer.statistics)
            })
        server = HTTPServer(
            loop: loop, listeners: listeners, limits: limits, budget: shared.budget, handler: handler,
            log: { shared.log.warning($0, [:]) })
        ending = loop.timer { [unowned self] in endIfDone() }
        loop.receive(from: shared.loops[number]) { [unowned self] in consume($0) }
    }

    /// Serves until the drain has ended.
    func run() {
        server.start()
        loop.run()
    }

    private func consume(_ messages: [LoopMessage]) {
        let isWaiting = taken < inbox.count
        inbox += messages
        if !isWaiting { takeTurn() }
    }

    /// Works on messages in the order in which they were sent: who waits for a run must get its first value before
    /// its next.
    private func takeTurn() {
        let end = Clock.monotonic() + Self.turnTime
        repeat {
            let message = inbox[taken]
            taken += 1
            handler.consume(message)
            if case .drain(let step, let seconds) = message { drain(step, over: seconds) }
        } while taken < inbox.count && Clock.monotonic() < end
        handler.endTurn()
        if taken < inbox.count {
            loop.postpone { [unowned self] in takeTurn() }
        } else {
            inbox.removeAll(keepingCapacity: inbox.capacity <= 1_024)
            taken = 0
        }
    }

    private func drain(_ step: DrainStep, over seconds: Double) {
        switch step {
        case .none, .announced: break
        case .closing:
            handler.beginClosing(over: seconds)
            server.closeConnectionsAfterResponses()
        case .ending:
            server.stopAccepting()
            endsAt = loop.now + Self.endingTime
            endIfDone()
        }
    }

    private func endIfDone() {
        if server.connectionCount == 0 || loop.now >= endsAt {
            server.closeAll()
            loop.stop()
        } else {
            ending?.schedule(afterNanoseconds: Self.endingStep)
        }
    }
}
