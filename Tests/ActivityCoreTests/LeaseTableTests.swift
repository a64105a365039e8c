import Testing

@testable import ActivityCore

/// One row of the lease table: what an event makes of a run in a state.
struct LeaseRow: CustomTestStringConvertible {
    var from: String
    var event: String
    var result: String

    init(_ from: String, _ event: String, _ result: String) {
        self.from = from
        self.event = event
        self.result = result
    }

    var testDescription: String { "\(from) + \(event) → \(result)" }

    /// Run `a` in the state of the row, at 7 s.
    var stage: Stage {
        var stage = Stage()
        switch from {
        case "running": stage.send(put("a", title: "T"), at: 0)
        case "asked": stage.batch(at: 0, [put("a", title: "T"), cancel("a")])
        case "lost": stage.send(put("a", title: "T", ttl: 5), at: 0)
        case "unknown": break
        default: stage.send(put("a", RunState(rawValue: from) ?? .running, title: "T"), at: 0)
        }
        stage.pass(to: 7_000)
        return stage
    }

    var command: Command {
        switch event {
        case "PATCH {}": patch("a")
        case "PATCH cancel": cancel("a")
        case "PATCH cancel, title":
            patch("a") {
                $0.requestsCancel = true
                $0.title = .value("N")
            }
        case "DELETE": delete("a")
        case let event where event.hasPrefix("PATCH "):
            patch("a") {
                $0.state = RunState(rawValue: String(event.dropFirst(6))).map { .value($0) } ?? .null
            }
        default: put("a", RunState(rawValue: String(event.dropFirst(4))) ?? .running, title: "T")
        }
    }
}

@Suite struct LeaseTableTests {
    static let rows = [
        LeaseRow("unknown", "PUT running", "created running renewed"),
        LeaseRow("unknown", "PUT succeeded", "created succeeded ended"),
        LeaseRow("unknown", "PATCH {}", "notFound"),
        LeaseRow("unknown", "PATCH cancel", "notFound"),
        LeaseRow("unknown", "PATCH failed", "notFound"),
        LeaseRow("unknown", "DELETE", "deleted"),

        LeaseRow("running", "PUT running", "updated running renewed"),
        LeaseRow("running", "PATCH {}", "updated running renewed"),
        LeaseRow("running", "PATCH null", "updated running renewed"),
        LeaseRow("running", "PUT succeeded", "updated succeeded ended"),
        LeaseRow("running", "PUT failed", "updated failed ended"),
        LeaseRow("running", "PUT canceled", "updated canceled ended"),
        LeaseRow("running", "PATCH failed", "updated failed ended"),
        LeaseRow("running", "PATCH cancel", "updated running asked 53 s left"),
        LeaseRow("running", "PATCH cancel, title", "updated running asked renewed"),
        LeaseRow("running", "DELETE", "deleted"),

        LeaseRow("asked", "PUT running", "updated running asked renewed"),
        LeaseRow("asked", "PATCH {}", "updated running asked renewed"),
        LeaseRow("asked", "PATCH cancel", "updated running asked 53 s left"),
        LeaseRow("asked", "PUT succeeded", "updated succeeded asked ended"),
        LeaseRow("asked", "PATCH canceled", "updated canceled asked ended"),

        LeaseRow("lost", "PUT running", "updated running revived renewed"),
        LeaseRow("lost", "PATCH {}", "updated running revived 5 s left"),
        LeaseRow("lost", "PATCH null", "updated running revived 5 s left"),
        LeaseRow("lost", "PUT succeeded", "updated succeeded late ended"),
        LeaseRow("lost", "PATCH failed", "updated failed late ended"),
        LeaseRow("lost", "PATCH cancel", "updated canceled asked ended"),
        LeaseRow("lost", "PATCH cancel, title", "updated running revived asked 5 s left"),
        LeaseRow("lost", "DELETE", "deleted"),

        LeaseRow("succeeded", "PUT running", "ended"),
        LeaseRow("succeeded", "PATCH {}", "ended"),
        LeaseRow("succeeded", "PUT failed", "ended"),
        LeaseRow("succeeded", "PATCH canceled", "ended"),
        LeaseRow("succeeded", "PATCH cancel", "ended"),
        LeaseRow("succeeded", "PATCH cancel, title", "ended"),
        LeaseRow("succeeded", "PUT succeeded", "updated succeeded as it was"),
        LeaseRow("succeeded", "PATCH succeeded", "updated succeeded as it was"),
        LeaseRow("failed", "PUT failed", "updated failed as it was"),
        LeaseRow("failed", "PATCH cancel", "ended"),
        LeaseRow("canceled", "PATCH cancel", "updated canceled as it was"),
        LeaseRow("canceled", "PATCH cancel, title", "ended"),
        LeaseRow("canceled", "PUT running", "ended"),
        LeaseRow("canceled", "DELETE", "deleted"),
    ]

