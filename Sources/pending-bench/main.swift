import Glibc

/// Does what the command line asks.
func run() throws(BenchError) {
    let options = try Options(
        Array(CommandLine.arguments.dropFirst()), program: CommandLine.arguments.first ?? "")
    switch options.action {
    case .help: print(Options.help, terminator: "")
    case .list: for benchmark in Benchmark.all { print("\(benchmark.name): \(benchmark.summary)") }
    case .run: try measure(options)
    }
}

/// Runs what was named, or all, and writes the figures.
func measure(_ options: Options) throws(BenchError) {
    raiseFileLimit()
    ServerProcess.pinLoad()
    let context = Context(options: options, folder: try ScratchFolder(in: options.directory))
    var report = Report()
    for benchmark in Benchmark.all where options.names.isEmpty || options.names.contains(benchmark.name) {
        report.begin(benchmark.name)
        try benchmark.run(context, &report)
    }
    if let path = options.json { try TextFile.write(report.json(isQuick: options.isQuick), to: path) }
}

/// As many descriptors as allowed, for us and for the servers that inherit it.
func raiseFileLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

do throws(BenchError) {
    try run()
} catch {
    let line = "pending-bench: \(error.message)\n"
    write(STDERR_FILENO, line, line.utf8.count)
    if case .usage = error { exit(64) }
    exit(1)
}
