import CLibevent

/// A timer of one loop. Fires once per schedule; freed, and so cancelled, with its owner.
public final class LoopTimer {
    private let loop: EventLoop
    private let action: () -> Void
    private var event: LoopEvent?
    private var due: UInt64 = 0
    /// Counts what was asked for, so that a postponed firing knows whether it is still wanted.
    private var request = 0

    init(loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        event = LoopEvent(loop, -1, 0, timerFired, self)
    }

    /// Fires once, when `EventLoop.now` is at least `delay` nanoseconds later than it is now. Replaces what was
    /// scheduled before.
    ///
    /// Up to 5 ms late: libevent's clock is coarse. 0 fires at the end of this turn or of the next, without waiting.
    public func schedule(afterNanoseconds delay: UInt64) {
        cancel()
        due = loop.now + delay
        if delay > 0 { event?.add(afterNanoseconds: delay) } else { firePostponed() }
    }

    private func firePostponed() {
        loop.postpone { [weak self, request] in
            if let self, self.request == request { action() }
        }
    }

    /// Fires no more until it is scheduled again.
    public func cancel() {
        request += 1
        event?.remove()
    }

    fileprivate func fire() {
        // The coarse clock is up to 4 ms behind: who looks at `now` would find the timer early.
        if loop.now < due { event?.add(afterNanoseconds: due - loop.now) } else { action() }
    }
}

/// The timer is alive here: its `deinit` frees the event first. It is retained for the call, because the action may
/// drop the last reference to it.
private func timerFired(_: Int32, _: Int16, _ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<LoopTimer>.fromOpaque(argument).takeUnretainedValue().fire()
}
