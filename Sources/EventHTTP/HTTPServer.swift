import Glibc
import HTTPCodec

/// Serves HTTP/1.1 and 1.0 on one loop.
///
/// Connections never move to another loop. A server lives, whoever drops it, until its listeners and connections are
/// closed: call `stopAccepting` and `closeAll` when it is to end.
public final class HTTPServer {
    let loop: EventLoop
    let limits: ServerLimits
    let budget: ConnectionBudget
    let handler: any RequestHandler
    let log: (String) -> Void
    var deadlines: DeadlineLists
    private(set) var isDraining = false
    private var sockets: [ListeningSocket]
    private(set) var listeners: [Listener] = []
    private var ticker: LoopTimer?
    /// When the next tick is due, on the loop's clock.
    private var tickAt: UInt64 = 0
    private(set) var connections: [Connection?] = []
    private var freeSlots: [Int32] = []
    /// Closed in this turn; a callback of theirs may still be on the stack.
    private var closed: [Connection] = []
    private var numbers = RequestNumbers()
    /// Where responses are put together, so that head and body are one send.
    private var assembly: [UInt8] = []
    private var dateSecond = 0
    private var cachedDate = HTTPDate(secondsSince1970: 0)

    /// Connections open on this loop.
    public private(set) var connectionCount = 0
    /// Bytes that wait for their readers on this loop.
    public private(set) var unread = 0
    /// Event streams open on this loop, including those whose last bytes are on their way.
    public internal(set) var streamCount = 0

    /// A server that does nothing until `start()`. `log` gets one line, without a newline, when connections cannot be
    /// accepted or readers are reset for want of memory, at most once in 10 s over all servers that share `budget`.
    public init(
        loop: EventLoop, listeners: [ListeningSocket], limits: ServerLimits = ServerLimits(),
        budget: ConnectionBudget, handler: any RequestHandler, log: @escaping (String) -> Void
    ) {
        self.loop = loop
        self.limits = limits
        self.budget = budget
        self.handler = handler
        self.log = log
        sockets = listeners
        deadlines = DeadlineLists(limits)
    }

    /// Accepts connections from now on.
    public func start() {
        listeners = sockets.map { Listener(self, $0) }
        sockets = []
        ticker = loop.timer { [unowned self] in tick() }
        scheduleTick()
    }

    /// Drains: from now on every response closes its connection, and those on which a client has nothing to say
    /// between two requests are closed. One that has not sent its first request yet is served.
    public func closeConnectionsAfterResponses() {
        isDraining = true
        loop.postpone { [self] in
            for connection in connections { connection?.closeIfIdle() }
        }
    }

    /// Accepts what waits in the queues, which will be served, then closes the listeners.
    public func stopAccepting() {
        for listener in listeners { listener.finish() }
        listeners = []
        for socket in sockets { socket.retire() }
        sockets = []
    }

    /// Closes all connections at once. The application is told of each parked request and each stream before this
    /// returns.
    public func closeAll() {
        for connection in connections { connection?.close() }
    }
}

// MARK: - For connections

extension HTTPServer {
    func adopt(_ descriptor: Int32, isServerFull: Bool) {
        let slot = freeSlots.popLast() ?? Int32(connections.count)
        let connection = Connection(self, slot: slot, descriptor: descriptor, isServerFull: isServerFull)
        if Int(slot) == connections.count {
            connections.append(connection)
        } else {
            connections[Int(slot)] = connection
        }
        connectionCount += 1
        // One that is served out of courtesy has to make haste.
        connection.start(isServerFull ? .head : .idle)
    }

    /// The connection's socket is closed. It stays alive until the end of the turn.
    func forget(_ connection: Connection) {
        // Before the table lets go of it: the callback that led here holds no reference.
        if closed.isEmpty { loop.postpone { [self] in closed.removeAll() } }
        closed.append(connection)
        deadlines.cancel(connection.slot)
        connections[Int(connection.slot)] = nil
        freeSlots.append(connection.slot)
        connectionCount -= 1
        budget.release()
    }

    func newExchange(_ connection: Connection, _ head: RequestHead?) -> Exchange {
        let id = RequestID(client: head?.value(of: .xRequestID)) ?? .generated(numbers.next())
        return Exchange(connection, head, id: id, isServerFull: connection.isServerFull)
    }

    /// The value of Date, made once a second.
    var date: HTTPDate {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &time)
        if time.tv_sec != dateSecond {
            dateSecond = time.tv_sec
            cachedDate = HTTPDate(secondsSince1970: max(0, time.tv_sec))
        }
        return cachedDate
    }

    /// So many more bytes wait for their readers, or fewer.
    func countUnread(_ change: Int) {
        unread += change
        if change > 0, unread > limits.unread { relieve() }
    }

    /// Gives readers up, those with the most first, until a quarter of the room is free again: so the search
    /// for them costs little for each byte that is queued.
    private func relieve() {
        let readers = connections.compactMap(\.self).filter { $0.queuedBytes > 0 }
        for reader in readers.sorted(by: { $0.queuedBytes > $1.queuedBytes }) {
            guard unread > limits.unread / 4 * 3 else { break }
            reader.giveUp()
        }
        guard budget.mayComplain(at: loop.now) else { return }
        log("Readers were reset: \(limits.unread) bytes waited to be read")
    }

    /// Passes what `fill` has put together to `send`; the number of bytes.
    func assemble(_ fill: (inout [UInt8]) -> Void, send: (UnsafeRawBufferPointer) -> Void) -> Int {
        // Moved out: whoever is called may assemble, too.
        var buffer: [UInt8] = []
        swap(&buffer, &assembly)
        buffer.removeAll(keepingCapacity: true)
        fill(&buffer)
        buffer.withUnsafeBytes(send)
        let count = buffer.count
        // A large response does not keep its memory.
        if buffer.capacity <= 256 * 1024 { swap(&buffer, &assembly) }
        return count
    }

    private func tick() {
        // While the process was stopped, or the loop busy, nobody could be heard: that time counts for no deadline.
        let lateness = loop.now > tickAt ? loop.now - tickAt : 0
        if lateness > limits.tick.nanoseconds { deadlines.postpone(by: lateness) }
        scheduleTick()
        while let (slot, deadline) = deadlines.takeDue(at: loop.now) {
            connections[Int(slot)]?.expire(deadline)
        }
    }

    private func scheduleTick() {
        tickAt = loop.now + limits.tick.nanoseconds
        ticker?.schedule(afterNanoseconds: limits.tick.nanoseconds)
    }
}
