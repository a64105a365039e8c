/// All runs, leases, configurations and phases of one daemon: decides what a request changes, and what the
/// passing of time changes. Reads no clock and writes nothing; confined to the registry's thread.
///
/// At each wake, with one reading of the clocks:
/// 1. ``evaluate(_:at:isMet:)`` for each command of the mailbox;
/// 2. write ``uncommitted``, then ``commit(at:)`` — or ``rollBack(at:)``, when it could not be written;
/// 3. ``advance(to:askedFor:)``, always, also when there was no command: only now do screens change, so that
///    leases which ran out before the batch count before it;
/// 4. ``takeChanges()``, publish them, then answer;
/// 5. sleep until ``nextWakeAt``, at most a second.
public struct Registry: Sendable {
    let limits: RegistryLimits
    var runs = Runs()
    var leases = Leases()
    var batch = Batch()
    /// All configured screens.
    public internal(set) var configurations: [ScreenName: ScreenConfiguration] = [:]
    private var retention: Retention
    private(set) var phases: Phases
    /// What was committed and the phases do not know yet, in the order of instants.
    private var news: [News] = []
    private var changedRuns: [RunKey] = []
    private var changedConfigurations: [ScreenName: ScreenConfiguration?] = [:]
    /// The newest instant seen.
    private var now = Instant(nanoseconds: 0)

    /// An empty registry.
    ///
    /// - Parameter timing: when the indicators of screens show and hide whose configuration does not say.
    public init(limits: RegistryLimits = RegistryLimits(), timing: Timing = Timing()) {
        self.limits = limits
        retention = Retention(limits: limits)
        phases = Phases(timing: timing)
    }

    // MARK: Start

    /// Folds one stored record; before ``start(at:)`` only.
    public mutating func replay(_ record: Record) {
        switch record {
        case .run(let key, let run):
            if let slot = runs.slot(of: key) {
                runs.replace(at: slot, with: run)
            } else {
                _ = runs.insert(run, for: key)
            }
        case .runForgotten(let key):
            guard let slot = runs.slot(of: key) else { return }
            runs.remove(at: slot)
            runs.recycle()
        case .configuration(let screen, let configuration): configurations[screen] = configuration
        case .configurationRemoved(let screen): configurations[screen] = nil
        }
    }

    /// Begins to serve what was replayed: each running run gets a full ttl, and its screens are shown at once,
    /// as if since the earliest `startedAt` of their active runs. To be called once, also when nothing was
    /// replayed.
    public mutating func start(at moment: Moment) {
        now = moment.instant
        for (screen, configuration) in configurations {
            phases.configure(screen, configuration, at: moment.instant, seen: moment)
            changedConfigurations[screen] = .some(configuration)
        }
        var running: [(ordinal: UInt64, slot: Int)] = []
        var ended: [(at: Timestamp, ordinal: UInt64, slot: Int)] = []
        for slot in runs.allSlots {
            let run = runs[slot]
            if run.state == .running {
                running.append((run.ordinal, slot))
            } else {
                ended.append((run.endedAt ?? moment.wall, run.ordinal, slot))
            }
        }
        for (_, slot) in running.sorted(by: <) { restore(slot, at: moment) }
        for (at, ordinal, slot) in ended.sorted(by: <) {
            keep(slot, endedAt: at, ordinal: ordinal, at: moment)
        }
    }

    private mutating func restore(_ slot: Int, at moment: Moment) {
        let run = runs[slot]
        leases.renew(slot, ttl: run.declaration.ttl, at: moment.instant, isRecorded: true)
        guard let active = ActiveRun(run) else { return }
        phases.restore(slot, key: runs.key(at: slot), run: active, startedAt: run.startedAt, at: moment)
    }

    /// What is left of the time that a run stays listed; one that is only remembered stays so for the whole time.
    private mutating func keep(_ slot: Int, endedAt: Timestamp, ordinal: UInt64, at moment: Moment) {
        let age = min(max(moment.wall.milliseconds - endedAt.milliseconds, 0), limits.listedFor)
        let key = runs.key(at: slot)
        retention.list(slot, key: key, ordinal: ordinal, at: moment.instant.advanced(byMilliseconds: -age))
        if runs[slot].isRemembered { retention.remember(slot, key: key, at: moment.instant) }
    }

