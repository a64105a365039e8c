@testable import ActivityCore

/// A slow, obvious registry: it looks at everything at every tick, and knows no index, heap, slot or cache.
///
/// Time passes in ticks of 100 ms. Within a tick come the batch, then leases, then phases, then retention.
struct Model {
    struct Kept {
        var run: Run
        /// While running: the last renewal, and the last one that was recorded, in milliseconds.
        var renewedAt: Int64 = 0
        var recordedAt: Int64 = 0
        /// When it ended or was lost, and when it left the list, in milliseconds.
        var endedAt: Int64 = 0
        var leftAt: Int64 = 0
    }

    var limits: RegistryLimits
    var timing: Timing
    var kept: [RunKey: Kept] = [:]
    var configurations: [ScreenName: ScreenConfiguration] = [:]
    var screens: [ScreenKey: ModelScreen] = [:]
    var nextOrdinal: UInt64 = 0
    var recordCount = 0
    /// Whose workers renewed or ended them since the batch began.
    var heard: Set<RunKey> = []

    /// The model as it was before a batch that could not be stored, but for the leases of those who spoke.
    func hearing(_ heard: Set<RunKey>, at now: Int64) -> Model {
        var model = self
        for key in heard where kept[key]?.run.state == .running { model.kept[key]?.renewedAt = now }
        return model
    }

    // MARK: Commands

    mutating func evaluate(_ command: Command, at now: Int64) -> Outcome {
        switch command {
        case .put(let key, let declaration): put(key, declaration, at: now)
        case .patch(let key, let patch): self.patch(key, patch, at: now)
        case .delete(let key): delete(key, at: now)
        case .post(let key, let declaration, let origin): post(key, declaration, origin, at: now)
        case .configure(let screen, let configuration): configure(screen, configuration, at: now)
        case .removeConfiguration(let screen): removeConfiguration(screen, at: now)
        }
    }

    private mutating func put(_ key: RunKey, _ new: RunDeclaration, at now: Int64) -> Outcome {
        guard let old = kept[key] else { return create(key, new, .declared, at: now) }
        if old.run.state.isFinal {
            return old.run.state == new.state ? .updated(old.run, expiresIn: nil) : ended(old.run)
        }
        return take(new, key, old, asks: false, at: now)
    }

    private mutating func patch(_ key: RunKey, _ patch: RunPatch, at now: Int64) -> Outcome {
        guard let old = kept[key], !old.run.isRemembered else { return .refused(.notFound) }
        if old.run.state.isFinal, patch.state == .value(old.run.state) {
            return .updated(old.run, expiresIn: nil)
        }
        var others = patch
        others.requestsCancel = false
        if patch.requestsCancel && others == RunPatch() { return cancel(key, old, at: now) }
        if old.run.state.isFinal { return ended(old.run) }
        var new = old.run.declaration
        if old.run.state == .lost { new.reason = nil }
        new.state = .running
        if case .value(let state) = patch.state { new.state = state }
        if case .value(let title) = patch.title { new.title = title }
        if case .null = patch.title { new.title = nil }
        if case .value(let priority) = patch.priority { new.priority = priority }
        if case .value(let isSilent) = patch.isSilent { new.isSilent = isSilent }
        if case .null = patch.progress { new.progress = nil }
        if case .value(let progress) = patch.progress, case .value(let completed) = progress.completed {
            guard let total = new.progress?.total else {
                return .refused(
                    .invalidMember(pointer: "/progress/total", detail: "Progress needs completed and total."))
            }
            new.progress = Progress(completed: completed, total: total)
        }
        return take(new, key, old, asks: patch.requestsCancel, at: now)
    }

    private mutating func cancel(_ key: RunKey, _ old: Kept, at now: Int64) -> Outcome {
        var new = old
        new.run.cancelRequested = true
        switch old.run.state {
        case .running:
            if new.run != old.run { recordCount += 1 }
            kept[key] = new
            return .updated(new.run, expiresIn: expiresIn(key, at: now))
        case .lost:
            new.run.declaration.state = .canceled
            new.run.declaration.reason = nil
            end(&new, at: now)
            recordCount += 1
            kept[key] = new
            return .updated(new.run, expiresIn: nil)
        case .canceled: return .updated(old.run, expiresIn: nil)
        case .succeeded, .failed: return ended(old.run)
        }
    }

