extension Registry {
    /// Decides one command and folds what it changes at once, so that the next command of the batch sees it.
    ///
    /// Checks come in the order existence, precondition, conflict, limits. The precondition is skipped where the
    /// run already has the final state that is declared, and where there is nothing to delete.
    /// - Parameter isMet: whether the request's precondition holds for the current value.
    public mutating func evaluate(
        _ command: Command, at moment: Moment, isMet: (Current) -> Bool
    ) -> Outcome {
        switch command {
        case .put(let key, let declaration): put(declaration, key, at: moment, isMet)
        case .patch(let key, let patch): self.patch(patch, key, at: moment, isMet)
        case .delete(let key): delete(key, isMet)
        case .post(let key, let declaration, let origin): post(declaration, key, origin, at: moment, isMet)
        case .configure(let screen, let configuration): configure(screen, configuration, isMet)
        case .removeConfiguration(let screen): removeConfiguration(of: screen, isMet)
        }
    }

    // MARK: Runs

    private mutating func put(
        _ declaration: RunDeclaration, _ key: RunKey, at moment: Moment, _ isMet: (Current) -> Bool
    ) -> Outcome {
        guard let slot = runs.slot(of: key) else {
            guard isMet(.absent) else { return .refused(.preconditionFailed) }
            return create(key, declaration, .declared, at: moment)
        }
        let run = runs[slot]
        if run.state.isFinal, run.state == declaration.state { return .updated(run, expiresIn: nil) }
        guard isMet(Current(key, run)) else { return .refused(.preconditionFailed) }
        guard !run.state.isFinal else { return .refused(.runEnded(run.state, endedAt: run.endedAt)) }
        return take(declaration, for: slot, run, cancels: false, at: moment)
    }

    private mutating func patch(
        _ patch: RunPatch, _ key: RunKey, at moment: Moment, _ isMet: (Current) -> Bool
    ) -> Outcome {
        guard let slot = runs.slot(of: key), !runs[slot].isRemembered else { return .refused(.notFound) }
        let run = runs[slot]
        if run.state.isFinal, patch.state == .value(run.state) { return .updated(run, expiresIn: nil) }
        guard isMet(.run(key, run)) else { return .refused(.preconditionFailed) }
        if patch.onlyCancels { return cancel(slot, run, at: moment) }
        guard !run.state.isFinal else { return .refused(.runEnded(run.state, endedAt: run.endedAt)) }
        do throws(InvalidMember) {
            let declaration = try patch.merged(into: run.renewable)
            return take(declaration, for: slot, run, cancels: patch.requestsCancel, at: moment)
        } catch {
            return .refused(.invalidMember(pointer: error.pointer, detail: error.detail))
        }
    }

    /// Asks the worker of a running run to stop; nobody can be asked once it is lost.
    private mutating func cancel(_ slot: Int, _ run: Run, at moment: Moment) -> Outcome {
        var new = run
        new.cancelRequested = true
        switch run.state {
        case .running:
            if new != run { replace(slot, run, with: new, renews: false) }
            return .updated(new, expiresIn: remaining(slot, new, at: moment))
        case .lost:
            new.declaration.state = .canceled
            new.declaration.reason = nil
            new.endedAt = moment.wall
            replace(slot, run, with: new, renews: false)
            return .updated(new, expiresIn: nil)
        case .canceled: return .updated(run, expiresIn: nil)
        case .succeeded, .failed: return .refused(.runEnded(run.state, endedAt: run.endedAt))
        }
    }

    private mutating func delete(_ key: RunKey, _ isMet: (Current) -> Bool) -> Outcome {
        guard let slot = runs.slot(of: key) else { return .deleted }
        let run = runs[slot]
        guard run.isRemembered || isMet(.run(key, run)) else { return .refused(.preconditionFailed) }
        runs.remove(at: slot)
        batch.append(.run(slot: slot, old: run, new: nil, renews: false))
        return .deleted
    }

    private mutating func post(
        _ declaration: RunDeclaration, _ key: RunKey, _ origin: RunOrigin, at moment: Moment,
        _ isMet: (Current) -> Bool
    ) -> Outcome {
        guard let slot = runs.slot(of: key) else {
            guard isMet(.absent) else { return .refused(.preconditionFailed) }
            return create(key, declaration, origin, at: moment)
        }
        let run = runs[slot]
        guard isMet(Current(key, run)) else { return .refused(.preconditionFailed) }
        switch (origin, run.origin) {
        case (.keyed(let hash), .keyed(let known)):
            guard hash == known else { return .refused(.keyReused) }
            return .updated(run, expiresIn: run.state == .running ? remaining(slot, run, at: moment) : nil)
        case (.keyed, .declared), (.declared, _): return .refused(.runExists)
        }
    }

    private mutating func create(
        _ key: RunKey, _ declaration: RunDeclaration, _ origin: RunOrigin, at moment: Moment
    ) -> Outcome {
        guard declaration.state != .lost else { return .refused(.lostIsNotDeclared) }
        let isRunning = declaration.state == .running
        if isRunning, let refusal = quotaRefusal(for: key) { return .refused(refusal) }
        if isRunning, !declaration.isSilent, let refusal = roomRefusal(for: key) { return .refused(refusal) }
        let run = Run(
            declaration: declaration, startedAt: moment.wall, endedAt: isRunning ? nil : moment.wall,
            ordinal: runs.nextOrdinal, origin: origin)
        let slot = runs.insert(run, for: key)
        batch.append(.run(slot: slot, old: nil, new: run, renews: isRunning))
        return .created(run, expiresIn: isRunning ? Double(declaration.ttl) : nil)
    }

