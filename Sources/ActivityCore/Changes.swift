/// What became different between two calls of ``Registry/takeChanges()``.
public struct Changes: Sendable {
    /// The newest snapshot of each phase whose snapshot differs from the last one taken; nil once nothing of it
    /// is visible. Each key comes once.
    public var screens: [(ScreenKey, PhaseSnapshot?)] = []
    /// The newest configuration of each screen whose configuration changed; nil once it was removed. Each screen
    /// comes once.
    public var configurations: [(ScreenName, ScreenConfiguration?)] = []
    /// The runs of which a member changed, that came to be, or that are no longer known (or only remembered).
    /// A key may come twice.
    public var runs: [RunKey] = []

    /// True when nothing changed.
    public var isEmpty: Bool { screens.isEmpty && configurations.isEmpty && runs.isEmpty }
}

/// How many runs there are of each kind: gauges.
public struct RunCounts: Hashable, Sendable {
    /// Runs whose lease holds.
    public var running = 0
    /// Listed runs whose lease ran out.
    public var lost = 0
    /// Listed runs that succeeded.
    public var succeeded = 0
    /// Listed runs that failed.
    public var failed = 0
    /// Listed runs that were canceled.
    public var canceled = 0
    /// Runs that have left the list and are only remembered.
    public var remembered = 0

    /// Runs that ended or were lost, listed or remembered.
    public var ended: Int { lost + succeeded + failed + canceled + remembered }
}
