import Testing

@testable import ActivityCore

/// Which runs make which screens pending: scopes, patterns, silence, priorities, changed configurations.
@Suite struct ScreenTests {
    static let timing = Timing(startDelay: 500, minimumVisible: 500, completionDelay: 200)

    // MARK: Without a configuration

    @Test(arguments: [
        ("chats", ["chats"]), ("chats.sync", ["chats", "chats.sync"]), ("a.b.c", ["a", "a.b", "a.b.c"]),
        ("a..b", ["a", "a.", "a..b"]), ("a.", ["a", "a."]),
    ])
    func aTaskShowsOnTheScreensThatItsNameBeginsWith(task: String, screens: [String]) {
        var stage = Stage()
        stage.send(put("r", task: task), at: 0)
        #expect(Set(stage.published.keys.map(\.screen.rawValue)) == Set(screens))
    }

    // MARK: With configurations

    @Test func patternsDecideAndNameTheScreenNoMore() {
        var stage = Stage()
        stage.send(
            .configure(screen("inbox"), configuration(tasks: ["chats.*", "chats.sync", "net*"])), at: 0)
        stage.send(put("r", task: "chats.sync"), at: 1)
        stage.send(put("r", task: "network"), at: 2)
        stage.send(put("r", task: "inbox"), at: 3)
        #expect(stage.state(of: "inbox").runCount == 2)
        #expect(stage.state(of: "chats").runCount == 1)
    }

    @Test func aConfigurationWithoutTasksKeepsTheStandardOnes() {
        var stage = Stage()
        stage.send(.configure(screen("chats"), configuration()), at: 0)
        stage.send(put("r", task: "chats.sync"), at: 1)
        stage.send(put("s", task: "chats"), at: 1)
        #expect(stage.state().runCount == 2)
    }

    @Test func changedTasksAreEndsAndStartsAtThatInstant() {
        var stage = Stage()
        stage.batch(at: 0, [put("a", task: "a", title: "A"), put("b", task: "b", title: "B")])
        stage.send(.configure(screen("s"), configuration(tasks: ["a"])), at: 100)
        stage.send(.configure(screen("s"), configuration(tasks: ["b"])), at: 200)
        stage.send(.configure(screen("s"), configuration(tasks: ["c"])), at: 300)
        #expect(stage.titles(of: "s") == "100 A, 200 B, 300 –")
        #expect(stage.intervals(of: "s") == "[100,300)")
    }

    @Test func changedTasksStartWithTheDelayUnlessTheScreenIsVisible() {
        var stage = Stage(timing: Self.timing)
        stage.batch(at: 0, [put("a", task: "a", title: "A"), put("b", task: "b", title: "B")])
        stage.send(.configure(screen("s"), configuration(tasks: ["a"])), at: 1_000)
        stage.send(.configure(screen("s"), configuration(tasks: ["b"])), at: 1_700)
        #expect(stage.titles(of: "s") == "1500 A, 1700 B")
        #expect(stage.intervals(of: "s") == "[1500,…")
    }

    @Test func changedTasksStartInAnAncestorFirst() {
        var stage = Stage(timing: Self.timing)
        stage.send(.configure(screen("s"), configuration(tasks: ["a"])), at: 0)
        stage.batch(at: 0, [put("a", task: "a", in: scope("x")), put("b", task: "b", in: scope("x"))])
        stage.send(put("c", task: "b"), at: 0)
        stage.send(.configure(screen("s"), configuration(tasks: ["a", "b"], timing: Timing())), at: 100)
        #expect(stage.intervals(of: "s") == "[100,…")
        #expect(stage.intervals(of: "s", in: scope("x")) == "[100,…", "it was waiting, and would until 500")
    }

    @Test func aRemovedConfigurationGivesTheStandardTasksBack() {
        var stage = Stage()
        stage.send(.configure(screen("chats"), configuration(tasks: ["other"])), at: 0)
        stage.send(put("r", task: "chats.sync"), at: 1)
        #expect(!stage.state().isPending)
        stage.send(.removeConfiguration(screen("chats")), at: 2)
        #expect(stage.state().isPending)
        stage.send(.configure(screen("chats"), configuration(tasks: ["other"])), at: 3)
        #expect(stage.intervals() == "[2,3)")
    }

