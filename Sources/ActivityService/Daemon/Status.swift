import Synchronization

/// How far a drain has come.
public enum DrainStep: Int, Sendable {
    /// All is served.
    case none
    /// Only `/readyz` tells: load balancers look elsewhere.
    case announced
    /// Streams are being closed, long polls answered, connections closed after each response.
    case closing
    /// What the accept queues hold is served, then the listeners are closed.
    case ending
}

/// What every thread may know of the daemon's condition.
final class Status: Sendable {
    private let journalOpen = Atomic(false)
    private let journalFails = Atomic(false)
    private let drain = Atomic(DrainStep.none.rawValue)

    /// True once the journal has been read and writes are accepted.
    var isJournalOpen: Bool { journalOpen.load(ordering: .acquiring) }
    /// True while the last write failed.
    var isJournalFailing: Bool { journalFails.load(ordering: .relaxed) }
    /// How far the drain has come.
    var drainStep: DrainStep { DrainStep(rawValue: drain.load(ordering: .acquiring)) ?? .none }

    /// Why the daemon wants no new traffic; nil when it is ready.
    var reasonNotReady: String? {
        if drainStep != .none { return "the daemon is shutting down" }
        if !isJournalOpen { return "the journal is not open yet" }
        if isJournalFailing { return "the journal cannot be written" }
        return nil
    }

    func openJournal() { journalOpen.store(true, ordering: .releasing) }
    func setJournalFailing(_ fails: Bool) { journalFails.store(fails, ordering: .relaxed) }
    func setDrainStep(_ step: DrainStep) { drain.store(step.rawValue, ordering: .releasing) }
}