    private mutating func delete(_ key: RunKey, at now: Int64) -> Outcome {
        if kept[key] != nil { recordCount += 1 }
        kept[key] = nil
        lookAtScreens(at: now)
        return .deleted
    }

    private mutating func post(
        _ key: RunKey, _ new: RunDeclaration, _ origin: RunOrigin, at now: Int64
    ) -> Outcome {
        guard let old = kept[key] else { return create(key, new, origin, at: now) }
        if old.run.origin == .declared || origin == .declared { return .refused(.runExists) }
        if old.run.origin != origin { return .refused(.keyReused) }
        return .updated(old.run, expiresIn: expiresIn(key, at: now))
    }

    private mutating func create(
        _ key: RunKey, _ new: RunDeclaration, _ origin: RunOrigin, at now: Int64
    ) -> Outcome {
        if new.state == .running, let refusal = refusal(for: key) { return .refused(refusal) }
        var run = Kept(
            run: Run(
                declaration: new, startedAt: Stage.wall(now), ordinal: nextOrdinal, origin: origin),
            renewedAt: now, recordedAt: now)
        if new.state != .running { end(&run, at: now) }
        nextOrdinal += 1
        recordCount += 1
        kept[key] = run
        lookAtScreens(at: now)
        return .created(run.run, expiresIn: new.state == .running ? Double(new.ttl) : nil)
    }

    private mutating func take(
        _ declaration: RunDeclaration, _ key: RunKey, _ old: Kept, asks: Bool, at now: Int64
    ) -> Outcome {
        var new = old
        heard.insert(key)
        new.run.declaration = declaration
        if let progress = old.run.declaration.progress, progress.total == declaration.progress?.total {
            new.run.declaration.progress?.completed = max(
                progress.completed, declaration.progress?.completed ?? 0)
        }
        if asks { new.run.cancelRequested = true }
        new.run.isRemembered = false
        if declaration.state == .running {
            if old.run.state == .lost {
                if let refusal = refusal(for: key) { return .refused(refusal) }
                new.run.revivalCount += 1
            }
            new.run.endedAt = nil
            new.renewedAt = now
            if new.run != old.run || now - old.recordedAt > Int64(declaration.ttl) * 500 {
                new.recordedAt = now
                recordCount += 1
            }
        } else {
            new.run.isLate = old.run.state == .lost
            end(&new, at: now)
            recordCount += 1
        }
        kept[key] = new
        lookAtScreens(at: now)
        return .updated(new.run, expiresIn: declaration.state == .running ? Double(declaration.ttl) : nil)
    }

    private mutating func configure(
        _ screen: ScreenName, _ configuration: ScreenConfiguration, at now: Int64
    ) -> Outcome {
        let isNew = configurations[screen] == nil
        if configurations[screen] != configuration { recordCount += 1 }
        configurations[screen] = configuration
        lookAtScreens(at: now)
        return .configured(configuration, isNew: isNew)
    }

    private mutating func removeConfiguration(_ screen: ScreenName, at now: Int64) -> Outcome {
        if configurations[screen] != nil { recordCount += 1 }
        configurations[screen] = nil
        lookAtScreens(at: now)
        return .deleted
    }

    private func end(_ kept: inout Kept, at now: Int64) {
        kept.run.endedAt = Stage.wall(now)
        kept.endedAt = now
    }

    private func ended(_ run: Run) -> Outcome { .refused(.runEnded(run.state, endedAt: run.endedAt)) }

    private func refusal(for key: RunKey) -> Refusal? {
        let running = kept.filter { $0.value.run.state == .running }.keys
        if running.count(where: { $0.scope == key.scope && $0.task == key.task }) >= limits.runningPerTask {
            return .quotaExceeded("A task has at most \(limits.runningPerTask) running runs.")
        }
        if running.count(where: { $0.scope == key.scope }) >= limits.runningPerScope {
            return .quotaExceeded("A scope has at most \(limits.runningPerScope) running runs.")
        }
        guard running.count >= limits.running else { return nil }
        return .quotaExceeded("There are at most \(limits.running) running runs in all.")
    }

