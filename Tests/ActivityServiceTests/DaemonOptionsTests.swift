import ActivityCore
import EventHTTP
import Testing

@testable import ActivityService

@Suite struct DaemonOptionsTests {
    private func options(_ arguments: String..., environment: [String: String] = [:]) throws -> DaemonOptions
    {
        try DaemonOptions(arguments, environment: environment, processors: 2)
    }

    private func complaint(_ arguments: String..., environment: [String: String] = [:]) -> String? {
        do throws(UsageError) {
            _ = try DaemonOptions(arguments, environment: environment, processors: 2)
            return nil
        } catch {
            return error.message
        }
    }

    @Test func servesDurablyOnLoopbackWhenNothingIsSaid() throws {
        let options = try options()
        #expect(options.action == .serve)
        #expect(options.settings.listen == [.tcp(host: "127.0.0.1", port: 8080)])
        #expect(options.settings.journal == .sqlite("pending.db"))
        #expect(options.settings.loops == 2)
        #expect(options.settings.drainDelay == 2 && options.settings.drain == 5)
        #expect(options.logLevel == .info)
        #expect(options.settings.hasDashboard)
    }

    @Test func readsEveryPlaceToListen() throws {
        let options = try options(
            "--listen", "127.0.0.1:0", "--listen=[::1]:9000", "--listen", "unix:/tmp/p.sock")
        #expect(options.settings.listen.map { "\($0)" } == ["127.0.0.1:0", "[::1]:9000", "unix:/tmp/p.sock"])
    }

    @Test func readsTheJournal() throws {
        #expect(try options("--journal", "memory").settings.journal == .memory)
        #expect(try options("--journal=sqlite:a=b.db").settings.journal == .sqlite("a=b.db"))
    }

