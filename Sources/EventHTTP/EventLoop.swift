import CLibevent
import Glibc

/// Why a loop, a mailbox, a listener or a thread could not be made.
public enum EventHTTPError: Error, Hashable, Sendable {
    /// libevent refused to make an event base or an event: out of memory or descriptors.
    case eventSystemFailed
    /// A system call failed; `errno` is its error number.
    case systemCallFailed(name: String, errno: Int32)
    /// Someone else listens on this address.
    case addressInUse(ListenAddress)
    /// The host has no address on this machine; `reason` is the resolver's text.
    case hostNotFound(host: String, reason: String)
    /// A path for a unix socket that is too long, or holds something that is not a socket.
    case unusablePath(String)

    static func lastError(of name: StaticString) -> EventHTTPError {
        .systemCallFailed(name: "\(name)", errno: errno)
    }
}

/// An event loop: one libevent base, one thread.
///
/// Everything that a loop owns (timers, receivers, servers) is made and used on the thread that runs it, or before
/// that thread runs; none of it is `Sendable`, so the compiler keeps it there. Other threads speak to a loop through
/// a `Mailbox`. The base has no locks (`EVENT_BASE_FLAG_NOLOCK`), so no call into it from another thread is allowed,
/// `event_base_loopbreak` included.
public final class EventLoop {
    let base: OpaquePointer
    /// Where every connection of this loop receives: one buffer, so that an idle connection owns none.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    /// Turns so far. A loop that turns while nothing happens spins.
    private(set) var turns = 0
    private var isRunning = false
    private var reading: UInt64 = 0
    private var hasReading = false
    private var postponed: [() -> Void] = []
    /// Work that waits for its share of a turn, from `firstQueued` on.
    private var queued: [() -> Void] = []
    private var firstQueued = 0
    /// How long a turn may do queued work, in nanoseconds; what was begun is finished.
    private static let queueTime: UInt64 = 2_000_000
    private var receivers: [ReadWatch] = []

    /// Makes a loop that does nothing until `run()`.
    public init() throws(EventHTTPError) {
        guard let config = event_config_new() else { throw .eventSystemFailed }
        defer { event_config_free(config) }
        // The changelist saves about 4 µs per request: an event deleted and added again in one turn costs no
        // epoll_ctl. It asks in return that no descriptor is watched under two numbers in the same base.
        let flags =
            EVENT_BASE_FLAG_NOLOCK.rawValue | EVENT_BASE_FLAG_EPOLL_USE_CHANGELIST.rawValue
            | EVENT_BASE_FLAG_IGNORE_ENV.rawValue
        event_config_set_flag(config, Int32(flags))
        guard let base = event_base_new_with_config(config) else { throw .eventSystemFailed }
        self.base = base
    }

    deinit {
        // Receivers free their events, which must happen while the base exists. Timers and servers hold the loop.
        receivers.removeAll()
        event_base_free(base)
        scratch.deallocate()
    }

    /// Nanoseconds of `CLOCK_MONOTONIC`, read once per turn.
    public var now: UInt64 {
        if !hasReading {
            reading = Self.monotonicNow()
            hasReading = true
        }
        return reading
    }

    /// Runs until `stop()`, once. One turn waits for events, calls back for all that happened, then runs what was
    /// postponed. After the last turn the receivers are gone.
    public func run() {
        isRunning = true
        while isRunning { turn() }
        runPostponed()
        // What is held here usually holds the loop.
        postponed.removeAll()
        queued.removeAll()
        receivers.removeAll()
    }

    /// Ends `run()` after the current turn. Only from the loop's own thread; others send a message that asks for it.
    public func stop() { isRunning = false }

    /// A timer that is not scheduled yet. It holds the loop, and lives as long as its owner holds it.
    public func timer(_ action: @escaping () -> Void) -> LoopTimer { LoopTimer(loop: self, action) }

    /// Calls `consume` on this loop with all messages that have arrived, oldest first, until the loop stops.
    ///
    /// One mailbox has one receiver.
    public func receive<Message: Sendable>(
        from mailbox: Mailbox<Message>, _ consume: @escaping ([Message]) -> Void
    ) {
        let watch = ReadWatch(loop: self, mailbox.descriptor) {
            let messages = mailbox.takeAll()
            if !messages.isEmpty { consume(messages) }
        }
        receivers.append(watch)
    }

    /// Runs `work` at the end of this turn, when no callback is on the stack; work postponed meanwhile waits for the
    /// end of the next turn, which then does not wait for events.
    public func postpone(_ work: @escaping () -> Void) { postponed.append(work) }

    /// Runs `work` behind the events of a turn, first come, first served. All queued work together gets some 2 ms of a
    /// turn: thousands may ask for much at once, and who asks for little is served in between.
    public func queue(_ work: @escaping () -> Void) { queued.append(work) }

    /// One turn; tests and `run()` use it.
    func turn() {
        hasReading = false
        turns += 1
        let waits = postponed.isEmpty && queued.isEmpty ? EVLOOP_ONCE : EVLOOP_NONBLOCK
        event_base_loop(base, waits | EVLOOP_NO_EXIT_ON_EMPTY)
        runPostponed()
        runQueued()
    }

    private func runQueued() {
        guard !queued.isEmpty else { return }
        let end = Self.monotonicNow() + Self.queueTime
        repeat {
            let work = queued[firstQueued]
            firstQueued += 1
            work()
        } while firstQueued < queued.count && Self.monotonicNow() < end
        guard firstQueued < queued.count else {
            queued.removeAll(keepingCapacity: queued.capacity <= 1_024)
            firstQueued = 0
            return
        }
        // Not at each turn: the rest is moved only when it is not the larger part.
        guard firstQueued > queued.count / 2 else { return }
        queued.removeFirst(firstQueued)
        firstQueued = 0
    }

    private func runPostponed() {
        guard !postponed.isEmpty else { return }
        var work: [() -> Void] = []
        swap(&work, &postponed)
        for each in work { each() }
    }

    static func monotonicNow() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