    // MARK: Batches

    /// The records of the commands evaluated since the last commit, in order. May be empty although commands were
    /// accepted (a renewal need not be recorded); then the batch may be committed at once.
    public var uncommitted: [Record] {
        batch.changes.compactMap { change in
            switch change {
            case .renewal: nil
            case .run(let slot, _, let run?, _): .run(runs.key(at: slot), run)
            case .run(let slot, _, nil, _): .runForgotten(runs.key(at: slot))
            case .configuration(let screen, _, let configuration?): .configuration(screen, configuration)
            case .configuration(let screen, _, nil): .configurationRemoved(screen)
            }
        }
    }

    /// Makes the batch final: its records are stored. Renewals move their deadlines.
    /// Screens follow with ``advance(to:askedFor:)`` at the same moment.
    public mutating func commit(at moment: Moment) {
        now = max(now, moment.instant)
        for change in batch.changes {
            switch change {
            case .renewal(let slot, let ttl): leases.renew(slot, ttl: ttl, at: now, isRecorded: false)
            case .run(let slot, let old, let new, let renews):
                commitRun(slot, from: old, to: new, renews: renews)
            case .configuration(let screen, _, let new):
                changedConfigurations[screen] = .some(new)
                news.append(.configuration(screen, new, at: now))
            }
        }
        batch.clear()
    }

    private mutating func commitRun(_ slot: Int, from old: Run?, to new: Run?, renews: Bool) {
        let key = runs.key(at: slot)
        if let new, new.state == .running {
            if renews { leases.renew(slot, ttl: new.declaration.ttl, at: now, isRecorded: true) }
            if old?.state != .running { retention.drop(slot, key: key) }
        } else {
            leases.end(slot)
            if let new {
                retention.list(slot, key: key, ordinal: new.ordinal, at: now)
            } else {
                retention.drop(slot, key: key)
            }
        }
        guard new != old else { return }
        changedRuns.append(key)
        let active = new.flatMap(ActiveRun.init)
        if active != old.flatMap(ActiveRun.init) { news.append(.run(slot, active, at: now)) }
    }

    /// Takes the whole batch back, because its records could not be stored. What leases say is not stored: a run
    /// whose worker was heard, and refused only for that, gets its ttl anew.
    public mutating func rollBack(at moment: Moment) {
        now = max(now, moment.instant)
        let heard = batch.heard
        for change in batch.changes.reversed() {
            switch change {
            case .renewal: break
            case .run(let slot, nil, _, _): runs.undoInsert(at: slot)
            case .run(let slot, .some, nil, _): runs.undoRemove(at: slot)
            case .run(let slot, let old?, .some, _): runs.replace(at: slot, with: old)
            case .configuration(let screen, let old, _): configurations[screen] = old
            }
        }
        for slot in heard where runs.slot(of: runs.key(at: slot)) == slot && runs[slot].state == .running {
            leases.renew(slot, ttl: runs[slot].declaration.ttl, at: now, isRecorded: false)
        }
        batch.clear()
    }

    // MARK: Time

    /// Lets time pass until `moment`: leases run out, ended runs leave the list, indicators show and hide. Not
    /// while a batch is open.
    ///
    /// - Parameter askedFor: the instant at which the caller had asked to be woken; when that is more than 2 s
    ///   ago, the process was held up, and all leases are extended by the lateness. Nil for no such check.
    /// - Returns: records that still have to be stored; they have taken effect already.
    public mutating func advance(to moment: Moment, askedFor: Instant?) -> [Record] {
        precondition(batch.changes.isEmpty, "time passes between batches, not within one")
        now = max(now, moment.instant)
        if let askedFor {
            let lateness = now.nanoseconds - askedFor.nanoseconds
            if lateness > 2_000_000_000 { leases.postpone(byNanoseconds: lateness) }
        }
        var records: [Record] = []
        settle(seen: moment, into: &records)
        retain(into: &records)
        runs.recycle()
        return records
    }

    /// Feeds the phases in the order of time: what was committed, and each lease that has run out by now at the
    /// instant it did, however late that is noticed. At the same instant what was committed comes first.
    private mutating func settle(seen moment: Moment, into records: inout [Record]) {
        var told = 0
        while true {
            let expired = leases.firstExpired(by: now)
            if told < news.count, expired.map({ news[told].instant <= $0.deadline }) ?? true {
                tell(news[told], seen: moment)
                told += 1
            } else if let expired {
                lose(expired.slot, at: expired.deadline, seen: moment, into: &records)
            } else {
                break
            }
        }
        news.removeAll(keepingCapacity: true)
        phases.advance(through: now, seen: moment)
    }

