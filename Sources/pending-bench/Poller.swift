import CLinux
import Glibc

/// Waits for many descriptors; each is known by a number of its owner's.
final class Poller {
    private let descriptor: Int32
    private var events: [epoll_event]

    /// - Parameter batch: the most events taken at once.
    init(batch: Int = 256) throws(BenchError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .last("epoll_create1") }
        events = Array(repeating: epoll_event(), count: batch)
    }

    deinit { close(descriptor) }

    /// Watches for bytes to read, or at first for the connection to be there.
    func add(_ socket: Socket, _ number: Int, isConnecting: Bool = false) {
        control(EPOLL_CTL_ADD, socket, number, isConnecting ? EPOLLOUT : EPOLLIN)
    }

    /// The connection is there; watches for bytes to read.
    func connected(_ socket: Socket, _ number: Int) { control(EPOLL_CTL_MOD, socket, number, EPOLLIN) }

    private func control(_ operation: Int32, _ socket: Socket, _ number: Int, _ kind: EPOLL_EVENTS) {
        var event = epoll_event()
        event.events = kind.rawValue
        event.data.u64 = UInt64(number)
        epoll_ctl(descriptor, operation, socket.descriptor, &event)
    }

    /// Calls `body` with the number of each descriptor that is ready, after at most `milliseconds`.
    func wait(milliseconds: Int32, _ body: (Int) -> Void) {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        for index in 0..<Int(max(0, count)) { body(Int(events[index].data.u64)) }
    }
}
