/// Numbered changes of one screen, each awaited by all its subscribers before the next.
enum FanOut {
    /// What a series of changes came to.
    struct Result {
        /// The daemon's CPU per delivery, in microseconds.
        let cpu: Double
        /// Milliseconds until all have a change, of each change.
        let rounds: Spread
        /// Milliseconds until one has a change.
        let latency: Spread
    }

    static func run(_ context: Context, _ report: inout Report) throws(BenchError) {
        for count in context.size([100, 1_000, 10_000], quick: [100]) {
            let variant = "\(count) subscribers"
            let daemon = try Daemon(context)
            try daemon.put("chats.sync", "1", #"{"title":"Updating"}"#)
            let before = daemon.process.residentSize
            let cpu = daemon.process.cpuTime
            let subscribers = try Subscribers(port: daemon.port) { _ in Request.stream(of: "chats") }
            try subscribers.open(count)
            guard subscribers.failed == 0 else { throw .daemon("\(subscribers.failed) streams were refused") }
            report.add(
                variant, "CPU per opening", Double(daemon.process.cpuTime - cpu) / 1e3 / Double(count), "µs")
            report.add(
                variant, "resident", (daemon.process.residentSize - before) / Double(count), "KiB/stream")
            let rounds = max(20, 20_000 / count)
            let result = try publish(daemon, subscribers, rounds: context.size(rounds, quick: 5))
            report.add(variant, "CPU", result.cpu, "µs/delivery")
            report.add(variant, "all served, p50", result.rounds.median, "ms")
            report.add(variant, "delivery, p50", result.latency.median, "ms")
            report.add(variant, "delivery, p99", result.latency.quantile(0.99), "ms")
        }
    }

    /// Alternately without and with one reader that takes nothing from its small socket buffer.
    static func runStalled(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(1_000, quick: 50)
        var latencies: [Bool: [Double]] = [:]
        for _ in 0..<context.size(5, quick: 1) {
            for isStalled in [false, true] {
                let daemon = try Daemon(context)
                try daemon.put("chats.sync", "1", #"{"title":"Updating"}"#)
                let reader = try isStalled ? stalledReader(of: daemon) : nil
                let subscribers = try Subscribers(port: daemon.port) { _ in Request.stream(of: "chats") }
                try subscribers.open(count)
                let result = try publish(daemon, subscribers, rounds: context.size(100, quick: 5))
                latencies[isStalled, default: []].append(result.latency.quantile(0.99))
                withExtendedLifetime(reader) {}
            }
        }
        for (isStalled, variant) in [(false, "all read"), (true, "one reader stalls")] {
            let spread = Spread(latencies[isStalled] ?? [])
            report.add(variant, "p99 of the others, median", spread.median, "ms")
            report.add(variant, "p99 of the others, lowest", spread.minimum, "ms")
            report.add(variant, "p99 of the others, highest", spread.maximum, "ms")
        }
    }

    private static func stalledReader(of daemon: Daemon) throws(BenchError) -> Socket {
        let socket = try Socket(port: daemon.port, receiveBuffer: 4_096)
        guard socket.send(Request.stream(of: "chats")) else { throw .last("send") }
        return socket
    }

    /// Publishes `rounds` numbered titles of the task chats.sync.
    static func publish(
        _ daemon: Daemon, _ subscribers: Subscribers, rounds: Int, in scope: String = ""
    ) throws(BenchError) -> Result {
        let writer = try daemon.client()
        let (cpu, events) = (daemon.process.cpuTime, subscribers.events)
        var times: [Double] = []
        for _ in 0..<rounds {
            let body = "{\"title\":\"Updating #\(subscribers.nextNumber())#\"}"
            guard writer.socket.send(Request.put("chats.sync", "1", body, in: scope)) else {
                throw .last("send")
            }
            times.append(try subscribers.waitForAll())
            while try writer.take(isWaiting: true) == nil {}
        }
        guard subscribers.lost == 0 else { throw .daemon("\(subscribers.lost) streams were lost") }
        return Result(
            cpu: Double(daemon.process.cpuTime - cpu) / 1e3 / Double(max(1, subscribers.events - events)),
            rounds: Spread(times), latency: subscribers.latency)
    }
}
