import ActivityCore

/// Some permissions, where they hold.
public struct Grant: Hashable, Sendable {
    /// What is allowed.
    public let permissions: Set<Permission>
    /// In which scopes.
    public let scope: ScopePattern
    /// For which tasks, as far as tasks are concerned; nil for all of them.
    public let tasks: [TaskPattern]?

    /// A grant with all its members.
    public init(permissions: Set<Permission>, scope: ScopePattern, tasks: [TaskPattern]? = nil) {
        self.permissions = permissions
        self.scope = scope
        self.tasks = tasks
    }

    fileprivate func allows(_ need: AccessNeed) -> Bool {
        switch need {
        case .task(let permission, let task, let scope):
            permissions.contains(permission) && self.scope.covers(scope)
                && tasks.map { $0.contains { $0.matches(task) } } ?? true
        case .everyTask(let permission, let scope):
            permissions.contains(permission) && self.scope.covers(scope) && tasks == nil
        case .screens(let scope): permissions.contains(.readScreens) && self.scope.covers(scope)
        // Configurations are global, so a part of the scopes is not enough.
        case .configuration: permissions.contains(.writeScreens) && self.scope.covers(.root)
        case .administration: permissions.contains(.admin)
        }
    }
}

/// What a request needs.
public enum AccessNeed: Hashable, Sendable {
    /// A permission of tasks, for this one.
    case task(Permission, TaskName, in: Scope)
    /// A permission of tasks, for whatever task there may be in a scope.
    case everyTask(Permission, in: Scope)
    /// To read indicators as the viewers of a scope see them; those of its ancestors are in them.
    case screens(in: Scope)
    /// To change how screens are configured.
    case configuration
    /// What only operators see.
    case administration
}

/// All that a client is allowed. Nothing is, unless a grant says so.
public struct Grants: Hashable, Sendable {
    /// Any of them is enough.
    public let list: [Grant]

    /// The sum of `list`.
    public init(_ list: [Grant] = []) { self.list = list }

    /// True when one grant alone gives all of `need`.
    public func allow(_ need: AccessNeed) -> Bool { list.contains { $0.allows(need) } }
}
