import AccessRules
import ActivityCore
import EventHTTP
import HTTPCodec

extension DaemonFlag {
    static let mostLoops = 64

    /// Every flag there is, in the order of the help.
    static var all: [DaemonFlag] { places + behaviour + access + requestLimits + storageLimits + actions }

    private static var places: [DaemonFlag] {
        [
            DaemonFlag(
                name: "listen", placeholder: "ADDRESS",
                help: "Where to listen: HOST:PORT, [IPV6]:PORT or unix:PATH; port 0 lets the system choose.",
                isRepeatable: true, clear: { $0.settings.listen = [] },
                standard: { $0.settings.listen.map { "\($0)" }.joined(separator: ",") },
                set: { text, options throws(Refusal) in
                    guard let address = ListenAddress(text) else {
                        throw Refusal("HOST:PORT, [IPV6]:PORT or unix:PATH")
                    }
                    options.settings.listen.append(address)
                }),
            DaemonFlag(
                name: "journal", placeholder: "memory|sqlite:PATH",
                help:
                    "Where runs and configurations are kept: with the process, or in a file of one daemon's own.",
                standard: { $0.settings.journal.text },
                set: { text, options throws(Refusal) in
                    guard let journal = JournalChoice(text) else { throw Refusal("memory or sqlite:PATH") }
                    options.settings.journal = journal
                }),
            .seconds(
                "journal-wait", \.settings.journalWait, 0...86_400,
                "How long to wait, alive but not ready, for another process that has the journal open."),
            DaemonFlag(
                name: "screens", placeholder: "FILE",
                help: "A JSON object of screen id to configuration, applied at start and on SIGHUP.",
                set: { text, options throws(Refusal) in
                    guard !text.isEmpty, !text.utf8.contains(0) else { throw Refusal("the path of a file") }
                    options.settings.screens = text
                }),
        ]
    }

    private static var behaviour: [DaemonFlag] {
        [
            DaemonFlag(
                name: "timing", placeholder: "DELAY,VISIBLE,COMPLETION",
                help:
                    "How long work lasts before it is shown, is shown at least, and stays after its end, for screens "
                    + "that do not say.",
                standard: { $0.settings.timing.text },
                set: { text, options throws(Refusal) in
                    guard let timing = Timing(text) else {
                        throw Refusal("three times from 0 to 60 seconds, such as 0.3,0.5,0.2")
                    }
                    options.settings.timing = timing
                }),
            .number(
                "loops", \.settings.loops, 1...mostLoops,
                "How many threads serve connections; the default is the number of processors."),
            .seconds(
                "drain-delay", \.settings.drainDelay, 0...3_600,
                "How long a daemon that was told to end serves as usual, only not ready."),
            .seconds("drain", \.settings.drain, 0...3_600, "Over how long streams are closed then."),
            .seconds(
                "heartbeat", \.settings.streams.heartbeat, 5...3_600,
                "After how long without traffic a stream gets a sign of life, give or take a fifth."),
            .seconds(
                "max-age", \.settings.streams.maxAge, 1...86_400,
                "After how long a stream is closed, give or take a fifth; its client comes back."),
            DaemonFlag(
                name: "dashboard", placeholder: "on|off",
                help: "Whether there is a page for people at /.",
                standard: { $0.settings.hasDashboard ? "on" : "off" },
                set: { text, options throws(Refusal) in
                    guard let value = ["on": true, "off": false][text] else { throw Refusal("on or off") }
                    options.settings.hasDashboard = value
                }),
            DaemonFlag(
                name: "log-level", placeholder: LogLevel.allCases.map(\.rawValue).joined(separator: "|"),
                help: "The least urgent lines that are logged.", standard: { $0.logLevel.rawValue },
                set: { text, options throws(Refusal) in
                    guard let level = LogLevel(rawValue: text) else {
                        throw Refusal(LogLevel.allCases.map(\.rawValue).joined(separator: ", "))
                    }
                    options.logLevel = level
                }),
        ]
    }

    private static var access: [DaemonFlag] {
        [
            .switch(
                "allow-anonymous", \.allowsAnonymous,
                "Listen beyond loopback, though whoever can connect may then read and change everything."),
            DaemonFlag(
                name: "tokens", placeholder: "FILE",
                help: "A JSON file of keys and what they allow, read at start and on SIGHUP; see --new-key.",
                set: { text, options throws(Refusal) in
                    guard !text.isEmpty, !text.utf8.contains(0) else { throw Refusal("the path of a file") }
                    options.settings.tokens = text
                }),
            DaemonFlag(
                name: "host", placeholder: "NAME",
                help:
                    "A name under which requests may come, besides localhost and IP addresses; '*' for any.",
                isRepeatable: true,
                set: { text, options throws(Refusal) in try options.settings.policy.allow(host: text) }),
            DaemonFlag(
                name: "cors-origin", placeholder: "ORIGIN",
                help: "An origin, SCHEME://HOST[:PORT], whose pages may read and write; '*' for any.",
                isRepeatable: true,
                set: { text, options throws(Refusal) in try options.settings.policy.allow(origin: text) }),
        ]
    }

