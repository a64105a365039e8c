/// What streams cost while they only come, or only stay.
enum Streams {
    /// All streams end at once and come back at once, as after a restart of a proxy.
    static func runStorm(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(10_000, quick: 200)
        let variant = "\(count) clients"
        let daemon = try Daemon(context)
        try daemon.put("chats.sync", "1", #"{"title":"Updating"}"#)
        for _ in 0..<context.size(3, quick: 1) {
            // The ones before are closed by now, all of them with a reset.
            let subscribers = try Subscribers(port: daemon.port) { _ in Request.stream(of: "chats") }
            let cpu = daemon.process.cpuTime
            let seconds = try subscribers.open(count, inFlight: count)
            report.add(variant, "refused", Double(subscribers.failed), "")
            report.add(variant, "all have their state after", seconds * 1_000, "ms")
            report.add(
                variant, "CPU", Double(daemon.process.cpuTime - cpu) / 1e3 / Double(count), "µs/client")
        }
    }

    static func runIdle(_ context: Context, _ report: inout Report) throws(BenchError) {
        for count in context.size([0, 1_000, 10_000], quick: [0, 100]) {
            let daemon = try Daemon(context)
            try daemon.put("chats.sync", "1", #"{"title":"Updating","ttl":86400}"#)
            let subscribers = try Subscribers(port: daemon.port) { _ in Request.stream(of: "chats") }
            try subscribers.open(count)
            let cpu = daemon.process.cpuTime
            let begin = Clock.now
            let seconds = context.size(20.0, quick: 1)
            while Clock.seconds(since: begin) < seconds { subscribers.turn(milliseconds: 50) }
            let share = Double(daemon.process.cpuTime - cpu) / 1e9 / Clock.seconds(since: begin)
            report.add("\(count) streams, heartbeat 15 s", "CPU", share * 100, "% of a core")
        }
    }
}
