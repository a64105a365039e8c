import Glibc
import Synchronization

/// How many connections the process may have; shared by all its loops.
///
/// Descriptors that the budget does not give away are for files: journal, listeners, event loops, eventfds.
public final class ConnectionBudget: Sendable {
    /// Connections that are served as usual.
    public let capacity: Int
    /// Connections beyond `capacity` that are accepted all the same, so as to tell them that the server is full.
    public let courtesy: Int
    private let count = Atomic<Int>(0)
    private let nextComplaint = Atomic<UInt64>(0)

    /// A budget with these numbers; tests make small ones.
    public init(capacity: Int, courtesy: Int) {
        self.capacity = capacity
        self.courtesy = courtesy
    }

    /// The file limit minus a reserve of 64 or a quarter of the limit, whichever is smaller; half of the reserve is
    /// the courtesy, the other half is left for files.
    public convenience init(fileLimit: Int) {
        let reserve = min(64, fileLimit / 4)
        self.init(capacity: fileLimit - reserve, courtesy: reserve / 2)
    }

    /// The file limit of this process, after its soft one has been raised to the hard one.
    public static func fileLimit() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = limit.rlim_max
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(min(limit.rlim_cur, 1 << 30))
    }

    /// Connections open now, over all loops.
    public var connections: Int { count.load(ordering: .relaxed) }

    enum Place {
        /// Within the capacity.
        case regular
        /// Beyond it: to be told that the server is full.
        case courtesy
        /// None left: do not accept.
        case none
    }

    /// Takes a place for a connection that is about to be accepted. A place that is not `.none` is given back by `release`.
    func claim() -> Place {
        let before = count.add(1, ordering: .relaxed).oldValue
        if before < capacity { return .regular }
        if before < capacity + courtesy { return .courtesy }
        release()
        return .none
    }

    func release() { count.subtract(1, ordering: .relaxed) }

    /// True once per ten seconds over all loops: the rate at which a shortage is logged.
    func mayComplain(at now: UInt64) -> Bool {
        let next = nextComplaint.load(ordering: .relaxed)
        guard now >= next else { return false }
        return nextComplaint.compareExchange(
            expected: next, desired: now + 10_000_000_000, ordering: .relaxed
        ).exchanged
    }
}
