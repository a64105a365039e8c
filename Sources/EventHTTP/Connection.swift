import CLibevent
import Glibc
import HTTPCodec

/// One accepted socket and the state of the conversation on it.
///
/// Compact, because there are many: buffers exist while they hold something, the reader is dropped when a stream
/// opens, and deadlines are kept by the server.
///
/// Its events call back with an unretained pointer to it. The pointer is valid, because the server's table holds the
/// connection until `close()`, which frees both events, and the server then keeps it until the end of the turn, when
/// no callback is on the stack.
final class Connection {
    enum State {
        /// A head or a body is expected; nothing is owed.
        case reading
        /// The application has been asked and has not decided yet.
        case deciding(Exchange)
        /// The application will answer later.
        case parked(Exchange, ParkKind)
        /// A response is queued.
        case writing(Ending)
        /// A response of which more will be handed over.
        case sending(ResponseBody, Ending)
        /// Events are sent.
        case streaming(EventStream)
        /// The last event is queued.
        case finishing(EventStream)
        /// Our end is closed; the client's is waited for, so that no reset overtakes what was sent last.
        case lingering(EventStream?)
        case closed
    }

    /// What follows a response.
    enum Ending {
        case nextRequest
        case close
    }

    let server: HTTPServer
    let slot: Int32
    let descriptor: Int32
    let isServerFull: Bool
    var state = State.reading
    private(set) var readEvent: LoopEvent?
    private(set) var isWatched = false
    /// No request has been answered yet.
    var isFresh = true
    /// Requests are being read; who answers one must not start to read the next.
    var isProcessing = false
    /// Reading on is postponed to the end of the turn.
    var isResuming = false
    /// A send failed; the connection is closed at the end of the turn.
    var isBroken = false
    /// Nil while a stream is open.
    var reader: RequestReader?
    /// The request whose body is being read.
    var pending: PendingRequest?
    /// Bytes that came into an open stream or after a refusal.
    var discarded = 0
    /// What the kernel has not taken yet, and how much of it has been sent.
    var output: [UInt8] = []
    var outputSent = 0
    var writeEvent: LoopEvent?

    init(_ server: HTTPServer, slot: Int32, descriptor: Int32, isServerFull: Bool) {
        self.server = server
        self.slot = slot
        self.descriptor = descriptor
        self.isServerFull = isServerFull
        reader = RequestReader(limits: server.limits.codec)
        readEvent = LoopEvent(server.loop, descriptor, EV_READ | EV_PERSIST, connectionReadable, self)
        watch()
    }

    var now: UInt64 { server.loop.now }
    var handler: any RequestHandler { server.handler }

    /// Looks at what the client sends, from the next turn on.
    func watch() {
        guard !isWatched else { return }
        isWatched = true
        readEvent?.add()
    }

    /// Leaves what the client sends in the kernel. A watch that is not answered by reading would spin.
    func unwatch() {
        guard isWatched else { return }
        isWatched = false
        readEvent?.remove()
    }

    func start(_ deadline: Deadline) { server.deadlines.start(deadline, of: slot, at: now) }

    /// Gives the socket back and tells the application what it has lost by that. Never called from within a call that
    /// the application made, but from events, the tick, postponed work, and `HTTPServer.closeAll`.
    func close() {
        let last = state
        if case .closed = last { return }
        pending?.exchange.state = .vanished
        releaseSocket()
        switch last {
        case .parked(let exchange, _), .deciding(let exchange):
            exchange.state = .vanished
            handler.clientVanished(exchange)
            exchange.context = nil
        case .streaming(let stream), .finishing(let stream), .lingering(.some(let stream)):
            stream.detach()
            server.streamCount -= 1
            handler.streamClosed(stream)
        case .sending(let body, _): body.detach()
        case .reading, .writing, .lingering(.none), .closed: break
        }
    }

    /// Closes with a reset, so that the kernel drops what the client does not take.
    func abort() {
        if case .closed = state { return }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    private func releaseSocket() {
        state = .closed
        readEvent = nil
        reader = nil
        pending = nil
        dropOutput()
        Glibc.close(descriptor)
        server.forget(self)
    }

    /// Whether the application has a request that it has not answered.
    var owesAnswer: Bool {
        switch state {
        case .deciding, .parked: true
        case .reading, .writing, .sending, .streaming, .finishing, .lingering, .closed: false
        }
    }

    /// For draining: closes it if the client has been served and has sent nothing since.
    func closeIfIdle() {
        guard case .reading = state, !isFresh else { return }
        // A request may be in the kernel already; then it is answered.
        becameReadable()
        if case .reading = state, reader?.isBetweenRequests != false, !isResuming { close() }
    }

    /// A deadline of this kind has passed.
    func expire(_ deadline: Deadline) {
        switch deadline {
        case .idle, .linger: close()
        case .stalled: abort()
        case .head, .body: refuse(.timedOut)
        }
    }
}

/// A request whose head is accepted and whose body is not complete. A class, to take little room where there is none.
final class PendingRequest {
    let head: RequestHead
    let exchange: Exchange

    init(_ head: RequestHead, _ exchange: Exchange) {
        self.head = head
        self.exchange = exchange
    }
}

private func connectionReadable(_: Int32, _: Int16, _ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<Connection>.fromOpaque(argument)._withUnsafeGuaranteedRef { $0.becameReadable() }
}
