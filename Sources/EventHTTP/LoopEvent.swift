import CLibevent
import Glibc

/// One libevent event: a descriptor watched for reading or writing, or a timer.
///
/// Owns the `struct event`: made in `init`, freed in `deinit` (`event_free` deletes a pending event first; libevent
/// 2.1.12, event.c). The callback's argument is not retained; who holds the event says why it outlives it.
/// Must be freed before the loop's base, so the owner holds the loop, too.
struct LoopEvent: ~Copyable {
    typealias Callback = @convention(c) (Int32, Int16, UnsafeMutableRawPointer?) -> Void

    private let event: OpaquePointer

    /// `argument` reaches `callback` as it is; `descriptor` −1 is a timer. Not yet pending.
    init(
        _ loop: EventLoop, _ descriptor: Int32, _ what: Int32, _ callback: Callback, _ argument: AnyObject
    ) {
        let pointer = Unmanaged.passUnretained(argument).toOpaque()
        guard let event = event_new(loop.base, descriptor, Int16(what), callback, pointer) else {
            preconditionFailure("no memory for an event of 128 bytes")
        }
        self.event = event
    }

    deinit { event_free(event) }

    /// Starts watching, for as long as the event is not removed if it was made with `EV_PERSIST`.
    func add() { event_add(event, nil) }

    /// Starts watching with a timeout, which replaces one that is pending.
    func add(afterNanoseconds delay: UInt64) {
        // Rounded up to microseconds: a timer that fires early would find its deadline not yet passed.
        let microseconds = Int(min(delay, 1 << 62) / 1000) + 1
        var interval = timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
        event_add(event, &interval)
    }

    /// Stops watching; nothing happens if it was not pending.
    func remove() { event_del(event) }
}
