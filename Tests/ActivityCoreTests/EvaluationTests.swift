import Testing

@testable import ActivityCore

/// What single commands do beyond the lease table: preconditions, whole declarations, merge patches, keys, limits.
@Suite struct EvaluationTests {
    // MARK: PUT

    @Test func aPutDeclaresTheWholeState() {
        var stage = Stage()
        stage.send(
            put("a", title: "T", progress: (1, 2), priority: 5, ttl: 30, isSilent: true, reason: "r"), at: 0)
        let run = stage.send(put("a"), at: 100).run
        #expect(run?.declaration == RunDeclaration())
    }

    @Test func aPutKeepsWhatTheServiceAdds() throws {
        var stage = Stage()
        let created = try #require(stage.send(put("a"), at: 100).run)
        #expect(created == Run(declaration: RunDeclaration(), startedAt: Stage.wall(100), ordinal: 0))
        stage.send(cancel("a"), at: 200)
        let run = try #require(stage.send(put("a", .failed, reason: "asked"), at: 300).run)
        #expect(run.cancelRequested && run.startedAt == Stage.wall(100) && run.ordinal == 0)
        #expect(run.endedAt == Stage.wall(300) && run.declaration.reason == "asked")
    }

    @Test func aLowerCompletedIsNoChange() {
        var stage = Stage()
        stage.send(put("a", progress: (8, 10)), at: 0)
        let outcome = stage.send(put("a", progress: (4, 10)), at: 100)
        #expect(outcome.run?.declaration.progress == Progress(completed: 8, total: 10))
        #expect(stage.records.count == 1 && outcome.expiresIn == 60)
    }

    @Test func anotherTotalOrNoneIsTaken() {
        var stage = Stage()
        stage.send(put("a", progress: (8, 10)), at: 0)
        #expect(stage.send(put("a", progress: (8, 20)), at: 1).run?.declaration.progress?.total == 20)
        #expect(stage.send(put("a"), at: 2).run?.declaration.progress == nil)
        #expect(stage.send(put("a", progress: (1, 20)), at: 3).run?.declaration.progress?.completed == 1)
    }

    @Test func nobodyDeclaresARunLost() {
        var stage = Stage()
        #expect(stage.send(put("a", .lost), at: 0).kind == "invalid /state")
        stage.send(put("a"), at: 1)
        #expect(stage.send(put("a", .lost), at: 2).kind == "invalid /state")
        #expect(stage.send(patch("a") { $0.state = .value(.lost) }, at: 3).kind == "invalid /state")
        #expect(stage.registry.run(key("a"))?.state == .running)
    }

    // MARK: PATCH

    @Test func aPatchMergesMembers() {
        var stage = Stage()
        stage.send(
            put("a", title: "T", progress: (1, 9), priority: 5, ttl: 30, isSilent: true, reason: "r"), at: 0)
        let changed = stage.send(
            patch("a") {
                $0.title = .value("N")
                $0.progress = .value(ProgressPatch(completed: .value(3)))
                $0.ttl = .value(40)
            }, at: 1
        ).run?.declaration
        var expected = RunDeclaration(
            title: "N", progress: Progress(completed: 3, total: 9), priority: 5, ttl: 40, isSilent: true,
            reason: "r")
        #expect(changed == expected)
        let cleared = stage.send(
            patch("a") {
                $0.title = .null
                $0.progress = .null
                $0.priority = .null
                $0.ttl = .null
                $0.isSilent = .null
                $0.reason = .null
            }, at: 2
        ).run?.declaration
        expected = RunDeclaration()
        #expect(cleared == expected)
    }

