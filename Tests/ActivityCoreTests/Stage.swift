import IndicatorLayout

@testable import ActivityCore

/// A registry on a timeline in milliseconds, with everything that it published.
///
/// The wall clock starts at ``Stage/wallStart``, so that a mix-up of the two clocks shows.
struct Stage {
    static let wallStart: Int64 = 1_790_000_000_000

    /// How time passes between two events.
    enum Steps: CaseIterable {
        /// As the daemon does: at each instant that the registry asked for.
        case asAsked
        /// Millisecond by millisecond.
        case single
    }

    var registry: Registry
    var steps: Steps
    private(set) var now: Int64 = 0
    private(set) var records: [Record] = []
    /// What each screen published, and when.
    private(set) var published: [ScreenKey: [(at: Int64, snapshot: PhaseSnapshot?)]] = [:]
    private(set) var changedRuns: [RunKey] = []

    init(
        limits: RegistryLimits = RegistryLimits(), timing: Timing = Timing(), steps: Steps = .asAsked,
        replaying records: [Record] = [], startingAt start: Int64 = 0
    ) {
        registry = Registry(limits: limits, timing: timing)
        self.steps = steps
        now = start
        for record in records { registry.replay(record) }
        registry.start(at: Self.moment(now))
        advance()
    }

    static func moment(_ milliseconds: Int64) -> Moment {
        Moment(instant: Instant(milliseconds: milliseconds), wall: wall(milliseconds))
    }

    static func wall(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: wallStart + milliseconds) }

    /// Evaluates and commits one batch at `milliseconds`, which is not before the last event.
    @discardableResult
    mutating func batch(
        at milliseconds: Int64, _ commands: [Command], isMet: (Current) -> Bool = { _ in true }
    ) -> [Outcome] {
        pass(to: milliseconds - 1)
        now = milliseconds
        let moment = Self.moment(now)
        let outcomes = commands.map { registry.evaluate($0, at: moment, isMet: isMet) }
        records += registry.uncommitted
        registry.commit(at: moment)
        advance()
        return outcomes
    }

    /// One command as a batch of its own.
    @discardableResult
    mutating func send(
        _ command: Command, at milliseconds: Int64, isMet: (Current) -> Bool = { _ in true }
    ) -> Outcome {
        batch(at: milliseconds, [command], isMet: isMet)[0]
    }

    /// Lets time pass without an event.
    mutating func pass(to milliseconds: Int64) {
        while now < milliseconds {
            switch steps {
            case .single: now += 1
            case .asAsked:
                let wake = registry.nextWakeAt.map { ($0.nanoseconds + 999_999) / 1_000_000 } ?? milliseconds
                now = min(max(wake, now + 1), milliseconds)
            }
            advance()
        }
    }

    private mutating func advance() {
        records += registry.advance(to: Self.moment(now), askedFor: nil)
        let changes = registry.takeChanges()
        for (key, snapshot) in changes.screens { published[key, default: []].append((now, snapshot)) }
        changedRuns += changes.runs
    }

    // MARK: Answers

    /// What `screen` shows to viewers in `scope`.
    func state(of screen: String = "chats", in scope: Scope = .root) -> IndicatorState {
        IndicatorState(folding: scope.chain.compactMap { published[screenKey(screen, $0)]?.last?.snapshot })
    }

    /// When the screen's own phase in `scope` was pending, as text: `"[500,1200) [1701,2201)"`, or `"none"`.
    func intervals(of screen: String = "chats", in scope: Scope = .root) -> String {
        var text: [String] = []
        var since: Int64?
        for (at, snapshot) in published[screenKey(screen, scope)] ?? [] {
            if let snapshot {
                since = snapshot.pendingSince.milliseconds - Self.wallStart
            } else if let start = since {
                text.append("[\(start),\(at))")
                since = nil
            }
        }
        if let start = since { text.append("[\(start),…") }
        return text.isEmpty ? "none" : text.joined(separator: " ")
    }

    /// The titles that the screen's own phase published, each with when it came: `"500 Updating, 3200 –"`.
    func titles(of screen: String = "chats", in scope: Scope = .root) -> String {
        var text: [String] = []
        var last: String?
        for (at, snapshot) in published[screenKey(screen, scope)] ?? [] {
            let title = snapshot.map { $0.title ?? "…" } ?? "–"
            if title != last { text.append("\(at) \(title)") }
            last = title
        }
        return text.joined(separator: ", ")
    }
}

