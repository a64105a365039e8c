import Testing

@testable import ActivityCore

@Suite struct ListTests {
    /// Runs of many tasks and states in one scope, and one run in each of its neighbours.
    private func stage(seed: UInt64) -> Stage {
        var chance = Chance(seed: seed)
        var stage = Stage()
        for at in 0..<300 as Range<Int64> {
            let task = "t" + chance.one(of: ["", ".a", ".b", "-", "9", "Z"])
            let state = chance.one(of: RunState.allCases.filter { $0 != .lost })
            stage.send(
                put("\(Int.random(in: 0..<400, using: &chance))", task: task, in: scope("s"), state, ttl: 5),
                at: at * 50)
        }
        stage.send(put("other", task: "t", in: scope("s.s")), at: 15_000)
        stage.send(put("other", task: "t"), at: 15_000)
        return stage
    }

    private func all(_ stage: Stage, _ query: RunQuery, limit: Int) -> [RunKey] {
        var query = query
        query.limit = limit
        var keys: [RunKey] = []
        while true {
            let page = stage.registry.runs(matching: query)
            keys += page.runs.map(\.0)
            #expect(page.runs.count == limit || !page.hasMore)
            guard page.hasMore, let last = page.runs.last else { return keys }
            query.after = (last.0.task, last.0.run)
        }
    }

    @Test(arguments: 1..<5 as Range<UInt64>, [1, 7, 200])
    func pagesJoinToTheWholeListInOrder(seed: UInt64, limit: Int) {
        let stage = stage(seed: seed)
        let known = stage.registry.runs.allSlots.map {
            (stage.registry.runs.key(at: $0), stage.registry.runs[$0])
        }
        .filter { $0.0.scope == scope("s") && !$0.1.isRemembered }
        .sorted { ($0.0.task.rawValue, $0.0.run.rawValue) < ($1.0.task.rawValue, $1.0.run.rawValue) }
        for state in RunState.allCases.map(Optional.some) + [nil] {
            for task in ["t", "t.a", "t-", "none"].map(name).map(Optional.some) + [nil] {
                let expected = known.filter { entry in
                    (state.map { $0 == entry.1.state } ?? true) && (task.map { $0 == entry.0.task } ?? true)
                }
                let query = RunQuery(scope: scope("s"), state: state, task: task)
                #expect(all(stage, query, limit: limit) == expected.map(\.0))
            }
        }
    }

    @Test func aPageGoesOnBehindARunThatIsGone() {
        var stage = Stage()
        stage.batch(at: 0, ["a", "b", "c"].map { put($0) })
        let first = stage.registry.runs(matching: RunQuery(scope: .root, limit: 2))
        #expect(first.runs.map(\.0) == [key("a"), key("b")] && first.hasMore)
        stage.send(delete("b"), at: 1)
        let next = stage.registry.runs(
            matching: RunQuery(scope: .root, after: (key("b").task, key("b").run), limit: 2))
        #expect(next.runs.map(\.0) == [key("c")] && !next.hasMore)
    }

    @Test func aHistoryIsNewestFirstRunningBeforeTheRest() {
        var stage = Stage()
        stage.send(put("lost", ttl: 5), at: 0)
        stage.send(put("b"), at: 100)
        stage.batch(at: 200, [put("c"), put("d")])
        stage.send(put("early", .failed), at: 300)
        stage.send(put("c", .succeeded), at: 7_000)
        stage.send(put("x", task: "chats.x"), at: 7_000)
        stage.send(put("x", in: scope("s")), at: 7_000)
        let history = stage.registry.history(of: name("chats"), in: .root)
        #expect(history.map(\.0.run.rawValue) == ["d", "b", "c", "lost", "early"])
        #expect(history.allSatisfy { stage.registry.run($0.0) == $0.1 })
    }

    @Test func aHistoryIsOnePage() {
        var stage = Stage(limits: RegistryLimits(runningPerTask: 150))
        stage.batch(at: 0, (0..<150).map { put("r\($0)") } + [put("e", .failed)])
        let history = stage.registry.history(of: name("chats"), in: .root)
        #expect(history.count == 120 && history.first?.0 == key("r149"))
    }

    @Test func anUnknownScopeOrTaskIsEmpty() {
        let stage = stage(seed: 1)
        #expect(stage.registry.runs(matching: RunQuery(scope: scope("none"), state: nil)).runs.isEmpty)
        #expect(stage.registry.history(of: name("none"), in: scope("s")).isEmpty)
        #expect(stage.registry.history(of: name("t"), in: scope("none")).isEmpty)
    }
}
