/// How long it takes from the start of the process until `/readyz` says 200.
enum StartUp {
    private static let runsPerTask = 100
    private static let tasksPerScope = 100

    static func run(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(100_000, quick: 2_000)
        let journal = "sqlite:\(context.folder.path)/start.db"
        for _ in 0..<context.size(3, quick: 1) {
            let empty = try Daemon(context)
            report.add("memory journal", "ready", empty.startTime * 1_000, "ms")
            empty.process.stop()
        }
        let full = try Daemon(context, journal: journal)
        let load = try ClosedLoop(port: full.port, connections: 64, status: 201...201, request)
        let fill = try load.run(full.process, seconds: 600, limit: count)
        report.add("\(count) new runs", "durable PUTs", fill.rate, "1/s")
        report.add("\(count) new runs", "resident per run", full.process.residentSize / Double(count), "KiB")
        full.process.stop()
        for _ in 0..<context.size(3, quick: 1) {
            let daemon = try Daemon(context, journal: journal)
            report.add("\(count) stored runs", "ready", daemon.startTime * 1_000, "ms")
            report.add("\(count) stored runs", "CPU", Double(daemon.process.cpuTime) / 1e6, "ms")
            report.add("\(count) stored runs", "resident", daemon.process.residentSize / 1_024, "MiB")
            daemon.process.stop()
        }
    }

    /// Starts run number N: 10 000 in each scope, 100 of each task, as the limits allow.
    private static func request(_ number: Int) -> [UInt8] {
        let (task, run) = (number / runsPerTask, number % runsPerTask)
        return Request.put(
            "import.t\(task % tasksPerScope)", "r\(run)", #"{"title":"Importing","ttl":86400}"#,
            in: "acme.u\(task / tasksPerScope)")
    }
}
