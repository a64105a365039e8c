import Testing

@testable import ActivityCore

/// What went wrong elsewhere, as far as it is decided here; the numbers are those of the list of cases.
@Suite struct CaseTests {
    let screenKeys = screenKey("chats")
    let a = key("a", task: "chats.sync")

    private func puts(
        _ run: String, _ state: RunState = .running, title: String? = nil, progress: (Int64, Int64)? = nil
    ) -> Command {
        put(run, task: "chats.sync", state, title: title, progress: progress, ttl: 5)
    }

    private func eventCount(_ stage: Stage) -> Int { stage.published[screenKeys]?.count ?? 0 }

    @Test func case1ADeadWorkersRunIsLostAndItsScreenIdle() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        stage.pass(to: 5_999)
        #expect(stage.state().isPending)
        let before = eventCount(stage)
        stage.pass(to: 100_000)
        #expect(stage.registry.run(a)?.state == .lost)
        #expect(stage.registry.run(a)?.declaration.reason == "lease-expired")
        #expect(stage.registry.run(a)?.endedAt == Stage.wall(6_000))
        #expect(stage.state() == .idle && eventCount(stage) == before + 1)
    }

    @Test func case2ARenewalRevivesALostRun() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        let outcome = stage.send(puts("a"), at: 7_000)
        #expect(outcome.kind == "updated" && outcome.run?.state == .running && outcome.run?.revivalCount == 1)
        #expect(stage.state().isPending)
        #expect(stage.intervals() == "[0,6000) [7000,…")
    }

    @Test func case3ALateEndIsAcceptedAndTheScreenStaysIdle() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        stage.pass(to: 6_500)
        let before = eventCount(stage)
        let run = stage.send(puts("a", .succeeded), at: 7_000).run
        #expect(run?.state == .succeeded && run?.isLate == true && run?.endedAt == Stage.wall(7_000))
        #expect(run?.declaration.reason == nil)
        #expect(stage.state() == .idle && eventCount(stage) == before)
    }

    @Test func case4ARenewalAfterTheEndChangesNothing() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        let ended = stage.send(puts("a", .succeeded, title: "Done"), at: 100).run
        let before = (eventCount(stage), stage.records.count)
        #expect(
            stage.send(puts("a", title: "More"), at: 200).refusal
                == .runEnded(.succeeded, endedAt: Stage.wall(100)))
        #expect(stage.registry.run(a) == ended)
        #expect((eventCount(stage), stage.records.count) == before)
    }

    @Test func case5AnEndBeforeTheExpiryOfTheSameInstantMakesItVoid() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        let run = stage.send(puts("a", .succeeded), at: 6_000).run
        #expect(run?.state == .succeeded && run?.isLate == false)
        #expect(stage.intervals() == "[0,6000)")
    }

    @Test func case5AnEndInTheBatchThatFindsTheLeaseOverdueMakesItVoid() {
        var registry = Registry()
        for (at, command) in [(0, puts("a")), (20_000, puts("a", .succeeded))] {
            _ = registry.evaluate(command, at: Stage.moment(Int64(at))) { _ in true }
            registry.commit(at: Stage.moment(Int64(at)))
        }
        _ = registry.advance(to: Stage.moment(20_000), askedFor: nil)
        #expect(registry.run(a)?.state == .succeeded && registry.run(a)?.isLate == false)
    }

    @Test func case5AnExpiryBeforeTheEndMakesItLate() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        stage.pass(to: 6_000)
        let run = stage.send(puts("a", .succeeded), at: 6_000).run
        #expect(run?.state == .succeeded && run?.isLate == true)
    }

    @Test func case6TheSameEndTwiceIsOneEnd() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        let first = stage.send(puts("a", .failed, title: "T"), at: 100)
        let before = (eventCount(stage), stage.records.count)
        let second = stage.send(puts("a", .failed), at: 200)
        #expect(first.kind == "updated" && second == first)
        #expect((eventCount(stage), stage.records.count) == before)
    }

    @Test func case7OneOfTwoRunsEnds() {
        var stage = Stage()
        stage.batch(at: 0, [puts("a"), puts("b")])
        stage.send(puts("a", .succeeded), at: 100)
        #expect(stage.state().isPending && stage.state().runCount == 1)
        stage.pass(to: 10_000)
        #expect(stage.intervals() == "[0,6000)")
    }

    @Test func case8TwentyEqualPutsAreOneRun() {
        var stage = Stage()
        let outcomes = stage.batch(at: 0, Array(repeating: puts("a", title: "T"), count: 20))
        #expect(outcomes.map(\.kind) == ["created"] + Array(repeating: "updated", count: 19))
        #expect(stage.records.count == 1)
        #expect(stage.state().runCount == 1 && eventCount(stage) == 1)
    }

    @Test func case9AKeyStartsOneRun() {
        var stage = Stage()
        func post(_ hash: UInt64) -> Command { .post(a, RunDeclaration(), .keyed(bodyHash: hash)) }
        let first = stage.send(post(1), at: 0)
        #expect(first.kind == "created")
        let second = stage.send(post(1), at: 1_000)
        #expect(
            second
                == .updated(
                    first.run ?? Run(declaration: .init(), startedAt: .init(milliseconds: 0), ordinal: 9),
                    expiresIn: 59))
        #expect(stage.send(post(2), at: 2_000).refusal == .keyReused)
        #expect(stage.records.count == 1)
    }

    @Test func case10AnUnknownRunIsNeverPending() {
        let stage = Stage()
        #expect(stage.registry.run(a) == nil && stage.state() == .idle)
    }

    @Test func case12ProgressNeverFalls() {
        var stage = Stage()
        var shown: [Int?] = []
        for (at, completed) in [(0, 20), (100, 80), (200, 40)] as [(Int64, Int64)] {
            stage.send(puts("a", progress: (completed, 100)), at: at)
            shown.append(stage.state().thousandths)
        }
        #expect(shown == [200, 800, 800])
        stage.send(puts("b", progress: (80, 100)), at: 300)
        stage.send(puts("c", progress: (0, 100)), at: 400)
        #expect(stage.state().thousandths == 800)
        stage.send(puts("a", progress: (100, 100)), at: 500)
        #expect(stage.state().isPending)
    }

    @Test func case13NoRunIsLostBeforeAFullTTLAfterARestart() {
        var before = Stage()
        before.send(puts("a"), at: 0)
        var after = Stage(replaying: before.records, startingAt: 60_000)
        after.pass(to: 65_999)
        #expect(after.registry.run(a)?.state == .running)
        after.pass(to: 66_000)
        #expect(after.registry.run(a)?.state == .lost)
    }

    @Test func case15RenewalsThatChangeNothingAreSeldomRecorded() {
        var stage = Stage()
        for at in stride(from: 0 as Int64, to: 60_000, by: 100) { stage.send(puts("a", title: "T"), at: at) }
        #expect(stage.registry.run(a)?.state == .running)
        #expect((12...24).contains(stage.records.count))
        #expect(stage.changedRuns == [a])
        #expect(eventCount(stage) == 1)
    }

    @Test func case17APatchOfAForgottenRunStoresNothing() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        stage.send(.delete(a), at: 100)
        let before = stage.records.count
        #expect(stage.send(.patch(a, RunPatch()), at: 200).refusal == .notFound)
        #expect(stage.records.count == before && stage.registry.counts == RunCounts())
    }

    @Test func case18EndsOfUnknownRunsCountNothing() {
        var stage = Stage()
        stage.batch(at: 0, ["a", "b", "c"].map { puts($0, .succeeded) })
        #expect(eventCount(stage) == 0)
        stage.send(puts("d"), at: 100)
        #expect(stage.state().runCount == 1)
    }

    @Test func case19ASecondEndIsNoEvent() {
        var stage = Stage()
        stage.send(puts("a"), at: 0)
        stage.batch(at: 100, [puts("a", .succeeded), puts("a", .succeeded)])
        stage.send(.delete(a), at: 200)
        stage.send(.delete(a), at: 300)
        #expect(eventCount(stage) == 2)
    }

    @Test(arguments: [Timing(), Timing(startDelay: 0, minimumVisible: 500, completionDelay: 200)])
    func case20AnEndAndAStartOfOneInstantAreOneInterval(timing: Timing) {
        var stage = Stage(timing: timing)
        stage.send(puts("a", title: "A"), at: 0)
        stage.batch(at: 1_000, [puts("a", .succeeded), puts("b", title: "B")])
        stage.pass(to: 2_000)
        #expect(stage.titles() == "0 A, 1000 B")
        #expect(stage.intervals() == "[0,…")
    }

    @Test func case21AStaleTimerDoesNotActOnTheNextRun() {
        var stage = Stage(timing: Timing(startDelay: 500))
        stage.send(puts("a"), at: 0)
        stage.send(puts("a", .succeeded), at: 300)
        stage.send(puts("b"), at: 310)
        stage.pass(to: 809)
        #expect(eventCount(stage) == 0)
        stage.send(puts("b", .succeeded), at: 2_000)
        #expect(stage.intervals() == "[810,2000)")
    }

    @Test func case22TheDelayAloneHidesNothingElse() {
        var stage = Stage(timing: Timing(startDelay: 250))
        stage.send(puts("a"), at: 0)
        stage.send(puts("a", .succeeded), at: 3_000)
        #expect(stage.intervals() == "[250,3000)")
    }

    @Test func case25ATitleChangeIsNotDelayed() {
        var stage = Stage(timing: Timing(startDelay: 500, minimumVisible: 500, completionDelay: 200))
        stage.send(puts("a", title: "One"), at: 0)
        stage.send(puts("a", title: "Two"), at: 900)
        stage.send(puts("a"), at: 901)
        #expect(stage.titles() == "500 One, 900 Two, 901 …")
    }

    @Test func case53ScopesAreComparedLabelByLabel() {
        var stage = Stage()
        stage.send(put("a", in: scope("acme.u-42")), at: 0)
        #expect(stage.state(in: scope("acme.u-42")).isPending)
        #expect(stage.state(in: scope("acme.u-42.b")).isPending)
        for other in ["acme.u-421", "acme", "", "acme.u-4", "acmeu-42", "other.u-42"] {
            #expect(!stage.state(in: scope(other)).isPending)
            #expect(stage.registry.runs(matching: RunQuery(scope: scope(other))).runs.isEmpty)
        }
    }

    @Test func case58AMistakenPatternIsTakenBackAtOnce() {
        var stage = Stage()
        stage.send(.configure(screen("inbox"), configuration(tasks: ["*"])), at: 0)
        stage.send(puts("a"), at: 100)
        #expect(stage.state(of: "inbox").isPending)
        stage.send(.configure(screen("inbox"), configuration(tasks: ["inbox"])), at: 200)
        #expect(stage.intervals(of: "inbox") == "[100,200)")
    }
}