    @Test func readsWhetherThereIsADashboard() throws {
        #expect(try !options("--dashboard", "off").settings.hasDashboard)
        #expect(try !options(environment: ["PENDING_DASHBOARD": "off"]).settings.hasDashboard)
        #expect(
            try options("--dashboard=on", environment: ["PENDING_DASHBOARD": "off"]).settings.hasDashboard)
    }

    @Test func readsTimesToTheMillisecond() throws {
        let options = try options(
            "--timing", "0.3,0.5,60", "--drain", "0", "--heartbeat", "5.125", "--head-deadline", "2.5")
        #expect(
            options.settings.timing == Timing(startDelay: 300, minimumVisible: 500, completionDelay: 60_000))
        #expect(options.settings.drain == 0)
        #expect(options.settings.streams.heartbeat == 5.125)
        #expect(options.settings.limits.headDeadline == .milliseconds(2_500))
    }

    @Test func readsNamesOfHostsAndOriginsInAnyCase() throws {
        let options = try options(
            "--host", "Pending.Example", "--host", "b", "--cors-origin", "HTTPS://App.example:443",
            "--cors-origin", "capacitor://localhost", "--cors-origin", "http://[::1]:3000")
        #expect(options.settings.policy.hosts == ["pending.example", "b"])
        #expect(
            options.settings.policy.origins
                == ["https://app.example", "capacitor://localhost", "http://[::1]:3000"])
        #expect(!options.settings.policy.allowsAnyHost && !options.settings.policy.allowsAnyOrigin)
    }

    @Test func readsStarsAsAny() throws {
        let options = try options("--host", "*", "--cors-origin", "*")
        #expect(options.settings.policy.allowsAnyHost && options.settings.policy.allowsAnyOrigin)
    }

    @Test func readsEveryLimit() throws {
        let options = try options(
            "--head-size", "2048", "--header-fields", "20", "--target-size", "1024", "--body-size", "4096",
            "--stream-queue", "8192", "--runs", "3", "--runs-per-scope", "2", "--runs-per-task", "1",
            "--ended-runs", "0", "--configurations", "7", "--patterns", "8", "--connections", "9",
            "--stream-screens", "10")
        #expect(options.settings.connections == 9 && options.settings.streams.mostScreens == 10)
        let codec = options.settings.limits.codec
        #expect(
            [codec.headSize, codec.fieldCount, codec.targetSize, codec.bodySize] == [2048, 20, 1024, 4096])
        #expect(options.settings.limits.streamQueue == 8192 && options.settings.streams.queueLimit == 8192)
        let stored = options.settings.registryLimits
        #expect(
            [stored.running, stored.runningPerScope, stored.runningPerTask, stored.ended] == [3, 2, 1, 0])
        #expect([stored.configurations, stored.patterns] == [7, 8])
    }

    @Test func readsEachFlagFromTheEnvironmentToo() throws {
        let options = try options(environment: [
            "PENDING_LISTEN": "127.0.0.1:1,unix:/a", "PENDING_JOURNAL_WAIT": "0.5", "PENDING_HOST": "a,b",
            "PENDING_ALLOW_ANONYMOUS": "true", "PENDING_TIMING": "1,2,3", "PENDING_LOG_LEVEL": "error",
        ])
        #expect(options.settings.listen == [.tcp(host: "127.0.0.1", port: 1), .unix(path: "/a")])
        #expect(options.settings.journalWait == 0.5)
        #expect(options.settings.policy.hosts == ["a", "b"])
        #expect(options.allowsAnonymous)
        #expect(
            options.settings.timing == Timing(startDelay: 1000, minimumVisible: 2000, completionDelay: 3000))
        #expect(options.logLevel == .error)
    }

    @Test func letsFlagsReplaceTheirVariables() throws {
        let options = try options(
            "--host", "c", "--loops", "3", environment: ["PENDING_HOST": "a,b", "PENDING_LOOPS": "nonsense"])
        #expect(options.settings.policy.hosts == ["c"])
        #expect(options.settings.loops == 3)
    }

    @Test func takesEmptyVariablesAsAbsentAndStrangeOnesAsSomeoneElses() throws {
        let options = try options(environment: [
            "PENDING_LISTEN": "", "PENDING_PORT": "tcp://10.0.0.1:8080", "PENDING_CHECK": "x",
            "PENDING_HELP": "1",
        ])
        #expect(options.action == .serve)
        #expect(options.settings.listen == [.tcp(host: "127.0.0.1", port: 8080)])
    }

    @Test func leavesTheEnvironmentAloneWhenItDoesNotServe() throws {
        let broken = ["PENDING_LOOPS": "x", "PENDING_LISTEN": "0.0.0.0:80"]
        #expect(try options("--help", environment: broken).action == .help)
        #expect(try options("--version", environment: broken).action == .version)
        let check = try #require(HealthCheck("http://127.0.0.1:8080/readyz"))
        let asked = try options("--check", "http://127.0.0.1:8080/readyz", environment: broken)
        #expect(asked.action == .check(check))
    }

    @Test(arguments: ["0.0.0.0:80", "[::]:80", "example.com:80", "10.0.0.1:80"])
    func refusesToListenForStrangersUnlessAllowed(_ address: String) throws {
        #expect(
            complaint("--listen", "127.0.0.1:80", "--listen", address)?.contains("--allow-anonymous") == true)
        #expect(complaint("--listen", address, "--allow-anonymous") == nil)
        #expect(
            complaint("--listen", address, environment: ["PENDING_ALLOW_ANONYMOUS": "false"])?
                .contains("--allow-anonymous") == true)
    }

    @Test(arguments: [
        (["--loops", "0"], "--loops must be a whole number from 1 to 64, not \"0\""),
        (["--loops", "65"], "--loops must be a whole number from 1 to 64, not \"65\""),
        (["--loops=+1"], "--loops must be a whole number from 1 to 64, not \"+1\""),
        (["--loops="], "--loops must be a whole number from 1 to 64, not \"\""),
        (
            ["--loops", "99999999999999999999"],
            "--loops must be a whole number from 1 to 64, not \"99999999999999999999\""
        ),
        (["--loops"], "--loops needs a value: N"),
        (["--loops", "1", "--loops", "1"], "--loops is given twice"),
        (["--heartbeat", "4.999"], "--heartbeat must be seconds from 5 to 3600, not \"4.999\""),
        (["--heartbeat", "5.0001"], "--heartbeat must be seconds from 5 to 3600, not \"5.0001\""),
        (["--heartbeat", "5s"], "--heartbeat must be seconds from 5 to 3600, not \"5s\""),
        (["--heartbeat", "1e1"], "--heartbeat must be seconds from 5 to 3600, not \"1e1\""),
        (["--heartbeat", "nan"], "--heartbeat must be seconds from 5 to 3600, not \"nan\""),
        (["--heartbeat", "9."], "--heartbeat must be seconds from 5 to 3600, not \"9.\""),
        (["--heartbeat", ".9"], "--heartbeat must be seconds from 5 to 3600, not \".9\""),
        (["--drain", "-1"], "--drain must be seconds from 0 to 3600, not \"-1\""),
        (
            ["--timing", "0,0"],
            "--timing must be three times from 0 to 60 seconds, such as 0.3,0.5,0.2, not \"0,0\""
        ),
        (
            ["--timing", "0,0,61"],
            "--timing must be three times from 0 to 60 seconds, such as 0.3,0.5,0.2, not \"0,0,61\""
        ),
        (["--journal", "nats://a"], "--journal must be memory or sqlite:PATH, not \"nats://a\""),
        (["--journal", "sqlite:"], "--journal must be memory or sqlite:PATH, not \"sqlite:\""),
        (["--journal", ""], "--journal must be memory or sqlite:PATH, not \"\""),
        (["--listen", "8080"], "--listen must be HOST:PORT, [IPV6]:PORT or unix:PATH, not \"8080\""),
        (["--host", "a:80"], "--host must be a host name without a port, or *, not \"a:80\""),
        (["--host", "a b"], "--host must be a host name without a port, or *, not \"a b\""),
        (["--cors-origin", "null"], "--cors-origin must be SCHEME://HOST[:PORT], or *, not \"null\""),
        (
            ["--cors-origin", "https://a/"],
            "--cors-origin must be SCHEME://HOST[:PORT], or *, not \"https://a/\""
        ),
        (["--log-level", "debug"], "--log-level must be info, warning, error, not \"debug\""),
        (["--dashboard", "yes"], "--dashboard must be on or off, not \"yes\""),
        (["--screens", ""], "--screens must be the path of a file, not \"\""),
        (
            ["--check", "https://a"],
            "--check must be http://HOST[:PORT][/PATH] or unix:PATH, not \"https://a\""
        ),
        (["--allow-anonymous=yes"], "--allow-anonymous takes no value"),
        (["--frobnicate"], "there is no flag \"--frobnicate\"; see --help"),
        (["--LOOPS", "1"], "there is no flag \"--LOOPS\"; see --help"),
        (["-h"], "\"-h\" is not a flag; see --help"),
        (["--"], "\"--\" is not a flag; see --help"),
        (["serve"], "\"serve\" is not a flag; see --help"),
        ([""], "\"\" is not a flag; see --help"),
        (
            ["--loops", "1\n2\u{1b}[31m"],
            "--loops must be a whole number from 1 to 64, not \"1\\n2\\u{1B}[31m\""
        ),
    ])
    func tellsInOneLineWhatIsWrong(_ arguments: [String], _ message: String) {
        #expect(throws: UsageError(message)) {
            try DaemonOptions(arguments, environment: [:], processors: 2)
        }
    }

    @Test(arguments: [
        ("PENDING_LOOPS", "x", "PENDING_LOOPS must be a whole number from 1 to 64, not \"x\""),
        ("PENDING_ALLOW_ANONYMOUS", "1", "PENDING_ALLOW_ANONYMOUS must be true or false, not \"1\""),
        ("PENDING_HOST", "a,,b", "PENDING_HOST must be a host name without a port, or *, not \"\""),
        ("PENDING_HOST", "a, b", "PENDING_HOST must be a host name without a port, or *, not \" b\""),
    ])
    func namesTheVariableThatIsWrong(_ variable: String, _ value: String, _ message: String) {
        #expect(complaint(environment: [variable: value]) == message)
    }

    @Test func cutsLongTextOutOfItsComplaints() {
        let message = complaint("--loops", String(repeating: "x", count: 10_000))
        #expect(
            message
                == "--loops must be a whole number from 1 to 64, not \"\(String(repeating: "x", count: 80))…\""
        )
    }

    @Test func neverHasMoreLoopsThanAllowedByDefault() throws {
        #expect(try DaemonOptions([], environment: [:], processors: 500).settings.loops == 64)
        #expect(try DaemonOptions([], environment: [:], processors: 0).settings.loops == 1)
    }

    @Test func helpsWithEveryFlagAndItsDefault() {
        let help = DaemonOptions.help(processors: 2)
        for flag in DaemonFlag.all { #expect(help.contains("\n  \(flag.option)")) }
        for text in ["default 127.0.0.1:8080", "default sqlite:pending.db", "default 0,0,0", "default 65536"]
        {
            #expect(help.contains(text))
        }
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 })
    }

    @Test func acceptsTheDefaultsThatItsHelpNames() throws {
        let defaults = try options()
        for flag in DaemonFlag.all {
            guard let standard = flag.standard(defaults) else { continue }
            var again = defaults
            try flag.apply(flag.values(inVariable: standard), to: &again, from: flag.option)
            #expect(flag.standard(again) == standard)
        }
    }

    @Test func namesEachFlagOnce() {
        #expect(Set(DaemonFlag.all.map(\.name)).count == DaemonFlag.all.count)
    }
}
