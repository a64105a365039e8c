/// What a client may be allowed to do. None includes another.
public enum Permission: String, CaseIterable, Hashable, Sendable {
    /// Declare, renew, report, end and forget runs.
    case writeTasks = "tasks:write"
    /// Read runs, one or in lists.
    case readTasks = "tasks:read"
    /// Ask a run to stop.
    case cancelTasks = "tasks:cancel"
    /// Read indicators, in every form.
    case readScreens = "screens:read"
    /// Configure screens.
    case writeScreens = "screens:write"
    /// Read metrics, the contract and the list of scopes.
    case admin
}
