import EventHTTP
import Synchronization
import Testing

@testable import ActivityService

@Suite struct ServiceTests {
    private let run = "/v1/tasks/chats.sync/runs/a"

    @Test func answersAWriteOnlyAfterItsScreenShowsIt() throws {
        let service = try TestService()
        for number in 0..<50 {
            #expect(
                try service.send("PUT", run, "{\"title\":\"t\(number)\"}").status == (number == 0 ? 201 : 200)
            )
            #expect(member("title", of: try service.get("/v1/screens/chats").body) == "t\(number)")
        }
    }

    /// Case 34: a change between snapshot and subscription comes exactly once, and in order.
    @Test func losesAndDoublesNothingWhileReadersComeAndTitlesChange() throws {
        let service = try TestService()
        let last = 400
        let port = service.port
        let failures = Mutex<[String]>([])
        try service.send("PUT", run, "{\"title\":\"0\"}")
        var threads: [LoopThread] = []
        for reader in 0..<20 {
            threads.append(
                try LoopThread(name: "reader") {
                    do {
                        var seen = -1
                        // Every reader comes twice, at another moment of the changes.
                        for round in 0..<2 {
                            let connection = try TestConnection(port: port)
                            try connection.subscribe("/v1/screens/chats?width=\(200 + reader % 3)")
                            seen = -1
                            while seen < (round == 0 ? 50 + reader * 10 : last) {
                                let title = member("title", of: try connection.nextState()) ?? ""
                                let number = Int(title) ?? -2
                                if number <= seen { throw TestFailure(text: "\(number) after \(seen)") }
                                seen = number
                            }
                        }
                    } catch {
                        failures.withLock { $0.append("\(reader): \(error)") }
                    }
                })
        }
        let writer = try service.connect()
        for number in 1...last {
            let body = "{\"title\":\"\(number)\"}"
            _ = try writer.ask("PUT \(run)", ["Content-Length: \(body.utf8.count)"], body)
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == [])
    }

    /// A state that a reader got on its own, between two fan-outs, must not hide that it has changed back.
    @Test func tellsAReaderThatCameInBetweenThatTheProgressChangedBack() throws {
        let service = try TestService()
        func put(_ completed: Int, _ run: String) throws {
            try service.send(
                "PUT", "/v1/tasks/chats.sync/runs/\(run)",
                "{\"title\":\"t\",\"progress\":{\"completed\":\(completed),\"total\":10}}")
        }
        try put(1, "a")
        let early = try service.connect()
        try early.subscribe("/v1/screens/chats")
        #expect(try early.nextState().contains("\"runCount\":1"))
        for round in 0..<10 {
            try put(1, "b\(round)")
            let late = try service.connect()
            try late.subscribe("/v1/screens/chats")
            #expect(try late.nextState().contains("\"runCount\":2"))
            try service.send("DELETE", "/v1/tasks/chats.sync/runs/b\(round)", "")
            #expect(try late.nextState().contains("\"runCount\":1"))
        }
    }

    @Test func answersALongPollWhenTheStateChangesAndNotBefore() throws {
        let service = try TestService()
        let token = try #require(try service.get("/v1/screens/chats").field("ETag"))
        let poll = try service.connect()
        poll.write(
            "GET /v1/screens/chats HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=9\r\nIf-None-Match: \(token)\r\n\r\n"
        )
        while !(try service.get("/metrics").body.contains(
            "pending_long_polls 1\n"))
        {}
        try service.send("PUT", run, "{\"title\":\"Now\"}")
        #expect(try poll.read(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        #expect(try service.get("/metrics").body.contains("pending_long_polls 0\n"))
    }

    @Test func answersALongPollOfARunWhenItEnds() throws {
        let service = try TestService()
        try service.send("PUT", run, "{}")
        let token = try #require(try service.get(run).field("ETag"))
        let poll = try service.connect()
        poll.write(
            "GET \(run) HTTP/1.1\r\nHost: localhost\r\nPrefer: wait=9\r\nIf-None-Match: \(token)\r\n\r\n")
        while !(try service.get("/metrics").body.contains("pending_long_polls 1\n")) {}
        try service.send("PATCH", run, "{\"state\":\"succeeded\"}")
        #expect(try poll.read(upTo: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
    }

    @Test func givesEveryViewOfAScreenItsOwnFramesAndOneTitle() throws {
        let service = try TestService()
        let wide = try service.connect()
        try wide.subscribe("/v1/screens?id=chats:390x44&id=chats:120x20")
        let first = try wide.nextState()
        let second = try wide.nextState()
        #expect(member("view", of: first) == "chats:390x44")
        #expect(member("view", of: second) == "chats:120x20")
        try service.send("PUT", run, "{\"title\":\"Up\"}")
        let views = Set([try wide.nextState(), try wide.nextState()].compactMap { member("view", of: $0) })
        #expect(views == ["chats:390x44", "chats:120x20"])
    }
}