    private mutating func tell(_ news: News, seen moment: Moment) {
        switch news {
        case .run(let slot, let run, let instant):
            phases.update(slot, key: runs.key(at: slot), to: run, at: instant, seen: moment)
        case .configuration(let screen, let configuration, let instant):
            phases.configure(screen, configuration, at: instant, seen: moment)
        }
    }

    private mutating func lose(
        _ slot: Int, at instant: Instant, seen moment: Moment, into records: inout [Record]
    ) {
        let key = runs.key(at: slot)
        var run = runs[slot]
        run.declaration.state = .lost
        run.declaration.reason = Run.lostReason
        run.endedAt = moment.wall(at: instant)
        runs.replace(at: slot, with: run)
        leases.end(slot)
        retention.list(slot, key: key, ordinal: run.ordinal, at: instant)
        phases.update(slot, key: key, to: nil, at: instant, seen: moment)
        changedRuns.append(key)
        records.append(.run(key, run))
    }

    /// Takes runs off the list, and out of memory, whose time is over or for which there is no room.
    private mutating func retain(into records: inout [Record]) {
        while let slot = retention.firstLeaving(by: now) {
            let key = runs.key(at: slot)
            let run = runs[slot].remembered
            runs.replace(at: slot, with: run)
            retention.remember(slot, key: key, at: now)
            changedRuns.append(key)
            records.append(.run(key, run))
        }
        while let slot = retention.firstForgotten(by: now) {
            let key = runs.key(at: slot)
            if !runs[slot].isRemembered { changedRuns.append(key) }
            runs.remove(at: slot)
            retention.drop(slot, key: key)
            records.append(.runForgotten(key))
        }
    }

    /// When ``advance(to:askedFor:)`` is to be called next; in the past when something is due; nil when nothing
    /// is waited for. May be too early, never too late.
    public var nextWakeAt: Instant? {
        guard news.isEmpty, !retention.isDueNow else { return now }
        return [leases.nextDeadline, phases.nextChangeAt, retention.nextDeadline].compactMap(\.self).min()
    }

    // MARK: Answers

    /// What became different since the last call; after ``start(at:)`` everything that is visible or configured.
    public mutating func takeChanges() -> Changes {
        var changes = Changes()
        changes.screens = phases.takeChanges()
        changes.configurations = changedConfigurations.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { ($0.key, $0.value) }
        changedConfigurations.removeAll()
        swap(&changes.runs, &changedRuns)
        return changes
    }

    /// The run with that key; nil when it is unknown or only remembered.
    public func run(_ key: RunKey) -> Run? {
        runs.slot(of: key).map { runs[$0] }.flatMap { $0.isRemembered ? nil : $0 }
    }

    /// The seconds that are left of a running run's ttl, at least 0; nil for other runs.
    public func expiresIn(_ key: RunKey, at instant: Instant) -> Double? {
        runs.slot(of: key).flatMap { leases.remaining($0, at: instant) }
    }

    /// One page of the runs of a scope. Costs O(limit), however many runs there are.
    public func runs(matching query: RunQuery) -> RunPage { runs.page(query) }

    /// The newest runs of a task, at most 120: running ones by `startedAt`, then lost and ended ones by
    /// `endedAt`, newest first.
    public func history(of task: TaskName, in scope: Scope) -> [(RunKey, Run)] {
        runs.history(of: task, in: scope, limit: 120)
    }

    /// What is configured of `screen`; nil when nothing is.
    public func configuration(of screen: ScreenName) -> ScreenConfiguration? { configurations[screen] }

    /// How many runs there are of each kind.
    public var counts: RunCounts { runs.counts }
}

/// What was committed, and the phases have to be told.
private enum News {
    case run(Int, ActiveRun?, at: Instant)
    case configuration(ScreenName, ScreenConfiguration?, at: Instant)

    var instant: Instant {
        switch self {
        case .run(_, _, let instant), .configuration(_, _, let instant): instant
        }
    }
}