    func expiresIn(_ key: RunKey, at now: Int64) -> Double? {
        guard let kept = kept[key], kept.run.state == .running else { return nil }
        return Double(max(0, kept.renewedAt + Int64(kept.run.declaration.ttl) * 1_000 - now)) / 1_000
    }

    // MARK: Time

    /// What a tick begins with, before its batch.
    mutating func begin() { for key in screens.keys { screens[key]?.begin() } }

    /// What a tick ends with, behind its batch.
    mutating func finish(at now: Int64) {
        let overdue = kept.filter { _, one in
            let ttl = Int64(one.run.declaration.ttl) * 1_000
            return one.run.state == .running && now >= one.renewedAt + ttl + max(1_000, ttl / 20)
        }
        for (key, one) in overdue.sorted(by: { $0.value.run.ordinal < $1.value.run.ordinal }) {
            var lost = one
            lost.run.declaration.state = .lost
            lost.run.declaration.reason = "lease-expired"
            end(&lost, at: now)
            recordCount += 1
            kept[key] = lost
            lookAtScreens(at: now)
        }
        for key in screens.keys { screens[key]?.finish(at: now) }
        retain(at: now)
    }

    private mutating func retain(at now: Int64) {
        func oldestFirst(_ a: (key: RunKey, value: Kept), _ b: (key: RunKey, value: Kept)) -> Bool {
            (a.value.endedAt, a.value.run.ordinal) < (b.value.endedAt, b.value.run.ordinal)
        }
        let ended = kept.filter { $0.value.run.state != .running }.sorted(by: oldestFirst)
        for (place, (key, one)) in ended.enumerated() where !one.run.isRemembered {
            let younger = ended[(place + 1)...].count {
                $0.key.task == key.task && $0.key.scope == key.scope && !$0.value.run.isRemembered
            }
            guard younger >= limits.listedPerTask || now >= one.endedAt + limits.listedFor else { continue }
            kept[key]?.run.declaration = RunDeclaration(state: one.run.state)
            kept[key]?.run.isRemembered = true
            kept[key]?.leftAt = now
            recordCount += 1
        }
        for (key, one) in kept where one.run.isRemembered && now >= one.leftAt + limits.rememberedFor {
            kept[key] = nil
            recordCount += 1
        }
        let left = kept.filter { $0.value.run.state != .running }
        guard left.count > limits.ended else { return }
        for (key, _) in left.sorted(by: oldestFirst).prefix(left.count - limits.ended) {
            kept[key] = nil
            recordCount += 1
        }
    }

    // MARK: Screens

    /// After each event: compares the set of active runs of every screen with what it was.
    private mutating func lookAtScreens(at now: Int64) {
        let active = kept.filter { $0.value.run.state == .running && !$0.value.run.declaration.isSilent }
            .sorted { $0.value.run.ordinal < $1.value.run.ordinal }
        var sets: [ScreenKey: [Run]] = [:]
        for (key, one) in active {
            for screen in screensShowing(key.task) {
                sets[ScreenKey(scope: key.scope, screen: screen), default: []].append(one.run)
            }
        }
        for key in Set(sets.keys).union(screens.keys).sorted(by: { $0.scope.rawValue < $1.scope.rawValue }) {
            let isVisibleAbove = key.scope.chain.dropFirst().contains { above in
                screens[ScreenKey(scope: above, screen: key.screen)]?.isVisible ?? false
            }
            let timing = configurations[key.screen]?.timing ?? timing
            screens[key, default: ModelScreen()].show(
                sets[key] ?? [], at: now, timing: timing, isVisibleAbove: isVisibleAbove)
        }
    }

    private func screensShowing(_ task: TaskName) -> [ScreenName] {
        let parts = task.rawValue.split(separator: ".")
        let unconfigured = parts.indices.compactMap { ScreenName(parts[...$0].joined(separator: ".")) }
            .filter { configurations[$0] == nil }
        let configured = configurations.filter { screen, configuration in
            configuration.patterns(for: screen).contains { $0.matches(task) }
        }
        return unconfigured + configured.keys
    }
}

