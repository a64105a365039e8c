import AccessRules
import ActivityCore
import EventHTTP
import Glibc
import HTTPCodec
import PangoText
import WireFormat

/// Why the service could not start, or had to stop.
public enum ServiceError: Error, Hashable, Sendable {
    /// The screens file cannot be read, or has a fault.
    case configuration(String)
    /// Someone else listens on this address.
    case addressInUse(String)
    /// The journal is newer, corrupt, or held by another process.
    case journal(String)
    /// The system refused what every program needs.
    case system(String)

    /// The process's exit code (see `sysexits.h`).
    public var exitCode: ExitCode {
        switch self {
        case .configuration: .configuration
        case .addressInUse: .unavailable
        case .journal: .journal
        case .system: .system
        }
    }

    /// What went wrong, in one line.
    public var message: String {
        switch self {
        case .configuration(let text), .journal(let text), .system(let text): text
        case .addressInUse(let address): "\(address) is in use by another process"
        }
    }
}

/// Everything that a daemon can be told.
public struct ServiceSettings: Sendable {
    /// Where to listen.
    public var listen: [ListenAddress] = []
    /// The number of I/O loops, 1 or more.
    public var loops = 1
    /// Limits of connections and requests.
    public var limits = ServerLimits()
    /// The most connections; nil for as many as the file limit leaves room for.
    public var connections: Int?
    /// Limits of stored things.
    public var registryLimits = RegistryLimits()
    /// Where runs are kept.
    public var journal = JournalChoice.memory
    /// Seconds to wait for another process that holds the journal.
    public var journalWait = 30.0
    /// The path of the screens file; nil for none.
    public var screens: String?
    /// Whether there is a page for people at `/`.
    public var hasDashboard = true
    /// The path of the file of tokens; nil to let everybody do everything.
    public var tokens: String?
    /// The timing of screens that do not say.
    public var timing = Timing()
    /// Seconds between the announcement of a shutdown and its begin.
    public var drainDelay = 2.0
    /// Seconds over which streams are closed.
    public var drain = 5.0
    var policy = AccessPolicy()
    var streams = StreamSettings()

    /// Settings for trials: the memory journal, one loop, no listener.
    public init() {}
}

extension ServiceSettings {
    /// What one loop gets of what the daemon allows in all. Never too little for the largest answer or stream.
    fileprivate var loopShare: (ServerLimits, LoopSettings) {
        var limits = limits
        limits.unread = max(8 << 20, limits.unread / loops)
        var settings = LoopSettings(
            policy: policy, streams: streams, defaultTiming: timing, hasDashboard: hasDashboard)
        settings.streams.mostViews = max(10_000, streams.mostViews / loops)
        return (limits, settings)
    }
}

/// A running daemon: its loops, its registry, and the way to its end.
///
/// Made and ended by the thread that owns it; the work is done by its own threads.
public final class Service {
    private let settings: ServiceSettings
    private let shared: SharedState
    private var threads: [LoopThread] = []
    private var registryThread: LoopThread?
    private var painterThread: LoopThread?
    /// Where it listens, with real ports.
    public let addresses: [ListenAddress]

    /// Reads the screens file, binds, and starts serving. The journal opens meanwhile; until then requests get 503.
    ///
    /// - Parameter failed: called on a thread of the service when the journal cannot be used; the process should end.
    public init(
        _ settings: ServiceSettings, log: Log, failed: @escaping @Sendable (ServiceError) -> Void
    ) throws(ServiceError) {
        self.settings = settings
        let screens = try Self.readScreens(settings)
        let keys = try Self.readKeys(settings)
        var sockets: [[ListeningSocket]] = Array(repeating: [], count: settings.loops)
        var mailboxes: [Mailbox<LoopMessage>] = []
        let (measurer, painter) = try Self.makeFonts()
        let budget = try Self.makeBudget(settings)
        do throws(EventHTTPError) {
            for address in settings.listen {
                for (loop, own) in try ListeningSocket.bind(address, loops: settings.loops).enumerated() {
                    sockets[loop] += own
                }
            }
            for _ in 0..<settings.loops { mailboxes.append(try Mailbox()) }
            shared = SharedState(
                board: Board(), status: Status(), access: AccessControl(keys: keys), measurer: measurer,
                budget: budget,
                registry: try Mailbox(), painter: try Mailbox(), loops: mailboxes,
                metrics: ServiceMetrics(loops: settings.loops),
                log: log)
        } catch {
            throw ServiceError(error)
        }
        addresses = sockets[0].map(\.address)
        try startThreads(sockets, screens, painter, failed)
    }

