import CLibevent

/// A timer of one loop. Fires once per schedule; freed, and so cancelled, with its owner.
public final class LoopTimer {
    private let loop: EventLoop
    private let action: () -> Void
    private var event: LoopEvent?

    init(loop: EventLoop, _ action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        event = LoopEvent(loop, -1, 0, timerFired, self)
    }

    /// Fires once, `delay` nanoseconds from now (0: in the next turn). Replaces what was scheduled before.
    public func schedule(afterNanoseconds delay: UInt64) {
        event?.add(afterNanoseconds: delay)
    }

    /// Fires no more until it is scheduled again.
    public func cancel() { event?.remove() }

    fileprivate func fire() { action() }
}

/// The timer is alive here: its `deinit` frees the event first. It is retained for the call, because the action may
/// drop the last reference to it.
private func timerFired(_: Int32, _: Int16, _ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<LoopTimer>.fromOpaque(argument).takeUnretainedValue().fire()
}
