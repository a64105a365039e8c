/// PUTs of runs by keep-alive connections.
enum Writes {
    private static let connections = 64

    static func runMemory(_ context: Context, _ report: inout Report) throws(BenchError) {
        try run("memory", context, &report)
    }

    static func runDurable(_ context: Context, _ report: inout Report) throws(BenchError) {
        try run("sqlite:\(context.folder.path)/writes.db", context, &report)
    }

    private static func run(
        _ journal: String, _ context: Context, _ report: inout Report
    ) throws(BenchError) {
        // Each a progress further: a record each.
        try measure("progress of 64 runs", journal, context, &report) { number in
            Request.put(
                "t\(number % connections).sync", "1",
                "{\"title\":\"Importing\",\"progress\":{\"completed\":\(number),\"total\":1000000000}}",
                in: "")
        }
        try measure("renewal of 64 runs, no record", journal, context, &report) { number in
            Request.put(
                "t\(number % connections).sync", "1", "{\"title\":\"Importing\",\"ttl\":3600}", in: "")
        }
        try measure("new runs", journal, context, &report) { number in
            Request.put(
                "t\(number % 1_000).sync", "r\(number / 1_000)", "{\"title\":\"Importing\",\"ttl\":3600}",
                in: "acme.u\(number % 100)")
        }
    }

    private static func measure(
        _ variant: String, _ journal: String, _ context: Context, _ report: inout Report,
        _ request: @escaping (Int) -> [UInt8]
    ) throws(BenchError) {
        let daemon = try Daemon(
            context, journal: journal, ["--runs-per-task", "1000000", "--runs", "1000000"])
        let load = try ClosedLoop(port: daemon.port, connections: connections, status: 200...201, request)
        // What comes first is not measured: it starts the runs.
        _ = try load.run(daemon.process, seconds: 10, limit: connections)
        let result = try load.run(
            daemon.process, seconds: context.size(3, quick: 0.2), limit: context.size(150_000, quick: 2_000))
        report.add(variant, "rate", result.rate, "1/s")
        report.add(variant, "CPU", result.cpu, "µs/write")
        report.add(variant, "p50", result.latency.median, "ms")
        report.add(variant, "p99", result.latency.quantile(0.99), "ms")
        daemon.process.stop()
    }
}