    private func startThreads(
        _ sockets: [[ListeningSocket]], _ screens: [(ScreenName, ScreenConfiguration)],
        _ painter: IndicatorPainter, _ failed: @escaping @Sendable (ServiceError) -> Void
    ) throws(ServiceError) {
        let registry = RegistryThread(
            journal: settings.journal, journalWait: settings.journalWait, limits: settings.registryLimits,
            timing: settings.timing, screens: screens, shared: shared)
        let (limits, loopSettings) = settings.loopShare
        let shared = shared
        do throws(EventHTTPError) {
            for (number, listeners) in sockets.enumerated() {
                threads.append(
                    try LoopThread(name: "loop-\(number)") {
                        do throws(EventHTTPError) {
                            let loop = try ServiceLoop(
                                number: number, listeners: listeners, limits: limits, settings: loopSettings,
                                shared: shared)
                            loop.run()
                        } catch {
                            failed(ServiceError(error))
                        }
                    })
            }
            let painting = PainterThread(
                painter: painter, mailbox: shared.painter, loops: shared.loops, log: shared.log)
            painterThread = try LoopThread(name: "painter") {
                do throws(EventHTTPError) { try painting.run() } catch { failed(ServiceError(error)) }
            }
            registryThread = try LoopThread(name: "registry") {
                do throws(ServiceError) { try registry.run() } catch { failed(error) }
            }
        } catch {
            throw ServiceError(error)
        }
    }

    /// Reads the screens file again. A file with a fault changes nothing.
    public func reloadScreens() throws(ServiceError) {
        let screens = try Self.readScreens(settings)
        shared.registry.send(.apply(screens))
    }

    /// Reads the file of tokens again. A file with a fault changes nothing; who may no longer read what is sent to them is
    /// sent away.
    public func reloadTokens() throws(ServiceError) {
        guard let keys = try Self.readKeys(settings) else { return }
        shared.access.replace(keys)
        for mailbox in shared.loops { mailbox.send(.accessChanged) }
    }

    /// Takes the next step of a drain: announced, closing, ending.
    ///
    /// - Parameter step: after `ending` call ``join()``.
    public func drain(_ step: DrainStep) {
        shared.status.setDrainStep(step)
        for mailbox in shared.loops { mailbox.send(.drain(step, seconds: settings.drain)) }
    }

    /// Waits until all that was accepted is answered, then for the last write.
    public func join() {
        for thread in threads { thread.join() }
        shared.painter.send(.stop)
        shared.registry.send(.stop)
        painterThread?.join()
        registryThread?.join()
    }

    private static func makeBudget(_ settings: ServiceSettings) throws(ServiceError) -> ConnectionBudget {
        let fileLimit = ConnectionBudget.fileLimit()
        // What a loop opens for itself, and the journal, the log and the fonts.
        let needed = settings.loops * (5 + settings.listen.count) + 32
        guard fileLimit >= needed else {
            throw .system(
                "The file limit (ulimit -n) is \(fileLimit): \(settings.loops) loops need at least \(needed)")
        }
        let budget = ConnectionBudget(fileLimit: fileLimit)
        guard let wished = settings.connections, wished < budget.capacity else { return budget }
        return ConnectionBudget(capacity: wished, courtesy: budget.courtesy)
    }

    private static func makeFonts() throws(ServiceError) -> (PangoTextMeasurer, IndicatorPainter) {
        do throws(PangoTextError) {
            return (try PangoTextMeasurer(), try IndicatorPainter())
        } catch {
            throw .system("Text cannot be measured: \(error)")
        }
    }

    private static func readKeys(_ settings: ServiceSettings) throws(ServiceError) -> [Key]? {
        guard let path = settings.tokens else { return nil }
        let bytes = try readFile(path, "The tokens file")
        do throws(BodyError) {
            return try KeysFile.decode(bytes)
        } catch {
            throw .configuration("The tokens file \(path): \(error.summary)")
        }
    }

    private static func readFile(_ path: String, _ what: String) throws(ServiceError) -> [UInt8] {
        guard let bytes = FileBytes.read(path, limit: 64 << 20) else {
            throw .configuration("\(what) \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        return bytes
    }

    private static func readScreens(_ settings: ServiceSettings) throws(ServiceError) -> [(
        ScreenName, ScreenConfiguration
    )] {
        guard let path = settings.screens else { return [] }
        let bytes = try readFile(path, "The screens file")
        do throws(BodyError) {
            return try ConfigurationBody.decodeFile(bytes, defaultTiming: settings.timing)
        } catch {
            throw .configuration("The screens file \(path): \(error.summary)")
        }
    }
}

extension ServiceError {
    init(_ error: EventHTTPError) {
        switch error {
        case .addressInUse(let address): self = .addressInUse("\(address)")
        case .hostNotFound(let host, let reason):
            self = .configuration("The host \(host) cannot be listened on: \(reason)")
        case .unusablePath(let path): self = .configuration("The path \(path) cannot be used for a socket")
        case .eventSystemFailed: self = .system("No event loop can be made: out of memory or descriptors")
        case .systemCallFailed(let name, let code):
            self = .system("\(name): \(String(cString: strerror(code)))")
        }
    }
}

extension BodyError {
    /// All of it in one line.
    fileprivate var summary: String {
        switch self {
        case .invalidJSON(let detail): "invalid JSON: \(detail)"
        case .invalidMembers(let faults): faults.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ")
        }
    }
}
