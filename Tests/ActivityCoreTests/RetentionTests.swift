import Testing

@testable import ActivityCore

/// What stays listed, what is only remembered, and what is forgotten.
@Suite struct RetentionTests {
    static let day: Int64 = 24 * 3_600_000
    static let hour: Int64 = 3_600_000

    private func listed(_ stage: Stage, _ task: String = "chats") -> [String] {
        stage.registry.runs(matching: RunQuery(scope: .root, state: nil, task: name(task), limit: 200)).runs
            .map(\.0.run.rawValue)
    }

    private func folded(_ records: [Record]) -> Runs {
        var registry = Registry()
        for record in records { registry.replay(record) }
        return registry.runs
    }

    @Test func anEndedRunIsListedForADayAndRememberedForAnHour() {
        var stage = Stage()
        stage.send(put("a", .failed, title: "T", progress: (1, 2), priority: 3, ttl: 9, reason: "r"), at: 0)
        stage.pass(to: Self.day - 1)
        #expect(listed(stage) == ["a"])
        stage.pass(to: Self.day)
        #expect(listed(stage) == [] && stage.registry.run(key("a")) == nil)
        #expect(stage.registry.counts == RunCounts(remembered: 1))
        #expect(stage.changedRuns == [key("a"), key("a")])
        stage.pass(to: Self.day + Self.hour - 1)
        #expect(stage.send(put("a"), at: Self.day + Self.hour - 1).kind == "ended")
        stage.pass(to: Self.day + Self.hour)
        #expect(stage.registry.counts == RunCounts())
        #expect(stage.records.last == .runForgotten(key("a")))
        #expect(stage.send(put("a"), at: Self.day + Self.hour).kind == "created")
    }

    @Test func ofOneTaskTheLastTwentyStayListed() {
        var stage = Stage()
        let ids = (0..<25).map { String(UInt8(ascii: "a") + UInt8($0)) }
        for (at, id) in ids.enumerated() { stage.send(put("r\(id)", .succeeded), at: Int64(at)) }
        stage.send(put("other", task: "chats.b", .failed), at: 100)
        stage.send(put("other", in: scope("x"), .failed), at: 100)
        #expect(listed(stage) == ids.dropFirst(5).map { "r\($0)" })
        #expect(stage.registry.counts == RunCounts(succeeded: 20, failed: 2, remembered: 5))
        #expect(folded(stage.records) == stage.registry.runs)
    }

    @Test func whatIsRememberedHasOnlyItsEnd() {
        var stage = Stage(limits: RegistryLimits(listedPerTask: 1))
        stage.send(put("a", title: "T", reason: "r"), at: 0)
        stage.send(put("a", .failed, title: "T", progress: (1, 2), priority: 3, ttl: 9, reason: "r"), at: 5)
        stage.send(put("b", .failed), at: 10)
        let same = stage.send(put("a", .failed, title: "T"), at: 20, isMet: { _ in false })
        #expect(same.kind == "updated")
        #expect(same.run?.declaration == RunDeclaration(state: .failed))
        #expect(same.run?.endedAt == Stage.wall(5) && same.run?.isRemembered == true)
        #expect(stage.send(put("a"), at: 21).refusal == .runEnded(.failed, endedAt: Stage.wall(5)))
        #expect(stage.send(put("a", .succeeded), at: 22).kind == "ended")
        #expect(stage.send(patch("a"), at: 23).refusal == .notFound)
        #expect(stage.send(patch("a") { $0.state = .value(.failed) }, at: 24).refusal == .notFound)
        #expect(stage.send(cancel("a"), at: 25).refusal == .notFound)
    }

    @Test func aRememberedRunCountsAsAbsentForPreconditions() {
        var stage = Stage(limits: RegistryLimits(listedPerTask: 0))
        stage.send(put("a", .failed), at: 0)
        var seen: [Current] = []
        stage.send(put("a"), at: 1) { current in
            seen.append(current)
            return true
        }
        #expect(seen == [.absent])
        #expect(stage.send(delete("a"), at: 2, isMet: { _ in false }) == .deleted)
        #expect(stage.send(put("a"), at: 3).kind == "created")
    }

