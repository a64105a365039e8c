/// Decides how long runs are kept after they ended or were lost: which stay listed, which are only remembered,
/// which are forgotten. Keeps slots and instants, by which it orders them; each step costs O(1).
struct Retention: Sendable {
    private struct Kept {
        enum Place { case listed, remembered }
        var place: Place
        var endedAt: Instant
        var ordinal: UInt64
        /// When it leaves the list, or is forgotten.
        var until: Instant
    }
    private struct ScopedTask: Hashable {
        var scope: Scope
        var task: TaskName
    }

    private let limits: RegistryLimits
    private var kept: [Kept?] = []
    private(set) var count = 0
    /// Listed and remembered ones, in the order of their ends.
    private var all = SlotList()
    /// In the order of their ends, which is that of leaving.
    private var listed = SlotList()
    /// In the order of leaving the list.
    private var remembered = SlotList()
    /// The listed ones of each task, in the order of their ends.
    private var tasks: [ScopedTask: [Int]] = [:]
    /// Tasks with more listed runs than they may have.
    private var crowded: [ScopedTask] = []

    init(limits: RegistryLimits) { self.limits = limits }

    /// Keeps a run that ended, or was lost, at `instant` on the list; one that was kept already begins anew.
    mutating func list(_ slot: Int, key: RunKey, ordinal: UInt64, at instant: Instant) {
        drop(slot, key: key)
        let until = instant.advanced(byNanoseconds: limits.listedFor * 1_000_000)
        keep(slot, Kept(place: .listed, endedAt: instant, ordinal: ordinal, until: until))
        listed.insert(slot, after: predecessor(of: slot, in: listed))
        let task = ScopedTask(scope: key.scope, task: key.task)
        let place = tasks[task]?.lastIndex { isOlder($0, than: slot) }.map { $0 + 1 } ?? 0
        tasks[task, default: []].insert(slot, at: place)
        if tasks[task]?.count == limits.listedPerTask + 1 { crowded.append(task) }
    }

    /// Keeps a listed run in memory only, from `instant` on.
    mutating func remember(_ slot: Int, key: RunKey, at instant: Instant) {
        guard slot < kept.count, var run = kept[slot] else { return }
        drop(slot, key: key)
        run.place = .remembered
        run.until = instant.advanced(byNanoseconds: limits.rememberedFor * 1_000_000)
        keep(slot, run)
        remembered.insert(slot, after: remembered.last)
    }

    /// Keeps the run no longer: it runs again, or is forgotten. Nothing happens when it was not kept.
    mutating func drop(_ slot: Int, key: RunKey) {
        guard slot < kept.count, let old = kept[slot] else { return }
        kept[slot] = nil
        count -= 1
        all.remove(slot)
        switch old.place {
        case .remembered: remembered.remove(slot)
        case .listed:
            listed.remove(slot)
            let task = ScopedTask(scope: key.scope, task: key.task)
            tasks[task]?.removeAll { $0 == slot }
            if tasks[task]?.isEmpty == true { tasks[task] = nil }
        }
    }

    /// A run that is to leave the list by `instant`; it stays until it is remembered or dropped.
    mutating func firstLeaving(by instant: Instant) -> Int? {
        while let task = crowded.last {
            if let slots = tasks[task], slots.count > limits.listedPerTask { return slots.first }
            crowded.removeLast()
        }
        guard let slot = listed.first, isDue(slot, by: instant) else { return nil }
        return slot
    }

    /// A run that is to be forgotten by `instant`; it stays until it is dropped.
    func firstForgotten(by instant: Instant) -> Int? {
        if let slot = remembered.first, isDue(slot, by: instant) { return slot }
        return count > limits.ended ? all.first : nil
    }

    /// True when a limit is exceeded, whatever the time.
    var isDueNow: Bool { !crowded.isEmpty || count > limits.ended }

    /// When time alone makes a run leave the list or be forgotten next.
    var nextDeadline: Instant? {
        [listed.first, remembered.first].compactMap { $0.flatMap { kept[$0]?.until } }.min()
    }

    private func isDue(_ slot: Int, by instant: Instant) -> Bool {
        kept[slot].map { $0.until <= instant } ?? false
    }

    private mutating func keep(_ slot: Int, _ new: Kept) {
        while kept.count <= slot { kept.append(nil) }
        kept[slot] = new
        count += 1
        all.insert(slot, after: predecessor(of: slot, in: all))
    }

    /// Behind which slot of a list in the order of ends `slot` belongs; nearly always the last.
    private func predecessor(of slot: Int, in list: SlotList) -> Int? {
        var place = list.last
        while let other = place, isOlder(slot, than: other) { place = list.slot(before: other) }
        return place
    }

    private func isOlder(_ a: Int, than b: Int) -> Bool {
        guard let a = kept[a], let b = kept[b] else { return false }
        return (a.endedAt, a.ordinal) < (b.endedAt, b.ordinal)
    }
}