    /// Takes what is declared of a run that is running or lost: a renewal, a revival or an end.
    private mutating func take(
        _ declaration: RunDeclaration, for slot: Int, _ run: Run, cancels: Bool, at moment: Moment
    ) -> Outcome {
        guard declaration.state != .lost else { return .refused(.lostIsNotDeclared) }
        let isRunning = declaration.state == .running
        if isRunning, run.state == .lost, let refusal = quotaRefusal(for: runs.key(at: slot)) {
            return .refused(refusal)
        }
        if isRunning, !declaration.isSilent, run.state == .lost || run.declaration.isSilent,
            let refusal = roomRefusal(for: runs.key(at: slot))
        {
            return .refused(refusal)
        }
        var new = run
        new.declaration = declaration
        new.declaration.progress = declaration.progress?.notFalling(below: run.declaration.progress)
        new.cancelRequested = run.cancelRequested || cancels
        new.isRemembered = false
        new.endedAt = isRunning ? nil : moment.wall
        new.isLate = run.state == .lost && !isRunning
        if run.state == .lost, isRunning { new.revivalCount += 1 }
        if new == run, batch.recordsRenewal(of: slot) || !leases.isRecordDue(slot, at: moment.instant) {
            batch.append(.renewal(slot: slot, ttl: declaration.ttl))
        } else {
            replace(slot, run, with: new, renews: isRunning)
        }
        return .updated(new, expiresIn: isRunning ? Double(declaration.ttl) : nil)
    }

    private mutating func replace(_ slot: Int, _ old: Run, with new: Run, renews: Bool) {
        if new != old { runs.replace(at: slot, with: new) }
        batch.append(.run(slot: slot, old: old, new: new, renews: renews))
    }

    private func remaining(_ slot: Int, _ run: Run, at moment: Moment) -> Double {
        let ttl = Double(run.declaration.ttl)
        return batch.renews(slot) ? ttl : leases.remaining(slot, at: moment.instant) ?? ttl
    }

    private func quotaRefusal(for key: RunKey) -> Refusal? {
        let running = runs.running(like: key)
        if running.inTask >= limits.runningPerTask {
            return .quotaExceeded("A task has at most \(limits.runningPerTask) running runs.")
        }
        if running.inScope >= limits.runningPerScope {
            return .quotaExceeded("A scope has at most \(limits.runningPerScope) running runs.")
        }
        if runs.counts.running >= limits.running {
            return .quotaExceeded("There are at most \(limits.running) running runs in all.")
        }
        return nil
    }

    /// Why a run may not become active; if it may, its screens count as pending from now on.
    private mutating func roomRefusal(for key: RunKey) -> Refusal? {
        roomRefusal(joining: phases.mostScreens(showing: key.task))
    }

    private mutating func roomRefusal(joining screens: Int) -> Refusal? {
        guard screens == 0 || phases.count + batch.joiningScreens + screens <= limits.pendingScreens else {
            return .quotaExceeded(
                "At most \(limits.pendingScreens) screens are pending at once, over all scopes.")
        }
        batch.joiningScreens += screens
        return nil
    }

    // MARK: Configurations

    private mutating func configure(
        _ screen: ScreenName, _ new: ScreenConfiguration, _ isMet: (Current) -> Bool
    ) -> Outcome {
        let old = configurations[screen]
        guard isMet(old.map { .configuration(screen, $0) } ?? .absent) else {
            return .refused(.preconditionFailed)
        }
        guard new.tasks?.count ?? 0 <= limits.patterns else {
            return .refused(.quotaExceeded("A configuration has at most \(limits.patterns) patterns."))
        }
        guard old != nil || configurations.count < limits.configurations else {
            return .refused(.quotaExceeded("There are at most \(limits.configurations) configurations."))
        }
        let patterns = new.patterns(for: screen)
        if patterns != old?.patterns(for: screen),
            let refusal = roomRefusal(joining: phases.screensJoining(screen, patterns: patterns))
        {
            return .refused(refusal)
        }
        if new != old {
            configurations[screen] = new
            batch.append(.configuration(screen, old: old, new: new))
        }
        return .configured(new, isNew: old == nil)
    }

    private mutating func removeConfiguration(of screen: ScreenName, _ isMet: (Current) -> Bool) -> Outcome {
        guard let old = configurations[screen] else { return .deleted }
        guard isMet(.configuration(screen, old)) else { return .refused(.preconditionFailed) }
        configurations[screen] = nil
        batch.append(.configuration(screen, old: old, new: nil))
        return .deleted
    }
}

extension Refusal {
    /// Only the registry knows that a run is lost.
    fileprivate static var lostIsNotDeclared: Refusal {
        .invalidMember(pointer: "/state", detail: "A run is running, succeeded, failed or canceled.")
    }
}

extension Current {
    /// A run that is only remembered counts as absent.
    fileprivate init(_ key: RunKey, _ run: Run) { self = run.isRemembered ? .absent : .run(key, run) }
}