    @Test func aRememberedLostRunIsRevivedByAPut() throws {
        var stage = Stage(limits: RegistryLimits(listedPerTask: 0))
        stage.batch(at: 0, [put("a", title: "T", ttl: 5), cancel("a")])
        stage.pass(to: 7_000)
        #expect(stage.registry.counts == RunCounts(remembered: 1))
        let run = try #require(stage.send(put("a", title: "N", ttl: 5), at: 8_000).run)
        #expect(run.state == .running && run.revivalCount == 1 && !run.isRemembered && run.cancelRequested)
        #expect(run.startedAt == Stage.wall(0) && run.declaration.title == "N")
        #expect(stage.state().isPending)
        stage.pass(to: 20_000)
        #expect(stage.send(put("a", .succeeded), at: 20_000).run?.isLate == true)
        #expect(stage.registry.counts == RunCounts(remembered: 1))
    }

    @Test func aKeyIsRememberedToo() {
        var stage = Stage(limits: RegistryLimits(listedPerTask: 0))
        func post(_ hash: UInt64) -> Command {
            .post(key("k"), RunDeclaration(state: .succeeded, title: "T"), .keyed(bodyHash: hash))
        }
        stage.send(post(1), at: 0)
        #expect(stage.send(post(1), at: 1).run?.isRemembered == true)
        #expect(stage.send(post(2), at: 2).refusal == .keyReused)
    }

    @Test func aRevivedOrDeletedRunIsKeptNoLonger() {
        var stage = Stage(limits: RegistryLimits(listedFor: 10_000, rememberedFor: 1_000))
        stage.batch(at: 0, [put("a", ttl: 5), put("b", .failed)])
        stage.send(delete("b"), at: 1)
        stage.send(put("a", ttl: 5_000), at: 7_000)
        stage.pass(to: 60_000)
        #expect(stage.registry.counts == RunCounts(running: 1))
        stage.send(put("a", .succeeded), at: 60_000)
        stage.pass(to: 69_999)
        #expect(listed(stage) == ["a"])
        stage.pass(to: 71_000)
        #expect(stage.registry.counts == RunCounts() && stage.registry.nextWakeAt == nil)
    }

    @Test func aLateEndIsListedAnew() {
        var stage = Stage(limits: RegistryLimits(listedFor: 10_000))
        stage.send(put("a", ttl: 5), at: 0)
        stage.send(put("a", .failed), at: 10_000)
        stage.pass(to: 19_999)
        #expect(listed(stage) == ["a"])
        stage.pass(to: 20_000)
        #expect(listed(stage) == [])
    }

    @Test func aboveTheLimitTheOldestAreForgottenListedOrNot() {
        var stage = Stage(limits: RegistryLimits(ended: 4, listedPerTask: 2))
        stage.send(put("old", task: "quiet", .failed), at: 0)
        for at in 1...3 { stage.send(put("r\(at)", .failed), at: Int64(at)) }
        #expect(stage.registry.counts == RunCounts(failed: 3, remembered: 1))
        stage.send(put("r4", .failed), at: 4)
        #expect(listed(stage, "quiet") == [] && listed(stage) == ["r3", "r4"])
        #expect(stage.registry.counts == RunCounts(failed: 2, remembered: 2))
        stage.send(put("r5", .failed), at: 5)
        #expect(stage.send(put("r1"), at: 6).kind == "created")
        #expect(stage.send(put("r2"), at: 6).kind == "ended")
        #expect(folded(stage.records) == stage.registry.runs)
    }

    @Test func runningRunsAreNeverForgotten() {
        var stage = Stage(limits: RegistryLimits(ended: 0))
        stage.batch(at: 0, [put("a", ttl: 86_400), put("b", .failed)])
        stage.pass(to: 1_000)
        #expect(stage.registry.counts == RunCounts(running: 1))
    }

    @Test func aLossNoticedLateIsOlderThanAnEndBeforeIt() {
        var registry = Registry(limits: RegistryLimits(listedPerTask: 1))
        func batch(_ commands: [Command], at milliseconds: Int64) {
            for command in commands {
                _ = registry.evaluate(command, at: Stage.moment(milliseconds)) { _ in true }
            }
            registry.commit(at: Stage.moment(milliseconds))
        }
        batch([put("a", ttl: 5), put("b")], at: 0)
        batch([put("b", .succeeded)], at: 9_000)
        _ = registry.advance(to: Stage.moment(9_000), askedFor: nil)
        #expect(registry.run(key("b")) != nil && registry.run(key("a")) == nil)
    }

    @Test func manyEndsOfOneTaskCostNoMoreThanFew() {
        var stage = Stage(limits: RegistryLimits(ended: 1_000))
        for at in 0..<5_000 as Range<Int64> { stage.send(put("r\(at)", .failed), at: at) }
        #expect(stage.registry.counts == RunCounts(failed: 20, remembered: 980))
    }
}
