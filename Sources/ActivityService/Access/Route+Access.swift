import AccessRules
import ActivityCore
import HTTPCodec

extension Route {
    /// What the request with `head` needs; any of them is enough, as far as a head tells: whether a PATCH writes or asks
    /// to stop is in its body, see `RunPatch.needs(of:)`.
    func needs(of head: RequestHead) -> [AccessNeed] {
        switch self {
        case .run(let key): Self.permissions(head.method).map { .task($0, key.task, in: key.scope) }
        case .runsOfTask(let task, let scope):
            [.task(head.method == .post ? .writeTasks : .readTasks, task, in: scope)]
        case .runs(let scope): [Self.list(scope, head)]
        case .screen(let key): [.screens(in: key.scope)]
        case .screens(let scope): [.screens(in: scope)]
        case .configuration: head.method.isWrite ? [.configuration] : [.configuration, .screens(in: .root)]
        case .metrics: [.administration]
        // What the ticket is for is in the body.
        case .tickets, .health, .readiness, .server, .web, .font: []
        }
    }

    /// Whose screens are read; nil for what is no screen.
    var scopeOfScreens: Scope? {
        switch self {
        case .screen(let key): key.scope
        case .screens(let scope): scope
        default: nil
        }
    }

    private static func permissions(_ method: Method) -> [Permission] {
        switch method {
        case .get, .head: [.readTasks]
        case .patch: [.writeTasks, .cancelTasks]
        case .put, .post, .delete, .options, .connect, .trace: [.writeTasks]
        }
    }

    /// A list of one task's runs needs no more than that task.
    private static func list(_ scope: Scope, _ head: RequestHead) -> AccessNeed {
        let tasks = (try? Parameters(head.query).all("task")) ?? []
        guard tasks.count == 1, let task = TaskName(tasks[0]) else {
            return .everyTask(.readTasks, in: scope)
        }
        return .task(.readTasks, task, in: scope)
    }
}

extension RunPatch {
    /// All that the patch needs: asking to stop is one thing, and everything else, also a renewal, another.
    func needs(of key: RunKey) -> [AccessNeed] {
        var others = self
        others.requestsCancel = false
        var permissions: [Permission] = []
        if requestsCancel { permissions.append(.cancelTasks) }
        if !requestsCancel || others != RunPatch() { permissions.append(.writeTasks) }
        return permissions.map { .task($0, key.task, in: key.scope) }
    }
}
