/// The pure fold of all records about runs: equal wherever the same records were folded.
///
/// Each known run has a *slot*, a small number that stays its own until it is forgotten and ``recycle()`` is
/// called; what others keep about runs is kept by slot. Listed runs are indexed by scope and state, so that a
/// page of a list costs what is on it.
struct Runs: Sendable {
    private struct Entry {
        var key: RunKey
        var run: Run
    }

    private var slots: [RunKey: Int] = [:]
    private var entries: [Entry] = []
    private var free: [Int] = []
    /// Slots of removed runs, still readable, since a committed batch may yet speak of them.
    private var retired: [Int] = []
    private var scopes: [Scope: ScopeRuns] = [:]
    /// How many runs there are of each kind.
    private(set) var counts = RunCounts()
    /// The ordinal of the next new run.
    private(set) var nextOrdinal: UInt64 = 0

    // MARK: Reading

    /// The slot of a known run, be it only remembered.
    func slot(of key: RunKey) -> Int? { slots[key] }

    /// The slots of all known runs, in no order.
    var allSlots: some Collection<Int> { slots.values }

    /// The key of the run in `slot`.
    func key(at slot: Int) -> RunKey { entries[slot].key }

    /// The run in `slot`.
    subscript(slot: Int) -> Run { entries[slot].run }

    /// How many runs of the scope, and of the task in it, are running.
    func running(like key: RunKey) -> (inScope: Int, inTask: Int) {
        guard let scope = scopes[key.scope] else { return (0, 0) }
        return (scope[.running].count, scope.runningPerTask[key.task] ?? 0)
    }

    // MARK: Folding

    /// Adds a run whose key is not known yet, and returns its slot.
    mutating func insert(_ run: Run, for key: RunKey) -> Int {
        let entry = Entry(key: key, run: run)
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            entries[slot] = entry
        } else {
            slot = entries.count
            entries.append(entry)
        }
        slots[key] = slot
        nextOrdinal = max(nextOrdinal, run.ordinal + 1)
        index(slot, from: nil, to: run)
        return slot
    }

    /// Replaces the run in `slot`.
    mutating func replace(at slot: Int, with run: Run) {
        index(slot, from: entries[slot].run, to: run)
        entries[slot].run = run
    }

    /// Removes the run in `slot`; the slot stays readable until ``recycle()``.
    mutating func remove(at slot: Int) {
        index(slot, from: entries[slot].run, to: nil)
        slots[entries[slot].key] = nil
        retired.append(slot)
    }

    /// Undoes the newest ``insert(_:for:)`` that is not undone yet.
    mutating func undoInsert(at slot: Int) {
        nextOrdinal = entries[slot].run.ordinal
        index(slot, from: entries[slot].run, to: nil)
        slots[entries[slot].key] = nil
        free.append(slot)
    }

    /// Undoes the newest ``remove(at:)`` that is not undone yet.
    mutating func undoRemove(at slot: Int) {
        retired.removeLast()
        slots[entries[slot].key] = slot
        index(slot, from: nil, to: entries[slot].run)
    }

    /// Lets the slots of removed runs be used again; nobody speaks of them any more.
    mutating func recycle() {
        guard !retired.isEmpty else { return }
        free += retired
        retired.removeAll(keepingCapacity: true)
    }

    /// Keeps counts and lists in step with one change.
    private mutating func index(_ slot: Int, from old: Run?, to new: Run?) {
        let from = old.map(Kind.init)
        let to = new.map(Kind.init)
        guard from != to else { return }
        if let from { counts.add(-1, to: from) }
        if let to { counts.add(1, to: to) }
        let key = entries[slot].key
        let listed = ListedRun(task: key.task.rawValue, run: key.run.rawValue, slot: slot)
        if case .listed(let state) = from {
            scopes[key.scope]?.remove(listed, in: state, task: key.task)
            if scopes[key.scope]?.isEmpty == true { scopes[key.scope] = nil }
        }
        if case .listed(let state) = to {
            scopes[key.scope, default: ScopeRuns()].insert(listed, in: state, task: key.task)
        }
    }
}

extension Runs: Equatable {
    static func == (a: Runs, b: Runs) -> Bool {
        a.counts == b.counts && a.nextOrdinal == b.nextOrdinal && a.slots.count == b.slots.count
            && a.slots.allSatisfy { key, slot in b.slots[key].map { b[$0] } == a[slot] }
    }
}

