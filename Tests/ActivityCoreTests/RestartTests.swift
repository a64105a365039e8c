import Testing

@testable import ActivityCore

/// A registry that folds what another one recorded.
@Suite struct RestartTests {
    @Test func foldingTheSameRecordsGivesTheSameRuns() {
        var stage = Stage(limits: RegistryLimits(listedPerTask: 1))
        stage.batch(at: 0, [put("a", ttl: 5), put("b", .failed), put("c", .failed), put("d"), delete("d")])
        stage.send(put("e", title: "T"), at: 10_000)
        var once = Registry()
        var twice = Registry()
        for record in stage.records { once.replay(record) }
        for record in stage.records + stage.records { twice.replay(record) }
        #expect(once.runs == stage.registry.runs && twice.runs == once.runs)
    }

    @Test func theScreensOfRunningRunsAreShownAtOnce() {
        let timing = Timing(startDelay: 500, minimumVisible: 500, completionDelay: 200)
        var before = Stage(timing: timing)
        before.send(put("a", title: "A", progress: (1, 2)), at: 1_000)
        before.send(put("b", title: "B", priority: 9, isSilent: true), at: 2_000)
        before.send(put("c", title: "C"), at: 3_000)
        before.send(put("d", task: "other", .failed), at: 3_000)
        var after = Stage(timing: timing, replaying: before.records, startingAt: 90_000)
        #expect(after.state().isPending && after.state().title == "A" && after.state().runCount == 2)
        #expect(after.state().pendingSince == Stage.wall(1_000))
        #expect(after.state().thousandths == nil)
        #expect(!after.state(of: "other").isPending)
        after.batch(at: 90_100, [put("a", .failed), put("c", .failed)])
        after.pass(to: 90_499)
        #expect(after.state().isPending, "the minimum time counts from the restart")
        after.pass(to: 90_500)
        #expect(!after.state().isPending)
    }

    @Test func configurationsComeBackAndAreChanges() {
        var before = Stage()
        before.send(.configure(screen("s"), configuration(tasks: ["chats"])), at: 0)
        before.send(.configure(screen("t"), configuration()), at: 0)
        before.send(.removeConfiguration(screen("t")), at: 0)
        before.send(put("a"), at: 1)
        var registry = Registry()
        for record in before.records { registry.replay(record) }
        registry.start(at: Stage.moment(0))
        let changes = registry.takeChanges()
        #expect(changes.configurations.map(\.0) == [screen("s")])
        #expect(Set(changes.screens.map(\.0)) == [screenKey("s"), screenKey("chats")])
        #expect(registry.takeChanges().isEmpty)
    }

    @Test func whatIsLeftOfADayIsKept() {
        var before = Stage()
        before.send(put("a", .failed), at: 0)
        var after = Stage(replaying: before.records, startingAt: 20 * 3_600_000)
        after.pass(to: 24 * 3_600_000 - 1)
        #expect(after.registry.run(key("a")) != nil)
        after.pass(to: 24 * 3_600_000)
        #expect(after.registry.run(key("a")) == nil)
    }

    @Test func whatIsRememberedIsRememberedForAnotherHour() {
        var before = Stage(limits: RegistryLimits(listedPerTask: 0))
        before.send(put("a", .failed), at: 0)
        var after = Stage(replaying: before.records, startingAt: 50 * 60_000)
        #expect(after.send(put("a"), at: 109 * 60_000).kind == "ended")
        after.pass(to: 110 * 60_000)
        #expect(after.send(put("a"), at: 110 * 60_000).kind == "created")
    }

    @Test(arguments: [-1_000_000, 0, 100 * RetentionTests.day])
    func aWallClockThatJumpedHarmsNothing(jump: Int64) {
        var before = Stage()
        before.batch(at: 1_000_000, [put("a", .failed), put("b", .failed), put("c")])
        var registry = Registry()
        for record in before.records { registry.replay(record) }
        let moment = Moment(
            instant: Instant(milliseconds: 5),
            wall: Timestamp(milliseconds: Stage.wallStart + 1_000_000 + jump))
        registry.start(at: moment)
        _ = registry.advance(to: moment, askedFor: nil)
        #expect(
            registry.counts
                == (jump > 0 ? RunCounts(running: 1, remembered: 2) : RunCounts(running: 1, failed: 2)))
    }

    @Test func limitsThatWereLoweredAreKeptAfterTheStart() {
        var before = Stage()
        before.batch(at: 0, (0..<10).map { put("r\($0)", .failed) })
        let after = Stage(limits: RegistryLimits(ended: 6, listedPerTask: 4), replaying: before.records)
        #expect(after.registry.counts == RunCounts(failed: 4, remembered: 2))
        #expect(after.registry.run(key("r6")) != nil && after.registry.run(key("r5")) == nil)
    }

    @Test func newRunsAreYoungerThanReplayedOnes() {
        var before = Stage()
        before.batch(at: 0, [put("a", title: "A"), put("b", title: "B")])
        var after = Stage(replaying: before.records.reversed(), startingAt: 1_000)
        after.send(put("c", title: "C"), at: 1_001)
        #expect(after.state().title == "A")
        after.send(delete("a"), at: 1_002)
        #expect(after.state().title == "B")
    }
}
