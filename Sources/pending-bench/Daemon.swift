import Glibc

/// A `pendingd` that was started for one measurement, with one loop, on a free port of loopback.
final class Daemon {
    let process: ServerProcess
    let port: UInt16
    /// From its start to the first 200 of `/readyz`, in seconds.
    let startTime: Double

    /// Starts it and waits until it is ready.
    ///
    /// - Parameter journal: `memory`, or `sqlite:` and a path.
    init(_ context: Context, journal: String = "memory", _ flags: [String] = []) throws(BenchError) {
        let log = "\(context.folder.path)/pendingd.log"
        let begin = Clock.now
        process = try ServerProcess(
            context.options.pendingd,
            [
                "--listen", "127.0.0.1:0", "--loops", "1", "--journal", journal, "--drain-delay", "0",
                "--drain", "0",
            ]
                + flags, log: log)
        port = try Self.port(of: process, log: log)
        try Self.waitUntilReady(process, port)
        startTime = Clock.seconds(since: begin)
    }

    /// A connection of its own for requests one by one.
    func client() throws(BenchError) -> Client { try Client(port: port) }

    /// Declares a run, and refuses to go on when that is refused.
    func put(_ task: String, _ run: String, _ body: String, in scope: String = "") throws(BenchError) {
        try client().expect(200...201, Request.put(task, run, body, in: scope))
    }

    /// Configures a screen.
    func configure(_ screen: String, _ body: String) throws(BenchError) {
        try client().expect(200...201, Request.put("/v1/screens/\(screen)/configuration", body))
    }

    /// The port that the daemon says it listens on.
    private static func port(of process: ServerProcess, log: String) throws(BenchError) -> UInt16 {
        let mark = "\"address\":\"127.0.0.1:"
        for _ in 0..<5_000 {
            let text = try TextFile.read(log)
            if let place = text.firstRange(of: mark) {
                let digits = text[place.upperBound...].prefix { $0.isNumber }
                if let port = UInt16(digits) { return port }
            }
            guard process.isAlive() else { throw .daemon("pendingd ended at its start: \(text)") }
            Clock.pause(milliseconds: 1)
        }
        throw .daemon("pendingd did not say where it listens")
    }

    private static func waitUntilReady(_ process: ServerProcess, _ port: UInt16) throws(BenchError) {
        for _ in 0..<60_000 {
            if let answer = try? Client(port: port).answer(to: Request.get("/readyz")), answer.status == 200 {
                return
            }
            guard process.isAlive() else { throw .daemon("pendingd ended before it was ready") }
            Clock.pause(milliseconds: 1)
        }
        throw .daemon("pendingd was not ready within a minute")
    }
}
