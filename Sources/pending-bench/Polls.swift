/// GETs of one pending screen by keep-alive connections.
enum Polls {
    private static let connections = 64
    private static let target = "/v1/screens/chats"

    static func run(_ context: Context, _ report: inout Report) throws(BenchError) {
        let daemon = try Daemon(context)
        try daemon.put("chats.sync", "1", #"{"title":"Updating…","ttl":86400}"#)
        let (body, tag) = try sample(of: daemon)
        report.add("GET of a screen", "body", Double(body.utf8.count), "bytes")
        let nginx = try context.options.nginx.map { path throws(BenchError) in
            try Nginx(path, body: body, folder: context.folder)
        }
        let get = Request.get(target)
        for _ in 0..<context.size(5, quick: 1) {
            try measure("200", get, 200, daemon.process, daemon.port, context, &report)
            if let nginx {
                try measure("nginx return 200", get, 200, nginx.process, nginx.port, context, &report)
            }
            let conditional = Request.get(target, "If-None-Match: \(tag)\r\n")
            try measure("304", conditional, 304, daemon.process, daemon.port, context, &report)
        }
        for variant in nginx == nil ? [] : ["200", "304"] {
            let ratio = report.median(variant, "CPU") / report.median("nginx return 200", "CPU")
            report.add(variant, "CPU, medians, nginx is 1", ratio, "")
        }
        try measureWhileChanging(daemon, context, &report)
        try measureManyScreens(daemon, context, &report)
    }

    private static func sample(of daemon: Daemon) throws(BenchError) -> (body: String, tag: String) {
        let text = try daemon.client().expect(200...200, Request.get(target))
        guard let end = text.firstRange(of: "\r\n\r\n"), let tag = text.firstRange(of: "ETag: ") else {
            throw .daemon("a screen's answer has no body or no ETag: \(text)")
        }
        return (
            String(text[end.upperBound...]), String(text[tag.upperBound...].prefix { $0 != "\r\n" })
        )
    }

    private static func measure(
        _ variant: String, _ request: [UInt8], _ status: Int, _ process: ServerProcess, _ port: UInt16,
        _ context: Context, _ report: inout Report
    ) throws(BenchError) {
        let load = try ClosedLoop(port: port, connections: connections, status: status...status) { _ in
            request
        }
        let result = try load.run(process, seconds: context.size(2, quick: 0.2))
        report.add(variant, "CPU", result.cpu, "µs/request")
        report.add(variant, "rate", result.rate, "1/s")
        report.add(variant, "p99", result.latency.quantile(0.99), "ms")
    }

    /// The same while another screen changes 100 times a second: what was remembered is looked at anew.
    private static func measureWhileChanging(
        _ daemon: Daemon, _ context: Context, _ report: inout Report
    ) throws(BenchError) {
        let load = try ClosedLoop(port: daemon.port, connections: connections, status: 200...200) { _ in
            Request.get(target)
        }
        let writer = try daemon.client()
        let begin = Clock.now
        var changes = 0
        let result = try load.run(daemon.process, seconds: context.size(3, quick: 0.2)) {
            () throws(BenchError) in
            guard Clock.seconds(since: begin) * 100 > Double(changes) else { return }
            changes += 1
            try writer.expect(200...201, Request.put("mail.sync", "1", "{\"title\":\"\(changes)\"}", in: ""))
        }
        report.add("200, 100 other changes a second", "CPU", result.cpu, "µs/request")
    }

    /// Each request asks for another screen than the one before.
    private static func measureManyScreens(
        _ daemon: Daemon, _ context: Context, _ report: inout Report
    ) throws(BenchError) {
        for count in [1_000, 10_000] {
            let requests = (0..<count).map { Request.get("/v1/screens/idle\($0)?width=200") }
            let load = try ClosedLoop(port: daemon.port, connections: connections, status: 200...200) {
                requests[$0 % count]
            }
            let result = try load.run(daemon.process, seconds: context.size(2, quick: 0.2))
            report.add("200, \(count) idle screens in turn", "CPU", result.cpu, "µs/request")
        }
    }
}
