import ActivityService
import Glibc

/// The variables of the process's environment.
func environment() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
        let parts = String(cString: text).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
        entry += 1
    }
    return variables
}

/// Says why there is no daemon, in one line, and ends the process.
func fail(_ message: String, _ code: ExitCode) -> Never {
    let line = "pendingd: \(message)\n"
    write(STDERR_FILENO, line, line.utf8.count)
    exit(code.rawValue)
}

/// Does what the command line asks; returns when a daemon has been told to stop, and has stopped.
func run() {
    let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
    // The runtime finds the arguments by /proc/self/maps and `environ`. Where it does not, there are none, not even the
    // name: a daemon with all of its defaults is not what was asked for.
    guard !CommandLine.arguments.isEmpty else {
        fail(
            "the command line cannot be read: is /proc mounted, or has a preloaded library moved the environment?",
            .system)
    }
    do throws(UsageError) {
        let options = try DaemonOptions(
            Array(CommandLine.arguments.dropFirst()), environment: environment(), processors: processors)
        switch options.action {
        case .newKey(let id): print(NewKey(id: id).text, terminator: "")
        case .help: print(DaemonOptions.help(processors: processors), terminator: "")
        case .version: print("pendingd \(Version.text)")
        case .check(let check): exit(check.isPassed() ? 0 : 1)
        case .serve: serve(options)
        }
    } catch {
        fail(error.message, .usage)
    }
}

func serve(_ options: DaemonOptions) {
    do throws(ServiceError) {
        try Daemon(options.settings, log: Log(level: options.logLevel)).run()
    } catch {
        fail(error.message, error.exitCode)
    }
}

run()