    private static var requestLimits: [DaemonFlag] {
        [
            .number(
                "head-size", \.settings.limits.codec.headSize, 1_024...1_048_576,
                "The longest request head, in bytes."),
            .number(
                "header-fields", \.settings.limits.codec.fieldCount, 10...1_000,
                "The most header fields of a request."),
            .number(
                "target-size", \.settings.limits.codec.targetSize, 256...1_048_576,
                "The longest request target, in bytes."),
            .number(
                "body-size", \.settings.limits.codec.bodySize, 1_024...16_777_216,
                "The longest request body, in bytes."),
            .seconds(
                "head-deadline", \.settings.limits.headDeadline, 1...3_600,
                "How long a request head may take to arrive."),
            .seconds(
                "body-deadline", \.settings.limits.bodyDeadline, 1...3_600,
                "How long a request body may take to arrive."),
            .seconds(
                "idle-deadline", \.settings.limits.idle, 1...86_400,
                "How long a connection may stay open without a request."),
            .seconds(
                "stall-deadline", \.settings.limits.stallDeadline, 1...3_600,
                "How long a reader may take nothing of what waits for it."),
            DaemonFlag(
                name: "connections", placeholder: "N",
                help:
                    "The most connections; never more than the file limit minus a reserve, which is the default.",
                set: { text, options throws(Refusal) in
                    options.settings.connections = try number(text, in: 1...10_000_000)
                }),
            .number(
                "stream-screens", \.settings.streams.mostScreens, 1...4_096,
                "The most screens on one request."),
            .number(
                "stream-queue", \.streamQueue, 4_096...16_777_216,
                "How many bytes wait for one stream's reader; what does not fit follows, in its newest state."
            ),
        ]
    }

    private static var storageLimits: [DaemonFlag] {
        [
            .number(
                "runs-per-scope", \.settings.registryLimits.runningPerScope, 1...10_000_000,
                "The most running runs of a scope."),
            .number(
                "runs-per-task", \.settings.registryLimits.runningPerTask, 1...10_000_000,
                "The most running runs of a task in a scope."),
            .number(
                "runs", \.settings.registryLimits.running, 1...10_000_000, "The most running runs in all."),
            .number(
                "ended-runs", \.settings.registryLimits.ended, 0...10_000_000,
                "The most ended and lost runs that are listed or remembered; the oldest go first."),
            .number(
                "configurations", \.settings.registryLimits.configurations, 0...1_000_000,
                "The most configured screens."),
            .number(
                "patterns", \.settings.registryLimits.patterns, 1...64,
                "The most task patterns of a configuration."),
        ]
    }

    private static var actions: [DaemonFlag] {
        [
            .action(
                "check", "URL",
                "Ask http://HOST[:PORT][/PATH] or unix:PATH, by default for /healthz, and exit with 0 if the answer is "
                    + "2xx within 3 s, else with 1."
            ) { text throws(Refusal) in
                guard let check = HealthCheck(text) else {
                    throw Refusal("http://HOST[:PORT][/PATH] or unix:PATH")
                }
                return .check(check)
            },
            .action("new-key", "ID", "Print a fresh token, and its entry for the file of --tokens.") {
                text throws(Refusal) in
                guard Key.isID(text) else { throw Refusal("1 to 64 of A-Z a-z 0-9 . _ -") }
                return .newKey(text)
            },
            .action("help", nil, "Print this text.") { _ in .help },
            .action("version", nil, "Print the version.") { _ in .version },
        ]
    }
}

extension JournalChoice {
    /// Nil unless `text` is `memory` or `sqlite:PATH`.
    fileprivate init?(_ text: String) {
        if text == "memory" {
            self = .memory
        } else {
            guard text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.utf8.contains(0) else { return nil }
            self = .sqlite(String(text.dropFirst(7)))
        }
    }

    fileprivate var text: String {
        switch self {
        case .memory: "memory"
        case .sqlite(let path): "sqlite:\(path)"
        }
    }
}

extension Timing {
    /// Nil unless `text` is three times from 0 to 60 seconds, separated by commas.
    fileprivate init?(_ text: String) {
        let times = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { DecimalSeconds.milliseconds($0).flatMap { (0...60_000).contains($0) ? $0 : nil } }
        guard times.count == 3, let start = times[0], let visible = times[1], let completion = times[2] else {
            return nil
        }
        self.init(startDelay: start, minimumVisible: visible, completionDelay: completion)
    }

    fileprivate var text: String {
        [startDelay, minimumVisible, completionDelay]
            .map { DecimalSeconds.text(Double($0) / 1_000) }.joined(separator: ",")
    }
}

extension AccessPolicy {
    fileprivate mutating func allow(host text: String) throws(DaemonFlag.Refusal) {
        guard text != "*" else { return allowsAnyHost = true }
        guard let host = HostField(Array(text.utf8)[...]), host.host.count == text.utf8.count else {
            throw DaemonFlag.Refusal("a host name without a port, or *")
        }
        hosts.insert(text.lowercased())
    }

    fileprivate mutating func allow(origin text: String) throws(DaemonFlag.Refusal) {
        guard text != "*" else { return allowsAnyOrigin = true }
        // Compared with what browsers send, which leave a scheme's own port out.
        guard case .tuple(let scheme, let host, let port) = Origin(Array(text.utf8)[...]) else {
            throw DaemonFlag.Refusal("SCHEME://HOST[:PORT], or *")
        }
        let name = String(decoding: scheme + Array("://".utf8) + host, as: UTF8.self)
        let usual: UInt16? = ["http": 80, "https": 443][String(decoding: scheme, as: UTF8.self)]
        origins.insert(port == usual ? name : name + (port.map { ":\($0)" } ?? ""))
    }
}
