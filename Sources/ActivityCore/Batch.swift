/// The changes of the commands that were evaluated and not committed yet, in order: enough to commit them, and to
/// take them back.
struct Batch: Sendable {
    enum Change: Sendable {
        /// A renewal that changed nothing and needs no record.
        case renewal(slot: Int, ttl: Int)
        /// One record of a run: nil before it came to be, and after it was forgotten.
        case run(slot: Int, old: Run?, new: Run?, renews: Bool)
        case configuration(ScreenName, old: ScreenConfiguration?, new: ScreenConfiguration?)
    }

    private(set) var changes: [Change] = []
    /// How many screens may become pending by this batch.
    var joiningScreens = 0
    /// The slots renewed in this batch; true where a record tells of it.
    private var renewed: [Int: Bool] = [:]

    mutating func append(_ change: Change) {
        changes.append(change)
        switch change {
        case .renewal(let slot, _): if renewed[slot] == nil { renewed[slot] = false }
        case .run(let slot, _, _, let renews): if renews { renewed[slot] = true }
        case .configuration: break
        }
    }

    /// True when a lease of `slot` begins with this batch.
    func renews(_ slot: Int) -> Bool { renewed[slot] != nil }

    /// The slots of the runs whose workers spoke, by a renewal or an end.
    var heard: Set<Int> {
        var slots = Set(renewed.keys)
        for case .run(let slot, .some, let new?, _) in changes where new.state.isFinal { slots.insert(slot) }
        return slots
    }

    /// True when this batch has a record of such a renewal.
    func recordsRenewal(of slot: Int) -> Bool { renewed[slot] ?? false }

    mutating func clear() {
        changes.removeAll(keepingCapacity: true)
        renewed.removeAll(keepingCapacity: true)
        joiningScreens = 0
    }
}
