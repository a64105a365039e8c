/// All runs, leases, configurations and phases of one daemon: decides what a request changes, and what the
/// passing of time changes. Reads no clock and writes nothing; confined to the registry's thread.
///
/// At each wake, with one reading of the clocks:
/// 1. ``evaluate(_:at:isMet:)`` for each command of the mailbox;
/// 2. write ``uncommitted``, then ``commit(at:)`` — or ``rollBack()``, when it could not be written;
/// 3. ``advance(to:askedFor:)``, always, also when there was no command: only now do screens change, so that
///    leases which ran out before the batch count before it;
/// 4. ``takeChanges()``, publish them, then answer;
/// 5. sleep until ``nextWakeAt``, at most a second.
public struct Registry: Sendable {
    /// An empty registry.
    ///
    /// - Parameter timing: when the indicators of screens show and hide whose configuration does not say.
    public init(limits: RegistryLimits = RegistryLimits(), timing: Timing = Timing()) {}

    /// Folds one stored record; before ``start(at:)`` only.
    public mutating func replay(_ record: Record) {}

    /// Begins to serve what was replayed: each running run gets a full ttl, and its screens are shown at once,
    /// as if since the earliest `startedAt` of their active runs. To be called once, also when nothing was replayed.
    public mutating func start(at moment: Moment) {}

    /// Decides one command and folds what it changes at once, so that the next command of the batch sees it.
    ///
    /// Checks come in the order existence, precondition, conflict, limits. The precondition is skipped where the
    /// run already has the final state that is declared, and where there is nothing to delete.
    /// - Parameter isMet: whether the request's precondition holds for the current value.
    public mutating func evaluate(
        _ command: Command, at moment: Moment, isMet: (Current) -> Bool
    ) -> Outcome { .refused(.notFound) }

    /// The records of the commands evaluated since the last commit, in order. May be empty although commands were
    /// accepted (a renewal need not be recorded); then the batch may be committed at once.
    public var uncommitted: [Record] { [] }

    /// Makes the batch final: its records are stored. Renewals move their deadlines.
    /// Screens follow with ``advance(to:askedFor:)`` at the same moment.
    public mutating func commit(at moment: Moment) {}

    /// Takes the whole batch back, because its records could not be stored.
    public mutating func rollBack() {}

    /// Lets time pass until `moment`: leases run out, ended runs leave the list, indicators show and hide. Not
    /// while a batch is open.
    ///
    /// - Parameter askedFor: the instant at which the caller had asked to be woken; when that is more than 2 s
    ///   ago, the process was held up, and all leases are extended by the lateness. Nil for no such check.
    /// - Returns: records that still have to be stored; they have taken effect already.
    public mutating func advance(to moment: Moment, askedFor: Instant?) -> [Record] { [] }

    /// When ``advance(to:askedFor:)`` is to be called next; in the past when something is due; nil when nothing
    /// is waited for. May be too early, never too late.
    public var nextWakeAt: Instant? { nil }

    /// What became different since the last call; after ``start(at:)`` everything that is visible or configured.
    public mutating func takeChanges() -> Changes { Changes() }

    /// The run with that key; nil when it is unknown or only remembered.
    public func run(_ key: RunKey) -> Run? { nil }

    /// The seconds that are left of a running run's ttl, at least 0; nil for other runs.
    public func expiresIn(_ key: RunKey, at instant: Instant) -> Double? { nil }

    /// One page of the runs of a scope. Costs O(limit), however many runs there are.
    public func runs(matching query: RunQuery) -> RunPage { RunPage(runs: [], hasMore: false) }

    /// The newest runs of a task, at most 120: running ones by `startedAt`, then lost and ended ones by
    /// `endedAt`, newest first.
    public func history(of task: TaskName, in scope: Scope) -> [(RunKey, Run)] { [] }

    /// What is configured of `screen`; nil when nothing is.
    public func configuration(of screen: ScreenName) -> ScreenConfiguration? { nil }

    /// All configured screens.
    public var configurations: [ScreenName: ScreenConfiguration] { [:] }

    /// How many runs there are of each kind.
    public var counts: RunCounts { RunCounts() }
}