    @Test(
        arguments: [
            (nil, ProgressPatch(completed: .value(1)), "invalid /progress/total"),
            (nil, ProgressPatch(total: .value(1)), "invalid /progress/completed"),
            (nil, ProgressPatch(), "invalid /progress/completed"),
            (nil, ProgressPatch(completed: .value(1), total: .value(2)), "updated"),
            ((1, 2), ProgressPatch(), "updated"),
            ((1, 2), ProgressPatch(total: .null), "invalid /progress/total"),
            ((1, 2), ProgressPatch(completed: .null), "invalid /progress/completed"),
        ] as [((Int64, Int64)?, ProgressPatch, String)])
    func aPatchMustLeavePossibleProgress(old: (Int64, Int64)?, change: ProgressPatch, result: String) {
        var stage = Stage()
        stage.send(put("a", progress: old), at: 0)
        let before = stage.registry.run(key("a"))
        let outcome = stage.send(patch("a") { $0.progress = .value(change) }, at: 1)
        #expect(outcome.kind == result)
        if outcome.refusal != nil { #expect(stage.registry.run(key("a")) == before) }
    }

    @Test func aPatchOfProgressNeverFalls() {
        var stage = Stage()
        stage.send(put("a", progress: (8, 10)), at: 0)
        let lower = patch("a") { $0.progress = .value(ProgressPatch(completed: .value(4))) }
        #expect(stage.send(lower, at: 1).run?.declaration.progress?.completed == 8)
    }

    // MARK: POST

    @Test func aKeyThatAPutUsedIsRefused() {
        var stage = Stage()
        stage.send(put("k"), at: 0)
        let post = Command.post(key("k"), RunDeclaration(), .keyed(bodyHash: 1))
        #expect(stage.send(post, at: 1).refusal == .runExists)
    }

    @Test func aReplayAnswersWithTheRunAsItIsAndDoesNotRenewIt() {
        var stage = Stage()
        let post = Command.post(key("k"), RunDeclaration(ttl: 5), .keyed(bodyHash: 1))
        stage.send(post, at: 0)
        let outcome = stage.send(post, at: 4_000)
        #expect(outcome.kind == "updated" && outcome.expiresIn == 2 - 1)
        stage.pass(to: 6_000)
        #expect(stage.send(post, at: 6_000).run?.state == .lost)
        stage.send(put("k", .succeeded), at: 6_001)
        #expect(stage.send(post, at: 6_002).run?.state == .succeeded)
    }

    @Test func aMadeIDIsNeverUsedTwice() {
        var stage = Stage()
        let post = Command.post(key("k"), RunDeclaration(), .declared)
        #expect(stage.send(post, at: 0).kind == "created")
        #expect(stage.send(post, at: 1).refusal == .runExists)
    }

    // MARK: Preconditions

    private func isAbsent(_ current: Current) -> Bool { current == .absent }
    private func never(_ current: Current) -> Bool { false }

    @Test func createOnlyRefusesAKnownRun() {
        var stage = Stage()
        #expect(stage.send(put("a"), at: 0, isMet: isAbsent).kind == "created")
        #expect(stage.send(put("a"), at: 1, isMet: isAbsent).refusal == .preconditionFailed)
    }

    @Test func aFailedPreconditionComesBeforeAConflictAndAfterExistence() {
        var stage = Stage()
        stage.send(put("a", .succeeded), at: 0)
        #expect(stage.send(put("a"), at: 1, isMet: never).refusal == .preconditionFailed)
        #expect(stage.send(patch("a"), at: 1, isMet: never).refusal == .preconditionFailed)
        #expect(stage.send(delete("a"), at: 1, isMet: never).refusal == .preconditionFailed)
        #expect(stage.send(patch("b"), at: 1, isMet: never).refusal == .notFound)
        #expect(stage.send(put("b"), at: 1, isMet: never).refusal == .preconditionFailed)
        #expect(stage.registry.counts == RunCounts(succeeded: 1))
    }

    @Test func whatIsDoneAlreadyNeedsNoPrecondition() {
        var stage = Stage()
        stage.send(put("a", .succeeded), at: 0)
        #expect(stage.send(put("a", .succeeded), at: 1, isMet: never).kind == "updated")
        #expect(
            stage.send(patch("a") { $0.state = .value(.succeeded) }, at: 1, isMet: never).kind == "updated")
        #expect(stage.send(delete("b"), at: 1, isMet: never) == .deleted)
        #expect(stage.send(.removeConfiguration(screen("s")), at: 1, isMet: never) == .deleted)
    }

