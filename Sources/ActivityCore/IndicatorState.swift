import IndicatorLayout

/// What the runs of one scope contribute to a screen, seen from that scope and every scope below it.
/// While nothing of it is visible (idle or still waiting) there is no snapshot.
public struct PhaseSnapshot: Hashable, Sendable {
    /// Whether work is going on, or the indicator only lingers.
    public enum Visibility: Hashable, Sendable {
        case shown, lingering
    }

    /// Whether work is going on, or the indicator only lingers.
    public var visibility: Visibility
    /// The winning run's title; nil for the screen's `pendingTitle`.
    @Verbatim public var title: String?
    /// The winning run's priority.
    public var priority: Int
    /// The winning run's order of first records; lower is older and wins among equal priorities.
    public var ordinal: UInt64
    /// When the indicator became visible.
    public var pendingSince: Timestamp
    /// The share done in thousandths, rounded down, 0…1000; nil while indeterminate.
    public var thousandths: Int?
    /// The active, non-silent runs; 0 while lingering.
    public var runCount: Int

    /// A snapshot with all its members.
    public init(
        visibility: Visibility, title: String?, priority: Int, ordinal: UInt64, pendingSince: Timestamp,
        thousandths: Int?, runCount: Int
    ) {
        self.visibility = visibility
        self.title = title
        self.priority = priority
        self.ordinal = ordinal
        self.pendingSince = pendingSince
        self.thousandths = thousandths
        self.runCount = runCount
    }
}

/// A screen's indicator as the viewers of one scope see it.
public struct IndicatorState: Hashable, Sendable {
    /// Whether the indicator is visible.
    public var isPending: Bool
    /// The winning run's title; nil for `pendingTitle` while pending, and for `regularTitle` else.
    @Verbatim public var title: String?
    /// The share done in thousandths, 0…1000; nil while indeterminate or not pending.
    public var thousandths: Int?
    /// The active, non-silent runs of all shown phases; 0 while not pending.
    public var runCount: Int
    /// When the indicator became visible; nil while not pending.
    public var pendingSince: Timestamp?

    /// A state with all its members.
    public init(
        isPending: Bool, title: String?, thousandths: Int?, runCount: Int, pendingSince: Timestamp?
    ) {
        self.isPending = isPending
        self.title = title
        self.thousandths = thousandths
        self.runCount = runCount
        self.pendingSince = pendingSince
    }

    /// The state of a screen on which nothing is visible.
    public static let idle = IndicatorState(
        isPending: false, title: nil, thousandths: nil, runCount: 0, pendingSince: nil)
}

extension IndicatorState {
    /// The state seen through `chain`: what is visible of one screen in a scope and its ancestors, nearest first.
    ///
    /// A shown phase beats one that lingers; among equals the highest priority gives the title, then the older
    /// run. `pendingSince` and `thousandths` are those of the phase whose title is seen.
    public init(folding chain: [PhaseSnapshot]) {
        guard var winner = chain.first else {
            self = .idle
            return
        }
        for other in chain.dropFirst() where other.outranks(winner) { winner = other }
        self.init(
            isPending: true, title: winner.title, thousandths: winner.thousandths,
            runCount: chain.reduce(0) { $0 + $1.runCount }, pendingSince: winner.pendingSince)
    }
}

extension PhaseSnapshot {
    /// True when this phase gives the title, and not `other`.
    fileprivate func outranks(_ other: PhaseSnapshot) -> Bool {
        switch (visibility, other.visibility) {
        case (.shown, .lingering): return true
        case (.lingering, .shown): return false
        case (.shown, .shown), (.lingering, .lingering): break
        }
        return priority != other.priority ? priority > other.priority : ordinal < other.ordinal
    }
}
