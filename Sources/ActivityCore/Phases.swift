/// The phases of all screens in all scopes: fed with active runs and instants, they say what is visible.
///
/// Active runs are a set by identity. A run is known by its slot (see ``Runs``), and knows its phases, so that a
/// report costs the same however many other runs and screens there are.
struct Phases: Sendable {
    private struct Member {
        var scope: Scope
        var task: TaskName
        var run: ActiveRun
        var phases: [Int]
    }

    private let defaultTiming: Timing
    private var screens = ScreenIndex()
    private var phases: [Phase] = []
    private var free: [Int] = []
    private var ids: [ScreenName: [Scope: Int]] = [:]
    private var timers = DeadlineHeap()
    /// By slot.
    private var members: [Member?] = []
    private var membersByTask = OrderedKeys<TaskSlot>()
    /// Phases whose snapshot may differ from the one taken last.
    private var touched: [Int] = []

    /// No phase at all; `timing` is that of screens whose configuration does not say.
    init(timing: Timing) { defaultTiming = timing }

    /// How many screens are pending or wait to be, over all scopes.
    var count: Int { phases.count - free.count }

    /// The most screens that an active run of `task` may add to ``count``.
    func mostScreens(showing task: TaskName) -> Int { screens.mostScreens(showing: task) }

    /// How many `patterns` for `screen` would add to ``count``. O(the active runs that they cover).
    func screensJoining(_ screen: ScreenName, patterns: [TaskPattern]) -> Int {
        Set(joining(screen, patterns: patterns).compactMap { members[$0]?.scope })
            .count { ids[screen]?[$0] == nil }
    }

    /// When ``advance(through:seen:)`` would next change something.
    var nextChangeAt: Instant? { timers.first?.deadline }

    // MARK: Events

    /// Tells what the run in `slot` is now: nil when it is active no longer. Deadlines before `instant` are taken.
    ///
    /// - Parameter moment: a reading of both clocks near `instant`.
    mutating func update(
        _ slot: Int, key: RunKey, to run: ActiveRun?, at instant: Instant, seen moment: Moment
    ) {
        advance(through: instant.advanced(byNanoseconds: -1), seen: moment)
        while members.count <= slot { members.append(nil) }
        let clock = PhaseClock(instant: instant, moment: moment)
        switch (members[slot], run) {
        case (nil, nil): break
        case (nil, let run?): join(slot, key: key, run: run, at: clock)
        case (let member?, nil): leave(slot, member, at: clock)
        case (let member?, let run?): report(slot, member, run: run, at: clock)
        }
    }

    /// Takes an active run in after a restart: its screens are shown at once, as if since its start.
    mutating func restore(_ slot: Int, key: RunKey, run: ActiveRun, startedAt: Timestamp, at moment: Moment) {
        while members.count <= slot { members.append(nil) }
        join(
            slot, key: key, run: run, at: PhaseClock(instant: moment.instant, moment: moment),
            skipsDelay: true)
        for id in members[slot]?.phases ?? [] {
            phases[id].pendingSince = min(phases[id].pendingSince, startedAt)
        }
    }

    /// Replaces what is configured of a screen. Changed tasks are ends and starts at that instant; timing waits for
    /// the next idleness. Deadlines before `instant` are taken.
    mutating func configure(
        _ screen: ScreenName, _ configuration: ScreenConfiguration?, at instant: Instant, seen moment: Moment
    ) {
        advance(through: instant.advanced(byNanoseconds: -1), seen: moment)
        let old = screens.patterns(for: screen)
        screens.configure(screen, configuration)
        let new = screens.patterns(for: screen)
        guard new != old else { return }
        let clock = PhaseClock(instant: instant, moment: moment)
        for (id, slots) in leaving(screen, patterns: new) {
            for slot in slots.reversed() {
                leave(slot, phase: id, at: clock)
                members[slot]?.phases.removeAll { $0 == id }
            }
        }
        for slot in joining(screen, patterns: new) {
            guard let member = members[slot] else { continue }
            join(slot, run: member.run, screen: screen, scope: member.scope, at: clock, skipsDelay: false)
        }
    }

    /// Takes all deadlines until `instant`, itself included.
    mutating func advance(through instant: Instant, seen moment: Moment) {
        while let (deadline, id) = timers.first, deadline <= instant {
            phases[id].machine.advance(through: deadline)
            settle(id, at: PhaseClock(instant: deadline, moment: moment))
        }
    }

    // MARK: Answers

    /// The phases whose snapshots differ from those taken last, in the order in which they changed first.
    mutating func takeChanges() -> [(ScreenKey, PhaseSnapshot?)] {
        var changes: [(ScreenKey, PhaseSnapshot?)] = []
        for id in touched {
            phases[id].isTouched = false
            let snapshot = phases[id].face(of: winner(of: id)).map { phases[id].snapshot(showing: $0) }
            if snapshot != phases[id].taken {
                changes.append((phases[id].key, snapshot))
                phases[id].taken = snapshot
            }
            if phases[id].machine.isIdle { release(id) }
        }
        touched.removeAll(keepingCapacity: true)
        return changes
    }

    // MARK: Runs and their phases

    private mutating func join(
        _ slot: Int, key: RunKey, run: ActiveRun, at clock: PhaseClock, skipsDelay: Bool = false
    ) {
        members[slot] = Member(scope: key.scope, task: key.task, run: run, phases: [])
        membersByTask.insert(TaskSlot(task: key.task.rawValue, slot: slot))
        for screen in screens.screens(showing: key.task) {
            join(slot, run: run, screen: screen, scope: key.scope, at: clock, skipsDelay: skipsDelay)
        }
    }

