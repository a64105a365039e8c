/// The progress of all runs of one phase, from when its set of active runs becomes non-empty until it is empty.
///
/// The mean of the runs' shares, ended ones counting 1; it never falls. Whole numbers only.
struct ProgressInterval: Equatable, Sendable {
    /// Of all runs of the interval, in millionths; those without progress count 0.
    private var sum: Int64 = 0
    private var count: Int64 = 0
    /// Active runs without progress.
    private var indeterminateCount = 0
    /// The highest mean so far, in millionths.
    private var highest: Int64 = 0

    /// A run becomes active; its share is in millionths, nil without progress.
    mutating func join(share: Int64?) {
        count += 1
        add(share)
        settle()
    }

    /// An active run reports.
    mutating func change(from old: Int64?, to new: Int64?) {
        subtract(old)
        add(new)
        settle()
    }

    /// A run is active no longer, however it ended: it counts 1.
    mutating func leave(share: Int64?) { change(from: share, to: Progress.whole) }

    /// The mean in thousandths, rounded down; nil while an active run has no progress.
    var thousandths: Int? { indeterminateCount == 0 && count > 0 ? Int(highest / 1_000) : nil }

    private mutating func add(_ share: Int64?) {
        if let share { sum += share } else { indeterminateCount += 1 }
    }

    private mutating func subtract(_ share: Int64?) {
        if let share { sum -= share } else { indeterminateCount -= 1 }
    }

    private mutating func settle() {
        if indeterminateCount == 0 { highest = max(highest, sum / count) }
    }
}

extension Progress {
    /// The share of a run that is complete.
    static var whole: Int64 { 1_000_000 }

    /// The share done in millionths, rounded down; more than `total` counts as `total`.
    var share: Int64 { Int64(Int128(min(completed, total)) * Int128(Self.whole) / Int128(total)) }
}
