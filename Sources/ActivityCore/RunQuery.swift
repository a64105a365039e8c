/// Which runs a list asks for. The order is task, then run, each by bytes.
public struct RunQuery: Sendable {
    /// Only runs of exactly this scope.
    public var scope: Scope
    /// Only runs in this state; nil for all states.
    public var state: RunState?
    /// Only runs of this task; nil for all tasks.
    public var task: TaskName?
    /// Only runs behind this one, which itself need not exist (any more).
    public var after: (task: TaskName, run: RunID)?
    /// At most this many runs, 1 or more.
    public var limit: Int

    /// A query with all its members.
    public init(
        scope: Scope, state: RunState? = .running, task: TaskName? = nil,
        after: (task: TaskName, run: RunID)? = nil, limit: Int = 50
    ) {
        self.scope = scope
        self.state = state
        self.task = task
        self.after = after
        self.limit = limit
    }
}

/// One page of a list.
public struct RunPage: Sendable {
    /// The runs of the page, in order.
    public var runs: [(RunKey, Run)]
    /// True when runs follow behind the last one.
    public var hasMore: Bool
}
