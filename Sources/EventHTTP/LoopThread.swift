import CLibevent
import Glibc

/// A POSIX thread with a name, for a loop to run on.
///
/// The body makes what lives on the thread; only values cross into it. Signals that are blocked where the thread is
/// made are blocked in it, too.
public final class LoopThread: Sendable {
    private let thread: pthread_t

    /// Starts a thread. `name` shows in `top -H`, cut to 15 bytes.
    public init(name: String, _ body: @escaping @Sendable () -> Void) throws(EventHTTPError) {
        var thread = pthread_t()
        // Retained here, released by the thread (or below, if there is none).
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        let failure = pthread_create(&thread, nil, runThread, start.toOpaque())
        guard failure == 0 else {
            start.release()
            throw .systemCallFailed(name: "pthread_create", errno: failure)
        }
        self.thread = thread
    }

    /// Waits until the body has returned. Call it once.
    public func join() { pthread_join(thread, nil) }
}

private final class ThreadStart {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
    name_this_thread(start.name)
    start.body()
    return nil
}
