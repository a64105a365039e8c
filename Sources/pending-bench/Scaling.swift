/// Whether the cost of one change grows with what it does not concern.
enum Scaling {
    /// Sends numbered changes one by one, reading the streams meanwhile; the daemon's CPU per change, in microseconds.
    private static func change(
        _ daemon: Daemon, _ subscribers: Subscribers, count: Int, _ request: (Int) -> [UInt8]
    ) throws(BenchError) -> Double {
        let writer = try daemon.client()
        let cpu = daemon.process.cpuTime
        for number in 1...count {
            try writer.expect(200...201, request(number))
            subscribers.turn(milliseconds: 0)
        }
        return Double(daemon.process.cpuTime - cpu) / 1e3 / Double(count)
    }

    /// Pending screens with one subscriber each; one of them changes.
    static func runScreens(_ context: Context, _ report: inout Report) throws(BenchError) {
        for count in context.size([1, 10, 1_000, 10_000], quick: [1, 100]) {
            let variant = "\(count) screens"
            let daemon = try Daemon(context)
            let fill = try ClosedLoop(port: daemon.port, connections: 16, status: 200...201) {
                Request.put("s\($0)", "1", #"{"title":"Importing","ttl":86400}"#, in: "")
            }
            _ = try fill.run(daemon.process, seconds: 600, limit: count)
            let subscribers = try Subscribers(port: daemon.port) { Request.stream(of: "s\($0)") }
            try subscribers.open(count)
            let changes = context.size(2_000, quick: 50)
            let cpu = try change(daemon, subscribers, count: changes) {
                Request.put("s0", "1", "{\"title\":\"Importing \($0)\"}", in: "")
            }
            report.add(variant, "CPU of a change", cpu, "µs")
            let poll = try ClosedLoop(port: daemon.port, connections: 16, status: 200...200) {
                Request.get("/v1/screens/s\($0 % count)")
            }
            let polls = try poll.run(daemon.process, seconds: context.size(1, quick: 0.1))
            report.add(variant, "CPU of a GET, each in turn", polls.cpu, "µs")
            let list = try ClosedLoop(port: daemon.port, connections: 1, status: 200...200) { _ in
                Request.get("/v1/screens?limit=50")
            }
            // With a change before each, so that none is remembered.
            let writer = try daemon.client()
            var changed = 0
            let lists = try list.run(daemon.process, seconds: 60, limit: context.size(50, quick: 5)) {
                () throws(BenchError) in
                changed += 1
                try writer.expect(200...200, Request.put("s0", "1", "{\"title\":\"\(changed)\"}", in: ""))
                subscribers.turn(milliseconds: 0)
            }
            report.add(variant, "CPU of a list of 50 and a change", lists.cpu, "µs")
        }
    }

    /// A thousand subscribers of one screen in more and more views.
    static func runViews(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(1_000, quick: 50)
        for views in context.size([1, 10, 100, 1_000], quick: [1, 50]) {
            let daemon = try Daemon(context)
            try daemon.put("chats.sync", "1", #"{"title":"Updating"}"#)
            let subscribers = try Subscribers(port: daemon.port) {
                Request.stream(of: "chats", "&width=\(100 + $0 % views)")
            }
            try subscribers.open(count)
            let result = try FanOut.publish(daemon, subscribers, rounds: context.size(50, quick: 5))
            report.add("\(count) subscribers, \(views) views", "CPU", result.cpu, "µs/delivery")
        }
    }

    /// One screen that shows more and more runs.
    static func runRuns(_ context: Context, _ report: inout Report) throws(BenchError) {
        let flags = ["--runs-per-scope", "1000000", "--runs-per-task", "1000000", "--runs", "1000000"]
        for count in context.size([1, 100, 10_000, 100_000], quick: [1, 100]) {
            let variant = "\(count) runs"
            let daemon = try Daemon(context, flags)
            try daemon.configure("all", #"{"tasks":["*"]}"#)
            let fill = try ClosedLoop(port: daemon.port, connections: 64, status: 201...201) {
                Request.put(
                    "t\($0 % 1_000).import", "r\($0 / 1_000)", #"{"title":"Importing","ttl":86400}"#, in: "")
            }
            let filled = try fill.run(daemon.process, seconds: 600, limit: count)
            report.add(variant, "CPU of a start", filled.cpu, "µs")
            let subscribers = try Subscribers(port: daemon.port) { _ in Request.stream(of: "all") }
            try subscribers.open(1)
            let changes = context.size(2_000, quick: 50)
            let title = try change(daemon, subscribers, count: changes) {
                Request.put("t0.import", "r0", "{\"title\":\"Importing \($0)\",\"ttl\":86400}", in: "")
            }
            report.add(variant, "CPU of a title's change", title, "µs")
            let churn = try change(daemon, subscribers, count: changes) {
                Request.put(
                    "t0.churn", "r\($0 / 2)", "{\"state\":\"\($0 % 2 == 0 ? "running" : "succeeded")\"}",
                    in: "")
            }
            report.add(variant, "CPU of a start or end", churn, "µs")
            let list = try ClosedLoop(port: daemon.port, connections: 1, status: 200...200) { _ in
                Request.get("/v1/runs?limit=50")
            }
            let lists = try list.run(daemon.process, seconds: 60, limit: context.size(200, quick: 5))
            report.add(variant, "CPU of a list of 50", lists.cpu, "µs")
        }
    }

    /// A change in the root scope, seen by subscribers further and further below: in one scope, or in one each.
    static func runScopes(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(1_000, quick: 50)
        for depth in context.size([0, 1, 2, 3, 4], quick: [0, 4]) {
            let parts = ["a", "b", "c", "d"].prefix(depth)
            try measureScopes("\(count) in one scope of \(depth) labels", count, context, &report) { _ in
                parts.joined(separator: ".")
            }
            guard depth > 0 else { continue }
            try measureScopes("\(count) scopes of \(depth) labels", count, context, &report) {
                (parts.dropLast() + ["u\($0)"]).joined(separator: ".")
            }
        }
    }

    private static func measureScopes(
        _ variant: String, _ count: Int, _ context: Context, _ report: inout Report,
        _ scope: @escaping (Int) -> String
    ) throws(BenchError) {
        let daemon = try Daemon(context)
        try daemon.put("chats.sync", "1", #"{"title":"Updating"}"#)
        let subscribers = try Subscribers(port: daemon.port) { Request.stream(of: "chats", in: scope($0)) }
        try subscribers.open(count)
        let result = try FanOut.publish(daemon, subscribers, rounds: context.size(50, quick: 5))
        report.add(variant, "CPU", result.cpu, "µs/delivery")
    }
}
