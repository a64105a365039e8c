import ActivityCore
import EventHTTP

/// What the command line and the environment ask of the daemon.
///
/// Each flag `--some-name VALUE` may also be given as `--some-name=VALUE` or in the variable `PENDING_SOME_NAME`, lists
/// there separated by commas. A flag replaces its variable; an empty variable counts as absent, an unknown one is
/// none of ours (Kubernetes makes `PENDING_PORT` for a service called pending).
public struct DaemonOptions: Sendable {
    /// What the process is to do.
    public enum Action: Hashable, Sendable {
        /// Serve, with the settings.
        case serve
        /// Ask a running daemon whether it is well.
        case check(HealthCheck)
        /// Print a fresh token for a key of this id, and the key's entry.
        case newKey(String)
        /// Print ``DaemonOptions/help``.
        case help
        /// Print the version.
        case version
    }

    /// What the process is to do; the rest matters only if that is to serve.
    public var action = Action.serve
    /// How to serve.
    public var settings = ServiceSettings()
    /// The least urgent lines that are logged.
    public var logLevel = LogLevel.info
    /// Whether to listen beyond loopback though nobody has to say who they are.
    var allowsAnonymous = false

    /// Bytes queued per stream: one number, which both the writer and its connection go by.
    var streamQueue: Int {
        get { settings.streams.queueLimit }
        set {
            settings.streams.queueLimit = newValue
            settings.limits.streamQueue = newValue
        }
    }

    /// What holds when nothing is said: the loopback interface, and a durable journal in the working directory.
    init(processors: Int) {
        settings.listen = [.tcp(host: "127.0.0.1", port: 8080)]
        settings.journal = .sqlite("pending.db")
        settings.loops = min(max(1, processors), DaemonFlag.mostLoops)
    }

    /// Reads `arguments` (without the program's name) and `environment`.
    ///
    /// - Parameter processors: how many processors the process may use: the default of `--loops`.
    public init(
        _ arguments: [String], environment: [String: String], processors: Int
    ) throws(UsageError) {
        self.init(processors: processors)
        let given = try GivenFlags(arguments)
        for flag in DaemonFlag.all {
            guard let values = given[flag] else { continue }
            try flag.apply(values, to: &self, from: flag.option)
        }
        guard action == .serve else { return }
        for flag in DaemonFlag.all where given[flag] == nil {
            guard let variable = flag.variable, let text = environment[variable], !text.isEmpty else {
                continue
            }
            try flag.apply(flag.values(inVariable: text), to: &self, from: variable)
        }
        try refuseExposure()
    }

    /// Without tokens everybody who can connect may change everything.
    private func refuseExposure() throws(UsageError) {
        guard !allowsAnonymous, settings.tokens == nil,
            let open = settings.listen.first(where: { !$0.isLoopback })
        else { return }
        throw UsageError(
            "\(open) can be reached from other machines, and nobody has to say who they are: "
                + "listen on 127.0.0.1, [::1] or unix:PATH, or give --allow-anonymous")
    }

    /// The text of `--help`, made from the flags that are parsed.
    public static func help(processors: Int) -> String {
        let defaults = DaemonOptions(processors: processors)
        let entries = DaemonFlag.all.map { $0.entry(defaults) }
        return """
            Usage: pendingd [flag]...

            Serves what is still running: workers declare runs of tasks, screens show them.

            Each flag --some-name VALUE can also be given as --some-name=VALUE, or in the environment as
            PENDING_SOME_NAME, lists there separated by commas. Flags win. Times are in seconds.


            """ + entries.joined(separator: "\n") + "\n"
    }
}

/// A flag, or its variable, that cannot be followed.
public struct UsageError: Error, Hashable, Sendable {
    /// One line that names the flag and tells what is allowed.
    public let message: String

    init(_ message: String) { self.message = message }

    /// Text from outside, so that it can stand in a line of ours: in quotes, escaped, at most 80 characters.
    static func quoted(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(80).map { $0.escaped(asASCII: true) }.joined()
        return "\"\(shown)\(text.unicodeScalars.count > 80 ? "…" : "")\""
    }
}

/// The flags of a command line, with their values as they were given.
private struct GivenFlags {
    private var values: [String: [String]] = [:]

    init(_ arguments: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--"), argument != "--" else {
                throw UsageError("\(UsageError.quoted(argument)) is not a flag; see --help")
            }
            let equals = argument.firstIndex(of: "=")
            let name = String(argument[..<(equals ?? argument.endIndex)].dropFirst(2))
            guard let flag = DaemonFlag.all.first(where: { $0.name == name }) else {
                throw UsageError("there is no flag \(UsageError.quoted("--" + name)); see --help")
            }
            let attached = equals.map { String(argument[argument.index(after: $0)...]) }
            try add(flag, attached, &rest)
        }
    }

    subscript(flag: DaemonFlag) -> [String]? { values[flag.name] }

    private mutating func add(
        _ flag: DaemonFlag, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) {
        guard flag.isRepeatable || values[flag.name] == nil else {
            throw UsageError("\(flag.option) is given twice")
        }
        guard let placeholder = flag.placeholder else {
            guard attached == nil else { throw UsageError("\(flag.option) takes no value") }
            values[flag.name] = ["true"]
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw UsageError("\(flag.option) needs a value: \(placeholder)")
        }
        values[flag.name, default: []].append(value)
    }
}
