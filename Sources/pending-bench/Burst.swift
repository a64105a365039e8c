/// More changes than can be delivered: each subscriber must get fewer events, in order, none twice, and the last.
enum Burst {
    static func run(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(5_000, quick: 200)
        let seconds = context.size(10.0, quick: 1)
        let variant = "\(count) subscribers, 100 changes/s"
        let daemon = try Daemon(context)
        try daemon.put("chats.sync", "1", #"{"title":"Updating"}"#)
        let subscribers = try Subscribers(port: daemon.port, batch: 32) { _ in Request.stream(of: "chats") }
        try subscribers.open(count)
        let resident = daemon.process.residentSize
        let cpu = daemon.process.cpuTime
        let writer = try daemon.client()
        var prober = try Prober(daemon)
        let begin = Clock.now
        var changes = 0
        var highest = resident
        while changes < Int(seconds * 100) {
            if Clock.seconds(since: begin) * 100 >= Double(changes) {
                changes += 1
                let body = "{\"title\":\"Updating #\(subscribers.nextNumber())#\"}"
                // Not awaited: the answers are taken as they come.
                guard writer.socket.send(Request.put("chats.sync", "1", body, in: "")) else {
                    throw .last("send")
                }
                if changes % 50 == 0 { highest = max(highest, daemon.process.residentSize) }
            }
            subscribers.turn(milliseconds: 1)
            while try writer.take(isWaiting: false) != nil {}
            try prober.probe()
        }
        let last = try subscribers.waitForAll()
        report.add(variant, "last state at all after", last, "ms")
        report.add(variant, "events per subscriber", Double(subscribers.events) / Double(count), "")
        report.add(variant, "events seen twice", Double(subscribers.repeated), "")
        report.add(variant, "events out of order", Double(subscribers.reordered), "")
        report.add(variant, "streams lost", Double(subscribers.lost), "")
        let deliveries = Double(max(1, subscribers.events))
        report.add(variant, "CPU", Double(daemon.process.cpuTime - cpu) / 1e3 / deliveries, "µs/delivery")
        report.add(variant, "resident, highest less first", (highest - resident) / 1_024, "MiB")
        report.add(variant, "GET meanwhile, p50", prober.latency.median, "ms")
        report.add(variant, "GET meanwhile, p99", prober.latency.quantile(0.99), "ms")
    }
}

/// A GET every 10 ms, whose latency is taken while this process does other work.
struct Prober {
    private let client: Client
    private var sentAt: UInt64 = 0
    private var isWaiting = false
    private var latencies: [Double] = []

    init(_ daemon: Daemon) throws(BenchError) { client = try daemon.client() }

    /// Milliseconds.
    var latency: Spread { Spread(latencies) }

    /// Takes an answer if there is one, and sends the next request if it is due.
    mutating func probe() throws(BenchError) {
        if isWaiting {
            guard let answer = try client.take(isWaiting: false) else { return }
            guard answer.status == 200 else { throw .daemon("unexpected answer: \(answer.text)") }
            isWaiting = false
            latencies.append(Clock.seconds(since: sentAt) * 1_000)
        } else if Clock.now - sentAt > 10_000_000 {
            sentAt = Clock.now
            isWaiting = true
            guard client.socket.send(Request.get("/v1/screens/mail")) else { throw .last("send") }
        }
    }
}
