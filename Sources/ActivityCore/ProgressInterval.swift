/// The progress of all runs of one phase, from when its set of active runs becomes non-empty until it is empty.
///
/// The mean of the runs' shares, ended ones counting 1; it never falls. Whole numbers only.
struct ProgressInterval: Equatable, Sendable {
    /// Of all runs of the interval, in millionths; those without progress count 0.
    private var sum: Int64 = 0
    private var count: Int64 = 0
    /// Active runs without progress.
    private var indeterminateCount = 0
    /// The highest mean that stood for a while, in millionths.
    private var floor: Int64 = 0

    /// Before the first event of an instant: what stood until now is not fallen below any more. What comes and goes
    /// within one instant nobody sees, so it counts for nothing.
    mutating func hold() {
        if let mean { floor = max(floor, mean) }
    }

    /// A run becomes active; its share is in millionths, nil without progress.
    mutating func join(share: Int64?) {
        count += 1
        add(share)
    }

    /// An active run reports.
    mutating func change(from old: Int64?, to new: Int64?) {
        subtract(old)
        add(new)
    }

    /// A run is active no longer, however it ended: it counts 1.
    mutating func leave(share: Int64?) { change(from: share, to: Progress.whole) }

    /// The mean in thousandths, rounded down; nil while an active run has no progress.
    var thousandths: Int? { mean.map { Int(max(floor, $0) / 1_000) } }

    private var mean: Int64? { indeterminateCount == 0 && count > 0 ? sum / count : nil }

    private mutating func add(_ share: Int64?) {
        if let share { sum += share } else { indeterminateCount += 1 }
    }

    private mutating func subtract(_ share: Int64?) {
        if let share { sum -= share } else { indeterminateCount -= 1 }
    }
}

extension Progress {
    /// The share of a run that is complete.
    static var whole: Int64 { 1_000_000 }

    /// The share done in millionths, rounded down; more than `total` counts as `total`.
    var share: Int64 { Int64(Int128(min(completed, total)) * Int128(Self.whole) / Int128(max(total, 1))) }
}
