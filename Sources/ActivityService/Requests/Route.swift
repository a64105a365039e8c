import ActivityCore
import HTTPCodec
import WireFormat

/// The resource that a request means, its names checked.
enum Route {
    case run(RunKey)
    case runsOfTask(TaskName, Scope)
    case runs(Scope)
    case screen(ScreenKey)
    case screens(Scope)
    case configuration(ScreenName)
    case health, readiness, metrics, tickets, server
    case web(WebFile)
    /// A name as it stands in the path.
    case font(String)

    /// - Throws: `invalid-name` when a name in `path` breaks its rule.
    init(_ path: ResourcePath) throws(Problem) {
        switch path.resource {
        case .run:
            let scope = try Self.scope(path)
            let task = try Self.name(path.first, "task", TaskName.init)
            self = .run(RunKey(scope: scope, task: task, run: try Self.name(path.second, "run", RunID.init)))
        case .runsOfTask:
            let scope = try Self.scope(path)
            self = .runsOfTask(try Self.name(path.first, "task", TaskName.init), scope)
        case .runs: self = .runs(try Self.scope(path))
        case .screen:
            let scope = try Self.scope(path)
            self = .screen(
                ScreenKey(scope: scope, screen: try Self.name(path.first, "screen", ScreenName.init)))
        case .screens: self = .screens(try Self.scope(path))
        case .configuration: self = .configuration(try Self.name(path.first, "screen", ScreenName.init))
        case .health: self = .health
        case .readiness: self = .readiness
        case .metrics: self = .metrics
        case .tickets: self = .tickets
        case .web:
            guard let file = path.first.flatMap(WebFile.find) else { throw Problem.noSuchResource }
            self = .web(file)
        case .font: self = .font(String(decoding: path.first ?? [], as: UTF8.self))
        case .server: self = .server
        }
    }

    /// The kind of resource.
    var resource: Resource {
        switch self {
        case .run: .run
        case .runsOfTask: .runsOfTask
        case .runs: .runs
        case .screen: .screen
        case .screens: .screens
        case .configuration: .configuration
        case .health: .health
        case .readiness: .readiness
        case .metrics: .metrics
        case .tickets: .tickets
        case .web: .web
        case .font: .font
        case .server: .server
        }
    }

    private static func scope(_ path: ResourcePath) throws(Problem) -> Scope {
        guard path.scope != nil else { return .root }
        return try name(path.scope, "scope", Scope.init)
    }

    private static func name<Name>(
        _ raw: ArraySlice<UInt8>?, _ what: String, _ make: (String) -> Name?
    ) throws(Problem) -> Name {
        guard let raw, let bytes = PercentDecoding.decode(raw),
            let text = String(validating: bytes, as: UTF8.self), let name = make(text)
        else { throw Problem.invalidName(what) }
        return name
    }
}
