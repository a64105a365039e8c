/// A merge patch that leaves an impossible run.
struct InvalidMember: Error {
    /// A JSON pointer into the patched run.
    var pointer: String
    /// For people.
    var detail: String
}

extension RunPatch {
    /// True when it only asks the worker to stop.
    var onlyCancels: Bool {
        var cancel = RunPatch()
        cancel.requestsCancel = true
        return self == cancel
    }

    /// The declaration that the patch makes of `old` (RFC 7396).
    func merged(into old: RunDeclaration) throws(InvalidMember) -> RunDeclaration {
        let standard = RunDeclaration()
        var new = old
        new.state = state.value(over: old.state) ?? standard.state
        new.title = title.value(over: old.title)
        new.priority = priority.value(over: old.priority) ?? standard.priority
        new.ttl = ttl.value(over: old.ttl) ?? standard.ttl
        new.isSilent = isSilent.value(over: old.isSilent) ?? standard.isSilent
        new.reason = reason.value(over: old.reason)
        switch progress {
        case .absent: break
        case .null: new.progress = nil
        case .value(let patch): new.progress = try patch.merged(into: old.progress)
        }
        return new
    }
}

extension Patch {
    /// What the member is after the patch; nil when it is taken away.
    fileprivate func value(over old: Value?) -> Value? {
        switch self {
        case .absent: old
        case .null: nil
        case .value(let new): new
        }
    }
}

extension ProgressPatch {
    fileprivate func merged(into old: Progress?) throws(InvalidMember) -> Progress {
        guard let completed = completed.value(over: old?.completed) else {
            throw InvalidMember(pointer: "/progress/completed", detail: "Progress needs completed and total.")
        }
        guard let total = total.value(over: old?.total) else {
            throw InvalidMember(pointer: "/progress/total", detail: "Progress needs completed and total.")
        }
        return Progress(completed: completed, total: total)
    }
}

extension Progress {
    /// Progress never falls within a run: a lower `completed` of the same `total` is a late message.
    func notFalling(below old: Progress?) -> Progress {
        guard let old, old.total == total, old.completed > completed else { return self }
        return old
    }
}

extension Run {
    /// The reason of a run whose lease ran out.
    static var lostReason: String { "lease-expired" }

    /// What a patch is merged into: a lost run is renewed unless the patch ends it, and the reason of the loss is
    /// no word of its worker.
    var renewable: RunDeclaration {
        guard state == .lost else { return declaration }
        var renewed = declaration
        renewed.state = .running
        renewed.reason = nil
        return renewed
    }

    /// What is kept of a run that has left the list.
    var remembered: Run {
        var kept = self
        kept.declaration = RunDeclaration(state: state)
        kept.isRemembered = true
        return kept
    }
}