/// One screen of the model in one scope; instants in milliseconds.
struct ModelScreen {
    /// A run that took part in the progress interval.
    private struct Part {
        var ordinal: UInt64
        var progress: Progress?
        var isActive: Bool
    }

    private var active: [Run] = []
    private var timing = Timing()
    private var waitsUntil: Int64?
    private var shownSince: Int64?
    private var hidesAt: Int64?
    private var parts: [Part] = []
    private var floor: Int64 = 0
    private var faceBefore: Face?
    private var lastFace: Face?

    var isVisible: Bool { shownSince != nil }

    mutating func begin() {
        faceBefore = face
        if let mean { floor = max(floor, mean) }
    }

    mutating func show(_ runs: [Run], at now: Int64, timing newTiming: Timing, isVisibleAbove: Bool) {
        let gone = active.filter { old in !runs.contains { $0.ordinal == old.ordinal } }
        let come = runs.filter { new in !active.contains { $0.ordinal == new.ordinal } }
        // The winner leaves last, so that its title stays when nothing else does.
        for run in gone.sorted(by: { Self.outranks($1, $0) }) { leave(run, at: now) }
        for index in active.indices {
            guard let run = runs.first(where: { $0.ordinal == active[index].ordinal }) else { continue }
            active[index] = run
            for part in parts.indices where parts[part].ordinal == run.ordinal && parts[part].isActive {
                parts[part].progress = run.declaration.progress
            }
        }
        for run in come {
            if active.isEmpty { (parts, floor) = ([], 0) }
            active.append(run)
            parts.append(Part(ordinal: run.ordinal, progress: run.declaration.progress, isActive: true))
            start(at: now, timing: newTiming, isVisibleAbove: isVisibleAbove)
        }
    }

    private mutating func start(at now: Int64, timing newTiming: Timing, isVisibleAbove: Bool) {
        if isVisible {
            hidesAt = nil
        } else if waitsUntil == nil {
            timing = newTiming
            waitsUntil = timing.startDelay > 0 && !isVisibleAbove ? now + timing.startDelay : nil
            if waitsUntil == nil { shownSince = now }
        } else if isVisibleAbove {
            (waitsUntil, shownSince) = (nil, now)
        }
    }

    private mutating func leave(_ run: Run, at now: Int64) {
        let face = faceBefore ?? face
        active.removeAll { $0.ordinal == run.ordinal }
        for part in parts.indices where parts[part].ordinal == run.ordinal { parts[part].isActive = false }
        guard active.isEmpty else { return }
        waitsUntil = nil
        if let shownSince {
            lastFace = face
            hidesAt = max(now + timing.completionDelay, shownSince + timing.minimumVisible)
        }
    }

    mutating func finish(at now: Int64) {
        if let until = waitsUntil, until <= now { (waitsUntil, shownSince) = (nil, until) }
        if let until = hidesAt, until <= now { (hidesAt, shownSince) = (nil, nil) }
    }

    private static func outranks(_ a: Run, _ b: Run) -> Bool {
        (b.declaration.priority, a.ordinal) < (a.declaration.priority, b.ordinal)
    }

    private var mean: Int64? {
        guard !parts.isEmpty, !parts.contains(where: { $0.isActive && $0.progress == nil }) else {
            return nil
        }
        let shares = parts.map { part -> Int64 in
            guard part.isActive, let progress = part.progress else { return 1_000_000 }
            return min(progress.completed, progress.total) * 1_000_000 / progress.total
        }
        return shares.reduce(0, +) / Int64(shares.count)
    }

    private var face: Face? {
        guard isVisible else { return nil }
        if hidesAt != nil { return lastFace }
        return active.min(by: Self.outranks).map {
            Face(
                title: $0.declaration.title, priority: $0.declaration.priority, ordinal: $0.ordinal,
                thousandths: mean.map { Int(max($0, floor) / 1_000) })
        }
    }

    var snapshot: PhaseSnapshot? {
        guard let face, let shownSince else { return nil }
        return PhaseSnapshot(
            visibility: hidesAt == nil ? .shown : .lingering, title: face.title, priority: face.priority,
            ordinal: face.ordinal, pendingSince: Stage.wall(shownSince), thousandths: face.thousandths,
            runCount: active.count)
    }
}