    @Test func changedTimingWaitsForTheNextIdleness() {
        var stage = Stage(timing: Timing(completionDelay: 100))
        stage.send(put("a"), at: 0)
        stage.send(.configure(screen("chats"), configuration(timing: Timing(completionDelay: 900))), at: 10)
        stage.send(put("a", .succeeded), at: 20)
        stage.send(put("b"), at: 1_000)
        stage.send(put("b", .succeeded), at: 1_010)
        stage.pass(to: 5_000)
        #expect(stage.intervals() == "[0,120) [1000,1910)")
    }

    @Test func changedLooksChangeNoPhase() {
        var stage = Stage()
        stage.send(put("a"), at: 0)
        stage.registry.commit(at: Stage.moment(0))
        let new = configuration(title: "New")
        _ = stage.registry.evaluate(.configure(screen("chats"), new), at: Stage.moment(1)) { _ in true }
        stage.registry.commit(at: Stage.moment(1))
        _ = stage.registry.advance(to: Stage.moment(1), askedFor: nil)
        let changes = stage.registry.takeChanges()
        #expect(changes.screens.isEmpty && changes.configurations.map(\.1) == [new])
    }

    // MARK: The set and its winner

    @Test func aSilentRunMakesNothingPending() {
        var stage = Stage()
        stage.send(put("a", isSilent: true), at: 0)
        #expect(!stage.state().isPending)
        stage.send(put("a"), at: 1)
        #expect(stage.state().isPending)
        stage.send(put("a", isSilent: true), at: 2)
        #expect(stage.intervals() == "[1,2)")
        #expect(stage.registry.runs(matching: RunQuery(scope: .root)).runs.count == 1)
    }

    @Test func aDeletedRunIsAnEnd() {
        var stage = Stage(timing: Self.timing)
        stage.send(put("a"), at: 0)
        stage.send(delete("a"), at: 1_000)
        stage.pass(to: 2_000)
        #expect(stage.intervals() == "[500,1200)")
    }

    @Test func amongEqualPrioritiesTheOlderRunWinsAlsoAfterARevival() {
        var stage = Stage()
        stage.send(put("a", title: "A", ttl: 5), at: 0)
        stage.send(put("b", title: "B"), at: 1)
        stage.send(put("a", title: "A", ttl: 5), at: 7_000)
        stage.send(put("b", title: "B", priority: 1), at: 8_000)
        stage.send(put("a", title: "A", priority: 2, ttl: 5), at: 9_000)
        #expect(stage.titles() == "0 A, 6000 B, 7000 A, 8000 B, 9000 A")
    }

    @Test func whileLingeringTitleAndProgressStayAsTheyWere() {
        var stage = Stage(timing: Self.timing)
        stage.batch(
            at: 0,
            [
                put("a", title: "A", progress: (1, 2), priority: 1), put("b", title: "B", progress: (0, 2)),
            ])
        stage.batch(at: 1_000, [put("a", .succeeded, title: "Done"), put("b", .succeeded, title: "Done")])
        #expect(stage.titles() == "500 A")
        #expect(stage.state().thousandths == 250 && stage.state().runCount == 0 && stage.state().isPending)
    }

    @Test func aStartOutOfLingeringBeginsANewProgressInterval() {
        var stage = Stage(timing: Self.timing)
        stage.send(put("a", progress: (9, 10)), at: 0)
        stage.send(put("a", .succeeded), at: 1_000)
        stage.send(put("b", progress: (1, 10)), at: 1_100)
        #expect(stage.state().thousandths == 100)
        #expect(stage.state().pendingSince == Stage.wall(500))
    }

    @Test func lostDeletedAndSilencedRunsCountAsDone() {
        var stage = Stage()
        stage.batch(
            at: 0,
            [
                put("a", progress: (0, 1)), put("b", progress: (0, 1), ttl: 5), put("c", progress: (0, 1)),
                put("d", progress: (0, 1)),
            ])
        stage.send(delete("c"), at: 1)
        #expect(stage.state().thousandths == 250)
        stage.pass(to: 6_000)
        #expect(stage.state().thousandths == 500)
        stage.send(put("d", progress: (0, 1), isSilent: true), at: 6_001)
        #expect(stage.state().thousandths == 750)
        stage.send(put("b", progress: (0, 1)), at: 6_002)
        #expect(stage.state().thousandths == 750)
    }

    // MARK: Scopes