    @Test func thePreconditionSeesTheCurrentValue() {
        var stage = Stage()
        let created = stage.send(put("a"), at: 0).run
        var seen: [Current] = []
        stage.send(put("a", title: "T"), at: 1) { current in
            seen.append(current)
            return true
        }
        #expect(seen == [created.map { .run(key("a"), $0) } ?? .absent])
    }

    @Test func commandsOfABatchSeeEachOther() {
        var stage = Stage()
        let outcomes = stage.batch(
            at: 0, [put("a"), delete("a"), put("a", .failed), put("a"), delete("a"), put("a")])
        #expect(outcomes.map(\.kind) == ["created", "deleted", "created", "ended", "deleted", "created"])
        #expect(stage.registry.run(key("a"))?.ordinal == 2)
        #expect(stage.state().runCount == 1)
    }

    // MARK: Configurations

    @Test func aConfigurationIsStoredAndRemoved() {
        var stage = Stage()
        let first = configuration(title: "One")
        #expect(stage.send(.configure(screen("s"), first), at: 0) == .configured(first, isNew: true))
        #expect(stage.send(.configure(screen("s"), first), at: 1) == .configured(first, isNew: false))
        #expect(stage.records == [.configuration(screen("s"), first)])
        let second = configuration(title: "Two")
        #expect(stage.send(.configure(screen("s"), second), at: 2) == .configured(second, isNew: false))
        #expect(stage.registry.configuration(of: screen("s")) == second)
        #expect(stage.send(.removeConfiguration(screen("s")), at: 3) == .deleted)
        #expect(stage.registry.configuration(of: screen("s")) == nil)
        #expect(stage.records.last == .configurationRemoved(screen("s")))
    }

