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
        var writer = Ticker(client: try daemon.client(), interval: 0.01)
        var prober = Ticker(client: try daemon.client(), interval: 0.01)
        let begin = Clock.now
        var highest = resident
        var isOver = false
        while !isOver || writer.isWaiting {
            isOver = Clock.seconds(since: begin) >= seconds
            if try writer.isDue(), !isOver {
                try writer.send(
                    Request.put(
                        "chats.sync", "1", "{\"title\":\"Updating #\(subscribers.nextNumber())#\"}", in: ""))
                highest = max(highest, daemon.process.residentSize)
            }
            subscribers.turn(milliseconds: 1)
            if try prober.isDue() { try prober.send(Request.get("/v1/screens/mail")) }
        }
        let last = try subscribers.waitForAll()
        report.add(variant, "last state at all after", last, "ms")
        report.add(variant, "changes", Double(writer.count) / seconds, "1/s")
        report.add(variant, "PUT, p99", writer.latency.quantile(0.99), "ms")
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

/// One request at a time at even intervals, whose latency is taken while this process does other work.
struct Ticker {
    private let client: Client
    private let interval: UInt64
    private var sentAt: UInt64 = 0
    private var latencies: [Double] = []
    private(set) var isWaiting = false

    /// - Parameter interval: the least time between two requests, in seconds.
    init(client: Client, interval: Double) {
        self.client = client
        self.interval = UInt64(interval * 1e9)
    }

    /// Milliseconds.
    var latency: Spread { Spread(latencies) }
    /// How many requests were answered.
    var count: Int { latencies.count }

    /// Takes an answer if there is one. True when the next request may be sent.
    mutating func isDue() throws(BenchError) -> Bool {
        if isWaiting {
            guard let answer = try client.take(isWaiting: false) else { return false }
            guard answer.status == 200 else { throw .daemon("unexpected answer: \(answer.text)") }
            isWaiting = false
            latencies.append(Clock.seconds(since: sentAt) * 1_000)
        }
        return Clock.now - sentAt >= interval
    }

    /// Sends the next request.
    mutating func send(_ request: [UInt8]) throws(BenchError) {
        sentAt = Clock.now
        isWaiting = true
        guard client.socket.send(request) else { throw .last("send") }
    }
}
