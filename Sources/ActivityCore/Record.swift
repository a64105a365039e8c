/// One durable fact: the newest whole value of one key. Folding the same records twice changes nothing more.
public enum Record: Hashable, Sendable {
    case run(RunKey, Run)
    case runForgotten(RunKey)
    case configuration(ScreenName, ScreenConfiguration)
    case configurationRemoved(ScreenName)
}

/// What a request asks the registry to change.
public enum Command: Hashable, Sendable {
    /// PUT: declares the whole state of a run.
    case put(RunKey, RunDeclaration)
    /// PATCH.
    case patch(RunKey, RunPatch)
    /// DELETE: forgets the run.
    case delete(RunKey)
    /// POST: starts a run whose id the server made, or whose id is an `Idempotency-Key` (`origin` is keyed).
    case post(RunKey, RunDeclaration, RunOrigin)
    case configure(ScreenName, ScreenConfiguration)
    case removeConfiguration(ScreenName)
}

/// The current value that a precondition is checked against.
public enum Current: Hashable, Sendable {
    /// Nothing is there (a run that is only remembered counts as absent).
    case absent
    case run(RunKey, Run)
    case configuration(ScreenName, ScreenConfiguration)
}

/// What became of a command.
public enum Outcome: Hashable, Sendable {
    /// A new run, and how many seconds its lease has (nil once ended).
    case created(Run, expiresIn: Double?)
    /// A run that was known, as it is now.
    case updated(Run, expiresIn: Double?)
    case configured(ScreenConfiguration, isNew: Bool)
    /// Forgotten, or never there.
    case deleted
    case refused(Refusal)
}

/// Why a command was refused; nothing changed.
public enum Refusal: Hashable, Sendable {
    case notFound
    /// The run has ended another way, or may not be renewed.
    case runEnded(RunState, endedAt: Timestamp?)
    /// The key of a POST is the id of a run that a PUT made.
    case runExists
    /// The key of a POST came with another body before.
    case keyReused
    /// `isMet` said no.
    case preconditionFailed
    /// A merge patch that leaves an impossible run; `pointer` is a JSON pointer such as `/progress/total`.
    case invalidMember(pointer: String, detail: String)
    /// A limit on stored things is reached; the text says which, for people.
    case quotaExceeded(String)
}