    private mutating func join(
        _ slot: Int, run: ActiveRun, screen: ScreenName, scope: Scope, at clock: PhaseClock, skipsDelay: Bool
    ) {
        let id = phase(of: screen, in: scope)
        let timing = screens.configuration(of: screen)?.timing ?? defaultTiming
        let skipsDelay =
            skipsDelay || phases[id].machine.visibility == nil && isVisibleAbove(scope, screen: screen)
        phases[id].open(at: clock.instant, showing: winner(of: id))
        phases[id].join(run, slot: slot)
        phases[id].machine.start(at: clock.instant, timing: timing, skipsDelay: skipsDelay)
        members[slot]?.phases.append(id)
        settle(id, at: clock)
    }

    private mutating func leave(_ slot: Int, _ member: Member, at clock: PhaseClock) {
        for id in member.phases { leave(slot, phase: id, at: clock) }
        membersByTask.remove(TaskSlot(task: member.task.rawValue, slot: slot))
        members[slot] = nil
    }

    private mutating func leave(_ slot: Int, phase id: Int, at clock: PhaseClock) {
        guard let member = members[slot] else { return }
        let winner = winner(of: id)
        phases[id].open(at: clock.instant, showing: winner)
        phases[id].leave(member.run, slot: slot, winner: winner, at: clock.instant)
        settle(id, at: clock)
    }

    private mutating func report(_ slot: Int, _ member: Member, run: ActiveRun, at clock: PhaseClock) {
        guard run != member.run else { return }
        for id in member.phases { phases[id].open(at: clock.instant, showing: winner(of: id)) }
        members[slot]?.run = run
        for id in member.phases {
            phases[id].report(from: member.run, to: run, slot: slot)
            touch(id)
        }
    }

    // MARK: One phase

    private func winner(of id: Int) -> ActiveRun? {
        phases[id].active.first.flatMap { members[$0.slot]?.run }
    }

    /// True when the screen is visible in an ancestor of `scope`.
    private func isVisibleAbove(_ scope: Scope, screen: ScreenName) -> Bool {
        guard scope != .root, let ids = ids[screen], ids.count > 1 else { return false }
        return scope.chain.dropFirst().contains { above in
            ids[above].map { phases[$0].machine.visibility != nil } ?? false
        }
    }

    private mutating func phase(of screen: ScreenName, in scope: Scope) -> Int {
        if let id = ids[screen]?[scope] { return id }
        let phase = Phase(key: ScreenKey(scope: scope, screen: screen))
        let id = free.popLast() ?? phases.count
        if id < phases.count { phases[id] = phase } else { phases.append(phase) }
        ids[screen, default: [:]][scope] = id
        return id
    }

    private mutating func release(_ id: Int) {
        let key = phases[id].key
        ids[key.screen]?[key.scope] = nil
        if ids[key.screen]?.isEmpty == true { ids[key.screen] = nil }
        free.append(id)
    }

    /// After every step of a phase's machine.
    private mutating func settle(_ id: Int, at clock: PhaseClock) {
        phases[id].noteVisibility(at: clock)
        timers.set(id, to: phases[id].machine.nextChangeAt)
        touch(id)
    }

    private mutating func touch(_ id: Int) {
        guard !phases[id].isTouched else { return }
        phases[id].isTouched = true
        touched.append(id)
    }

    // MARK: Changed tasks

    /// The members of each phase of `screen` that none of `patterns` covers, the winner first.
    private func leaving(_ screen: ScreenName, patterns: [TaskPattern]) -> [(id: Int, slots: [Int])] {
        (ids[screen] ?? [:]).values.sorted().map { id in
            var slots: [Int] = []
            phases[id].active.walk(from: nil) { rank in
                let isCovered = members[rank.slot].map { member in
                    patterns.contains { $0.matches(member.task) }
                }
                if isCovered != true { slots.append(rank.slot) }
                return true
            }
            return (id, slots)
        }
    }

    /// The active runs that `patterns` cover and no phase of `screen` has: those of an ancestor before those below,
    /// which it may spare the delay, older ones first.
    private func joining(_ screen: ScreenName, patterns: [TaskPattern]) -> [Int] {
        var slots = Set<Int>()
        for pattern in patterns {
            membersByTask.walk(from: TaskSlot(task: pattern.stem, slot: 0)) { place in
                guard let member = members[place.slot], pattern.matches(member.task) else { return false }
                let id = ids[screen]?[member.scope]
                if id.map({ !member.phases.contains($0) }) ?? true { slots.insert(place.slot) }
                return true
            }
        }
        return slots.compactMap { slot in members[slot].map { ($0.scope.rawValue, $0.run.ordinal, slot) } }
            .sorted(by: <).map(\.2)
    }
}

/// An active run by its task, over all scopes: what a new pattern covers is found without a look at the rest.
private struct TaskSlot: Comparable {
    var task: String
    var slot: Int

    static func < (a: TaskSlot, b: TaskSlot) -> Bool {
        a.task == b.task ? a.slot < b.slot : a.task < b.task
    }
}

extension TaskPattern {
    /// The text that every covered name starts with.
    fileprivate var stem: String {
        switch self {
        case .exact(let name): name.rawValue
        case .prefix(let prefix): prefix
        }
    }
}
