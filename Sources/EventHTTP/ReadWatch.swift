import CLibevent

/// Calls back whenever a descriptor is readable, while both are alive.
final class ReadWatch {
    private let descriptor: Descriptor
    private let action: () -> Void
    private var event: LoopEvent?

    init(loop: EventLoop, _ descriptor: Descriptor, _ action: @escaping () -> Void) {
        self.descriptor = descriptor
        self.action = action
        event = LoopEvent(loop, descriptor.number, EV_READ | EV_PERSIST, descriptorReadable, self)
        event?.add()
    }

    /// Watches no more until `resume()`.
    func pause() { event?.remove() }
    func resume() { event?.add() }

    fileprivate func fire() { action() }
}

/// The watch is alive here: its `deinit` frees the event first. It is retained for the call, because the action may
/// drop the last reference to it.
private func descriptorReadable(_: Int32, _: Int16, _ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<ReadWatch>.fromOpaque(argument).takeUnretainedValue().fire()
}