    @Test func aConfigurationHonoursItsPrecondition() {
        var stage = Stage()
        #expect(
            stage.send(.configure(screen("s"), configuration()), at: 0, isMet: never).refusal
                == .preconditionFailed)
        stage.send(.configure(screen("s"), configuration()), at: 1)
        #expect(
            stage.send(.removeConfiguration(screen("s")), at: 2, isMet: never).refusal == .preconditionFailed)
        #expect(stage.registry.configurations.count == 1)
    }

    // MARK: Limits

    @Test func runningRunsAreLimitedPerTaskPerScopeAndInAll() {
        var stage = Stage(limits: RegistryLimits(runningPerScope: 3, runningPerTask: 2, running: 4))
        let x = scope("x")
        let outcomes = stage.batch(
            at: 0,
            [
                put("a", task: "t"), put("b", task: "t"), put("c", task: "t"), put("c", task: "t", .failed),
                put("a", task: "u"), put("b", task: "u"), put("a", task: "t", in: x),
                put("b", task: "t", in: x),
                put("a", task: "t"),
            ])
        #expect(
            outcomes.map(\.kind) == [
                "created", "created", "quota", "created", "created", "quota", "created", "quota", "updated",
            ])
        stage.send(delete("a", task: "t"), at: 1)
        #expect(stage.send(put("b", task: "t", in: x), at: 2).kind == "created")
    }

    @Test func aRevivalNeedsRoom() {
        var stage = Stage(limits: RegistryLimits(runningPerTask: 1))
        stage.send(put("a", ttl: 5), at: 0)
        stage.send(put("b"), at: 7_000)
        #expect(stage.send(put("a"), at: 7_001).kind == "quota")
        #expect(stage.send(put("a", .succeeded), at: 7_002).kind == "updated")
    }

    @Test func configurationsAndTheirPatternsAreLimited() {
        var stage = Stage(limits: RegistryLimits(configurations: 1, patterns: 2))
        #expect(
            stage.send(.configure(screen("a"), configuration(tasks: ["a", "b", "c"])), at: 0).kind == "quota")
        #expect(
            stage.send(.configure(screen("a"), configuration(tasks: ["a", "b"])), at: 0).kind
                == "configured anew")
        #expect(stage.send(.configure(screen("b"), configuration()), at: 0).kind == "quota")
        #expect(stage.send(.configure(screen("a"), configuration()), at: 0).kind == "configured")
    }

    @Test func pendingScreensAreLimitedOverAllScopes() {
        // A run of "chats" in a scope of its own shows on "chats" and "all".
        var stage = Stage(limits: RegistryLimits(pendingScreens: 4))
        stage.send(.configure(screen("all"), configuration(tasks: ["*"])), at: 0)
        #expect(stage.send(put("a"), at: 1).kind == "created")
        #expect(stage.send(put("quiet", in: scope("s"), isSilent: true), at: 2).kind == "created")
        // In one batch: the second finds no room.
        let commands = [put("b", in: scope("b")), put("c", in: scope("c"))]
        #expect(stage.batch(at: 3, commands).map(\.kind) == ["created", "quota"])
        #expect(stage.send(put("quiet", in: scope("s")), at: 4).kind == "quota", "silent no more")
        #expect(stage.send(.configure(screen("more"), configuration(tasks: ["ch*"])), at: 5).kind == "quota")
        #expect(stage.send(.configure(screen("more"), configuration(tasks: ["x*"])), at: 6).kind != "quota")
        stage.send(put("a", .succeeded), at: 7)
        #expect(stage.send(put("quiet", in: scope("s")), at: 8).kind == "updated")
    }

    // MARK: Roll-back

    @Test(arguments: [
        (put("a"), true), (put("a", title: "T"), true), (put("a", .succeeded), true), (cancel("a"), false),
        (delete("a"), false),
    ])
    func whoIsHeardKeepsTheLeaseThoughNothingIsStored(command: Command, isHeard: Bool) {
        var stage = Stage()
        stage.send(put("a"), at: 0)
        _ = stage.registry.evaluate(command, at: Stage.moment(40_000)) { _ in true }
        stage.registry.rollBack(at: Stage.moment(40_000))
        stage.pass(to: 70_000)
        #expect(stage.registry.run(key("a"))?.state == (isHeard ? .running : .lost))
        stage.pass(to: 110_000)
        #expect(stage.registry.run(key("a"))?.state == .lost)
    }

    @Test func aRollBackPutsEverythingBack() {
        var stage = Stage()
        stage.batch(at: 0, [put("a"), put("b", .failed), put("c"), .configure(screen("s"), configuration())])
        let before = stage.registry.runs
        let commands = [
            put("a", title: "T"), put("a", .succeeded), delete("b"), put("b"), put("d"), put("d", title: "T"),
            delete("d"), put("d"), delete("a"), put("c"), cancel("c"), .removeConfiguration(screen("s")),
            .configure(screen("t"), configuration()),
        ]
        for command in commands {
            _ = stage.registry.evaluate(command, at: Stage.moment(50_000)) { _ in true }
        }
        #expect(stage.registry.runs != before)
        stage.registry.rollBack(at: Stage.moment(50_000))
        #expect(stage.registry.runs == before && stage.registry.uncommitted.isEmpty)
        #expect(stage.registry.configurations == [screen("s"): configuration()])
        #expect(stage.registry.expiresIn(key("c"), at: Instant(milliseconds: 51_000)) == 59)
        #expect(stage.registry.takeChanges().isEmpty)
        #expect(stage.batch(at: 50_001, [put("d"), put("a")]).map(\.kind) == ["created", "updated"])
    }
}
