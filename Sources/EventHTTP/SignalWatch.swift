import CLibevent
import Glibc

/// Delivers signals to a loop as ordinary events, by way of a signalfd.
///
/// Signals must be blocked in every thread, or the kernel hands them to one that does not block them and the default
/// action ends the process: call `block` in `main` before any thread is made.
public final class SignalWatch {
    private let watch: ReadWatch

    /// Blocks `signals` in this thread and in those that it makes from now on, and ignores SIGPIPE.
    public static func block(_ signals: [Int32]) {
        var set = Self.set(of: signals)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Calls `action` on the loop with the number of each signal that arrives, while the watch is held.
    public init(
        loop: EventLoop, signals: [Int32], _ action: @escaping (Int32) -> Void
    ) throws(EventHTTPError) {
        Self.block(signals)
        var set = Self.set(of: signals)
        let number = signalfd(-1, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
        guard number >= 0 else { throw .lastError(of: "signalfd") }
        let descriptor = Descriptor(number)
        watch = ReadWatch(loop: loop, descriptor) {
            var info = signalfd_siginfo()
            let size = MemoryLayout<signalfd_siginfo>.size
            while read(descriptor.number, &info, size) == size { action(Int32(info.ssi_signo)) }
        }
    }

    private static func set(of signals: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for signal in signals { sigaddset(&set, signal) }
        return set
    }
}
