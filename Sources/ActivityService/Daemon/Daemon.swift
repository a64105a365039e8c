import EventHTTP
import Glibc

/// The life of a daemon's process: from its settings to its exit code. Signals come to the thread that runs it.
public final class Daemon {
    private let settings: ServiceSettings
    private let log: Log
    private let loop: EventLoop
    private let service: Service
    private var signals: SignalWatch?
    private var timer: LoopTimer?
    private var step = DrainStep.none

    /// Starts serving.
    ///
    /// - Throws: when it cannot; the message is one line, and the error has the exit code.
    public init(_ settings: ServiceSettings, log: Log) throws(ServiceError) {
        self.settings = settings
        self.log = log
        // Before any thread is made, so that all of them leave these signals to this one.
        SignalWatch.block([SIGTERM, SIGINT, SIGHUP])
        do throws(EventHTTPError) {
            loop = try EventLoop()
        } catch {
            throw ServiceError(error)
        }
        service = try Service(settings, log: log) { error in
            log.error(error.message, [:])
            exit(error.exitCode.rawValue)
        }
        do throws(EventHTTPError) {
            signals = try SignalWatch(loop: loop, signals: [SIGTERM, SIGINT, SIGHUP]) { [unowned self] in
                received($0)
            }
        } catch {
            throw ServiceError(error)
        }
        timer = loop.timer { [unowned self] in advance() }
    }

    /// Serves until a signal ends it, and all that was accepted is answered.
    public func run() {
        for address in service.addresses { log.info("Listening", ["address": "\(address)"]) }
        loop.run()
        service.join()
        log.info("Stopped", [:])
    }

    private func received(_ signal: Int32) {
        guard signal == SIGHUP else { return end() }
        reload("screens", service.reloadScreens)
        reload("tokens", service.reloadTokens)
    }

    private func reload(_ what: String, _ read: () throws(ServiceError) -> Void) {
        do throws(ServiceError) {
            try read()
        } catch {
            log.error("The \(what) stay as they are", ["reason": error.message])
        }
    }

    /// A first signal begins the drain; a second one takes its next step at once.
    private func end() {
        if step == .none { log.info("Shutting down", [:]) }
        advance()
    }

    private func advance() {
        switch step {
        case .none: take(.announced, for: settings.drainDelay)
        case .announced: take(.closing, for: settings.drain)
        case .closing:
            take(.ending, for: 0)
            loop.stop()
        case .ending: break
        }
    }

    private func take(_ next: DrainStep, for seconds: Double) {
        step = next
        service.drain(next)
        timer?.schedule(afterNanoseconds: UInt64(seconds * 1_000_000_000))
    }
}