// MARK: - Lists

extension Runs {
    /// One page of the listed runs of a scope.
    func page(_ query: RunQuery) -> RunPage {
        guard let scope = scopes[query.scope], query.limit > 0 else {
            return RunPage(runs: [], hasMore: false)
        }
        var found: [ListedRun] = []
        for state in query.state.map({ [$0] }) ?? RunState.allCases {
            found += scope[state].matches(query)
        }
        if query.state == nil { found.sort() }
        return RunPage(
            runs: found.prefix(query.limit).map { (entries[$0.slot].key, entries[$0.slot].run) },
            hasMore: found.count > query.limit)
    }

    /// The newest listed runs of a task: running ones by `startedAt`, then the others by `endedAt`.
    func history(of task: TaskName, in scope: Scope, limit: Int) -> [(RunKey, Run)] {
        guard let scopeRuns = scopes[scope] else { return [] }
        let query = RunQuery(scope: scope, task: task, limit: Int.max - 1)
        func runs(in states: [RunState], newestBy time: (Run) -> Timestamp) -> [(RunKey, Run)] {
            states.flatMap { scopeRuns[$0].matches(query) }
                .map { (entries[$0.slot].key, entries[$0.slot].run) }
                .sorted { (time($0.1), $0.1.ordinal) > (time($1.1), $1.1.ordinal) }
        }
        let running = runs(in: [.running]) { $0.startedAt }
        let others = runs(in: RunState.allCases.filter { $0 != .running }) { $0.endedAt ?? $0.startedAt }
        return Array((running + others).prefix(limit))
    }
}

/// What a run counts as, and which list it is on.
private enum Kind: Equatable {
    case listed(RunState)
    case remembered

    init(_ run: Run) { self = run.isRemembered ? .remembered : .listed(run.state) }
}

extension RunCounts {
    fileprivate mutating func add(_ difference: Int, to kind: Kind) {
        switch kind {
        case .listed(.running): running += difference
        case .listed(.lost): lost += difference
        case .listed(.succeeded): succeeded += difference
        case .listed(.failed): failed += difference
        case .listed(.canceled): canceled += difference
        case .remembered: remembered += difference
        }
    }
}

/// A run's place in the lists of its scope: by task, then run, each by bytes.
private struct ListedRun: Comparable {
    var task: String
    var run: String
    var slot: Int

    static func < (a: ListedRun, b: ListedRun) -> Bool { a.task == b.task ? a.run < b.run : a.task < b.task }
    static func == (a: ListedRun, b: ListedRun) -> Bool { a.task == b.task && a.run == b.run }
}

extension OrderedKeys<ListedRun> {
    /// Up to one more than the page holds, to know whether more follows.
    fileprivate func matches(_ query: RunQuery) -> [ListedRun] {
        let after = query.after.map { ListedRun(task: $0.task.rawValue, run: $0.run.rawValue, slot: 0) }
        let start = query.task.map { ListedRun(task: $0.rawValue, run: "", slot: 0) }
        var found: [ListedRun] = []
        walk(from: [after, start].compactMap(\.self).max()) { listed in
            if let start, listed.task != start.task { return false }
            if listed != after { found.append(listed) }
            return found.count <= query.limit
        }
        return found
    }
}

/// The listed runs of one scope.
private struct ScopeRuns {
    private var lists: [OrderedKeys<ListedRun>] = RunState.allCases.map { _ in OrderedKeys() }
    private(set) var runningPerTask: [TaskName: Int] = [:]

    var isEmpty: Bool { lists.allSatisfy(\.isEmpty) }

    subscript(state: RunState) -> OrderedKeys<ListedRun> { lists[Self.place(of: state)] }

    mutating func insert(_ run: ListedRun, in state: RunState, task: TaskName) {
        lists[Self.place(of: state)].insert(run)
        if state == .running { runningPerTask[task, default: 0] += 1 }
    }

    mutating func remove(_ run: ListedRun, in state: RunState, task: TaskName) {
        lists[Self.place(of: state)].remove(run)
        guard state == .running, let count = runningPerTask[task] else { return }
        runningPerTask[task] = count > 1 ? count - 1 : nil
    }

    private static func place(of state: RunState) -> Int {
        switch state {
        case .running: 0
        case .lost: 1
        case .succeeded: 2
        case .failed: 3
        case .canceled: 4
        }
    }
}
