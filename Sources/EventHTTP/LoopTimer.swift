import CLibevent

/// A timer of one loop. Fires once per schedule; freed, and so cancelled, with its owner.
public final class LoopTimer {
    private let loop: EventLoop
    private let action: () -> Void
    private var event: LoopEvent?
    private var due: UInt64 = 0

    init(loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        event = LoopEvent(loop, -1, 0, timerFired, self)
    }

    /// Fires once, when `EventLoop.now` is at least `delay` nanoseconds later than it is now. Replaces what was
    /// scheduled before.
    public func schedule(afterNanoseconds delay: UInt64) {
        due = loop.now + delay
        event?.add(afterNanoseconds: delay)
    }

    /// Fires no more until it is scheduled again.
    public func cancel() { event?.remove() }

    fileprivate func fire() {
        // libevent's clock is the coarse one, up to 4 ms behind: who looks at `now` would find the timer early.
        if loop.now < due { event?.add(afterNanoseconds: due - loop.now) } else { action() }
    }
}

/// The timer is alive here: its `deinit` frees the event first. It is retained for the call, because the action may
/// drop the last reference to it.
private func timerFired(_: Int32, _: Int16, _ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<LoopTimer>.fromOpaque(argument).takeUnretainedValue().fire()
}