    @Test(arguments: rows)
    func anEventMakesOfARun(row: LeaseRow) {
        var stage = row.stage
        let recordCount = stage.records.count
        let outcome = stage.send(row.command, at: 7_000)
        #expect(description(of: outcome) == row.result)
        if outcome.refusal != nil || row.result.hasSuffix("as it was") {
            #expect(stage.records.count == recordCount)
        }
        if let run = outcome.run { #expect(stage.registry.run(key("a")) == run) }
        if outcome == .deleted { #expect(stage.registry.run(key("a")) == nil) }
    }

    private func description(of outcome: Outcome) -> String {
        guard let run = outcome.run else { return outcome.kind }
        var words = [outcome.kind, run.state.rawValue]
        if run.revivalCount > 0 { words.append("revived") }
        if run.cancelRequested { words.append("asked") }
        if run.isLate { words.append("late") }
        switch outcome.expiresIn {
        case 60: words.append("renewed")
        case let seconds?: words.append("\(Int(seconds)) s left")
        case nil: words.append(run.endedAt == Stage.wall(7_000) ? "ended" : "as it was")
        }
        if run.state == .running { #expect(run.endedAt == nil) }
        return words.joined(separator: " ")
    }

    @Test(arguments: [(5, 6_000), (20, 21_000), (60, 63_000), (86_400, 90_720_000)])
    func aRunIsLostAfterItsTTLAndSomeSlack(ttl: Int, deadline: Int64) {
        var stage = Stage()
        stage.send(put("a", ttl: ttl), at: 0)
        stage.pass(to: deadline - 1)
        #expect(stage.registry.run(key("a"))?.state == .running)
        stage.pass(to: deadline)
        #expect(stage.registry.run(key("a"))?.state == .lost)
    }

    @Test func aLossIsDatedWhenTheLeaseRanOut() {
        var registry = Registry()
        _ = registry.evaluate(put("a", ttl: 5), at: Stage.moment(0)) { _ in true }
        registry.commit(at: Stage.moment(0))
        let records = registry.advance(to: Stage.moment(60_000), askedFor: nil)
        #expect(registry.run(key("a"))?.endedAt == Stage.wall(6_000))
        #expect(registry.run(key("a"))?.declaration.reason == "lease-expired")
        #expect(records.count == 1)
    }

    @Test func aShorterTTLMovesTheDeadlineForward() {
        var stage = Stage()
        stage.send(put("a", ttl: 600), at: 0)
        stage.send(put("a", ttl: 5), at: 1_000)
        stage.pass(to: 7_000)
        #expect(stage.registry.run(key("a"))?.endedAt == Stage.wall(7_000))
    }

    @Test func everyRenewalMovesTheDeadline() {
        var stage = Stage()
        stage.send(put("a", ttl: 5), at: 0)
        stage.send(patch("a"), at: 1_000)
        #expect(stage.records.count == 1)
        #expect(stage.registry.expiresIn(key("a"), at: Instant(milliseconds: 1_500)) == 4.5)
        stage.pass(to: 6_999)
        #expect(stage.registry.run(key("a"))?.state == .running)
        #expect(stage.registry.expiresIn(key("a"), at: Instant(milliseconds: 6_999)) == 0)
        stage.pass(to: 7_000)
        #expect(stage.registry.run(key("a"))?.state == .lost)
    }

    @Test func aRevivalKeepsItsStartAndItsPlace() throws {
        var stage = Stage()
        stage.send(put("a", ttl: 5), at: 0)
        stage.send(put("b"), at: 100)
        let revived = try #require(stage.send(put("a", title: "T"), at: 9_000).run)
        #expect(revived.startedAt == Stage.wall(0) && revived.ordinal == 0)
        #expect(revived.declaration.reason == nil && revived.endedAt == nil && !revived.isLate)
    }

    @Test func aPatchThatRevivesTakesTheReasonOfTheLossAway() {
        var stage = Stage()
        stage.send(put("a", ttl: 5, reason: "mine"), at: 0)
        #expect(stage.send(patch("a"), at: 9_000).run?.declaration.reason == nil)
    }

    // MARK: Held up

    @Test func aHeldUpProcessLosesNoRunThatRenewsInTime() {
        var stage = Stage()
        stage.send(put("a", ttl: 5), at: 0)
        _ = stage.registry.advance(to: Stage.moment(60_000), askedFor: Instant(milliseconds: 1_000))
        #expect(stage.registry.run(key("a"))?.state == .running)
        _ = stage.registry.advance(to: Stage.moment(64_999), askedFor: Instant(milliseconds: 64_999))
        #expect(stage.registry.run(key("a"))?.state == .running)
        _ = stage.registry.advance(to: Stage.moment(65_000), askedFor: Instant(milliseconds: 65_000))
        #expect(stage.registry.run(key("a"))?.state == .lost)
    }

    @Test func anOverdueLeaseInAHeldUpBatchIsExtended() {
        var stage = Stage()
        stage.batch(at: 0, [put("a", ttl: 5), put("b", ttl: 5)])
        _ = stage.registry.evaluate(put("b", ttl: 5), at: Stage.moment(60_000)) { _ in true }
        stage.registry.commit(at: Stage.moment(60_000))
        _ = stage.registry.advance(to: Stage.moment(60_000), askedFor: Instant(milliseconds: 1_000))
        #expect(stage.registry.counts.running == 2)
        #expect(stage.registry.expiresIn(key("b"), at: Instant(milliseconds: 60_000)) == 5)
    }

    @Test func twoSecondsLateIsNotHeldUp() {
        var stage = Stage()
        stage.send(put("a", ttl: 5), at: 0)
        _ = stage.registry.advance(to: Stage.moment(8_000), askedFor: Instant(milliseconds: 6_000))
        #expect(stage.registry.run(key("a"))?.state == .lost)
    }

    @Test func latenessMovesNoPhase() {
        var stage = Stage(timing: Timing(startDelay: 500))
        stage.send(put("a"), at: 0)
        _ = stage.registry.advance(to: Stage.moment(10_000), askedFor: Instant(milliseconds: 500))
        #expect(stage.registry.takeChanges().screens[0].1?.pendingSince == Stage.wall(500))
    }
}