    @Test func aViewerSeesItsScopeAndItsAncestors() {
        var stage = Stage()
        stage.send(put("m", title: "Maintenance…"), at: 0)
        stage.send(put("s", in: scope("acme.u-1"), title: "Updating…", priority: 200), at: 1)
        #expect(stage.state(in: scope("acme.u-1")).title == "Updating…")
        #expect(stage.state(in: scope("acme.u-1")).runCount == 2)
        #expect(stage.state(in: scope("acme.u-2")).title == "Maintenance…")
        #expect(stage.state().runCount == 1)
    }

    @Test func aStartBelowAVisibleAncestorSkipsTheDelay() {
        var stage = Stage(timing: Self.timing)
        stage.send(put("m"), at: 0)
        stage.send(put("s", in: scope("a.b")), at: 400)
        stage.send(put("t", in: scope("a.c")), at: 500)
        stage.send(put("u", in: scope("a.c.d")), at: 501)
        stage.send(put("m", .succeeded), at: 600)
        stage.send(put("v", in: scope("x")), at: 999)
        stage.send(put("w", in: scope("y")), at: 1_000)
        stage.pass(to: 2_000)
        #expect(stage.intervals() == "[500,1000)")
        #expect(stage.intervals(in: scope("a.b")) == "[900,…")
        #expect(stage.intervals(in: scope("a.c")) == "[1000,…", "outside events come before timers")
        #expect(stage.intervals(in: scope("a.c.d")) == "[501,…")
        #expect(stage.intervals(in: scope("x")) == "[999,…")
        #expect(stage.intervals(in: scope("y")) == "[1000,…", "still lingering at that instant")
    }

    @Test func anotherStartWhileWaitingSkipsTheRestOfTheDelay() {
        var stage = Stage(timing: Self.timing)
        stage.send(put("m"), at: 0)
        stage.send(put("s", in: scope("a")), at: 400)
        stage.send(put("s", in: scope("a")), at: 600)
        stage.send(put("t", in: scope("a")), at: 700)
        #expect(stage.intervals(in: scope("a")) == "[700,…")
    }

    @Test func aStartAboveAVisibleDescendantWaits() {
        var stage = Stage(timing: Self.timing)
        stage.send(put("s", in: scope("a")), at: 0)
        stage.send(put("m"), at: 1_000)
        stage.pass(to: 2_000)
        #expect(stage.intervals() == "[1500,…")
    }

    // MARK: Folding a chain

    private func snapshot(
        _ visibility: PhaseSnapshot.Visibility, _ title: String, priority: Int = 0, ordinal: UInt64,
        thousandths: Int? = nil, runCount: Int = 1
    ) -> PhaseSnapshot {
        PhaseSnapshot(
            visibility: visibility, title: title, priority: priority, ordinal: ordinal,
            pendingSince: Timestamp(milliseconds: Int64(ordinal)), thousandths: thousandths,
            runCount: visibility == .shown ? runCount : 0)
    }

    @Test func anEmptyChainIsIdle() { #expect(IndicatorState(folding: []) == .idle) }

    @Test func aShownPhaseBeatsALingeringOne() {
        let state = IndicatorState(folding: [
            snapshot(.lingering, "L", priority: 900, ordinal: 1),
            snapshot(.shown, "S", ordinal: 2, runCount: 3),
        ])
        #expect(state.title == "S" && state.runCount == 3)
        #expect(state.pendingSince == Timestamp(milliseconds: 2))
    }

    @Test(arguments: [PhaseSnapshot.Visibility.shown, .lingering])
    func amongEqualVisibilityTheTitleRuleDecides(visibility: PhaseSnapshot.Visibility) {
        let chain = [
            snapshot(visibility, "younger", priority: 5, ordinal: 9, thousandths: 1),
            snapshot(visibility, "older", priority: 5, ordinal: 7, thousandths: 2),
            snapshot(visibility, "low", priority: 4, ordinal: 1, thousandths: 3),
        ]
        for order in [chain, chain.reversed(), [chain[1], chain[0], chain[2]]] {
            let state = IndicatorState(folding: order)
            #expect(state.title == "older" && state.thousandths == 2 && state.isPending)
            #expect(state.pendingSince == Timestamp(milliseconds: 7))
            #expect(state.runCount == (visibility == .shown ? 3 : 0))
        }
    }
}
