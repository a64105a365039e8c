import IndicatorLayout

/// What a run that makes screens pending shows of itself.
struct ActiveRun: Equatable, Sendable {
    /// Nil for the screen's `pendingTitle`.
    @Verbatim var title: String?
    var priority: Int
    var ordinal: UInt64
    /// Of its progress, in millionths; nil without progress.
    var share: Int64?

    /// Nil for a run that is silent, or not running.
    init?(_ run: Run) {
        guard run.state == .running, !run.declaration.isSilent else { return nil }
        title = run.declaration.title
        priority = run.declaration.priority
        ordinal = run.ordinal
        share = run.declaration.progress?.share
    }
}

/// An active run's place in a phase: the highest priority first, then the older run.
struct Rank: Comparable {
    var priority: Int
    var ordinal: UInt64
    var slot: Int

    init(_ run: ActiveRun, slot: Int) {
        priority = run.priority
        ordinal = run.ordinal
        self.slot = slot
    }

    static func < (a: Rank, b: Rank) -> Bool {
        a.priority != b.priority ? a.priority > b.priority : (a.ordinal, a.slot) < (b.ordinal, b.slot)
    }
}
