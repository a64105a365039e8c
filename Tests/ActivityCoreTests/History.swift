@testable import ActivityCore

/// A random history: batches of commands on a grid of 100 ms, some of which cannot be stored.
struct History {
    struct Batch {
        /// In milliseconds.
        var at: Int64
        var commands: [Command]
        var isStored: Bool
    }

    static let tick: Int64 = 100
    static let limits = RegistryLimits(
        runningPerScope: 7, runningPerTask: 4, running: 12, ended: 14, listedPerTask: 3, listedFor: 9_000,
        rememberedFor: 4_000)

    var timing: Timing
    var batches: [Batch]

    init(seed: UInt64) {
        var chance = Chance(seed: seed)
        timing = Self.timing(&chance)
        batches = []
        let tasks = (0..<3).map { _ in chance.one(of: ["a", "a.b", "a.b.c", "b", "b.x", "ab"]) }
        let density = chance.one(of: [10, 30, 60])
        for tick in 0..<120 as Range<Int64> where chance.hits(density) {
            let count = chance.one(of: [1, 1, 1, 2, 3, 6])
            let commands = (0..<count).map { _ in Self.command(&chance, tasks: tasks) }
            batches.append(Batch(at: tick * Self.tick, commands: commands, isStored: !chance.hits(8)))
        }
    }

    private static func timing(_ chance: inout Chance) -> Timing {
        Timing(
            startDelay: chance.one(of: [0, 0, 300, 500]), minimumVisible: chance.one(of: [0, 500, 2_000]),
            completionDelay: chance.one(of: [0, 200, 700]))
    }

    private static func command(_ chance: inout Chance, tasks: [String]) -> Command {
        let task = name(chance.one(of: tasks))
        let run = key(
            chance.one(of: ["1", "2", "3", "4", "5", "6"]), task: task.rawValue,
            in: scope(chance.one(of: ["", "x", "x.y", "x.z"])))
        switch Int.random(in: 0..<100, using: &chance) {
        case 0..<55: return .put(run, declaration(&chance))
        case 55..<75: return .patch(run, patch(&chance))
        case 75..<82: return .delete(run)
        case 82..<90:
            let origin = chance.one(of: [RunOrigin.keyed(bodyHash: 1), .keyed(bodyHash: 2), .declared])
            return .post(run, declaration(&chance), origin)
        case 90..<97:
            let tasks = chance.one(of: [nil, ["*"], ["a.*", "a.b"], ["b", "b*"], ["ab", "a*"]])
            return .configure(
                screen(chance.one(of: ["a", "a.b", "s"])),
                configuration(tasks: tasks, timing: chance.hits(40) ? timing(&chance) : nil))
        default: return .removeConfiguration(screen(chance.one(of: ["a", "a.b", "s"])))
        }
    }

    private static func declaration(_ chance: inout Chance) -> RunDeclaration {
        RunDeclaration(
            state: chance.hits(65) ? .running : chance.one(of: [.succeeded, .failed, .canceled]),
            title: chance.one(of: [nil, "T", "U", ""]), progress: progress(&chance),
            priority: chance.one(of: [0, 0, 0, 200, -1]), ttl: chance.one(of: [5, 5, 6, 60]),
            isSilent: chance.hits(10), reason: chance.hits(10) ? "r" : nil)
    }

    private static func progress(_ chance: inout Chance) -> Progress? {
        guard chance.hits(70) else { return nil }
        return Progress(completed: .random(in: 0...12, using: &chance), total: chance.one(of: [10, 10, 7]))
    }

    private static func patch(_ chance: inout Chance) -> RunPatch {
        var patch = RunPatch()
        if chance.hits(30) { patch.requestsCancel = true }
        if chance.hits(20) { patch.state = chance.one(of: [.value(.running), .value(.failed), .null]) }
        if chance.hits(20) { patch.title = chance.one(of: [.null, .value("P")]) }
        if chance.hits(20) { patch.priority = .value(chance.one(of: [0, 300])) }
        if chance.hits(10) { patch.isSilent = .value(chance.hits(50)) }
        if chance.hits(20) {
            let completed = Int64.random(in: 0...12, using: &chance)
            patch.progress = chance.hits(30) ? .null : .value(ProgressPatch(completed: .value(completed)))
        }
        return patch
    }
}