// MARK: - Shorthands

func name(_ text: String) -> TaskName {
    guard let name = TaskName(text) else { preconditionFailure("no task name: \(text)") }
    return name
}

func screen(_ text: String) -> ScreenName {
    guard let name = ScreenName(text) else { preconditionFailure("no screen name: \(text)") }
    return name
}

func scope(_ text: String) -> Scope {
    guard !text.isEmpty else { return .root }
    guard let scope = Scope(text) else { preconditionFailure("no scope: \(text)") }
    return scope
}

func key(_ run: String, task: String = "chats", in scope: Scope = .root) -> RunKey {
    guard let id = RunID(run) else { preconditionFailure("no run id: \(run)") }
    return RunKey(scope: scope, task: name(task), run: id)
}

func screenKey(_ text: String, _ scope: Scope = .root) -> ScreenKey {
    ScreenKey(scope: scope, screen: screen(text))
}

/// PUT of a run of task `chats` with the given members.
func put(
    _ run: String, task: String = "chats", in scope: Scope = .root, _ state: RunState = .running,
    title: String? = nil, progress: (Int64, Int64)? = nil, priority: Int = 0, ttl: Int = 60,
    isSilent: Bool = false, reason: String? = nil
) -> Command {
    .put(
        key(run, task: task, in: scope),
        RunDeclaration(
            state: state, title: title, progress: progress.map { Progress(completed: $0.0, total: $0.1) },
            priority: priority, ttl: ttl, isSilent: isSilent, reason: reason))
}

/// PATCH of a run of task `chats`; without `change` it only renews.
func patch(
    _ run: String, task: String = "chats", in scope: Scope = .root,
    _ change: (inout RunPatch) -> Void = { _ in }
) -> Command {
    var patch = RunPatch()
    change(&patch)
    return .patch(key(run, task: task, in: scope), patch)
}

/// PATCH that only asks the worker to stop.
func cancel(_ run: String) -> Command { patch(run) { $0.requestsCancel = true } }

/// DELETE of a run of task `chats`.
func delete(_ run: String, task: String = "chats", in scope: Scope = .root) -> Command {
    .delete(key(run, task: task, in: scope))
}

func configuration(tasks: [String]? = nil, timing: Timing? = nil, title: String = "Chats")
    -> ScreenConfiguration
{
    ScreenConfiguration(
        tasks: tasks.map { $0.compactMap(TaskPattern.init) }, timing: timing,
        appearance: Appearance(regularTitle: title))
}

extension Outcome {
    /// The run of an accepted command; nil for other outcomes.
    var run: Run? {
        switch self {
        case .created(let run, _), .updated(let run, _): run
        case .configured, .deleted, .refused: nil
        }
    }

    /// The lease of an accepted command; nil for other outcomes.
    var expiresIn: Double? {
        switch self {
        case .created(_, let expiresIn), .updated(_, let expiresIn): expiresIn
        case .configured, .deleted, .refused: nil
        }
    }

    var refusal: Refusal? {
        if case .refused(let refusal) = self { refusal } else { nil }
    }

    /// Which answer it is, without what is in it.
    var kind: String {
        switch self {
        case .created: "created"
        case .updated: "updated"
        case .configured(_, let isNew): isNew ? "configured anew" : "configured"
        case .deleted: "deleted"
        case .refused(.runEnded): "ended"
        case .refused(.invalidMember(let pointer, _)): "invalid \(pointer)"
        case .refused(.quotaExceeded): "quota"
        case .refused(let refusal): "\(refusal)"
        }
    }
}
