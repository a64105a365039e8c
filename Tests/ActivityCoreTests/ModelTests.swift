import Testing

@testable import ActivityCore

/// The registry on random histories: against the model, and against itself in other steps of time.
@Suite struct ModelTests {
    static let seeds = 0..<200 as Range<UInt64>
    static let ticks = stride(from: 0 as Int64, through: 22_000, by: 100)

    @Test(arguments: seeds)
    func doesWhatTheModelDoes(seed: UInt64) {
        let history = History(seed: seed)
        var registry = Registry(limits: History.limits, timing: history.timing)
        var model = Model(limits: History.limits, timing: history.timing)
        var records: [Record] = []
        var told: [ScreenKey: PhaseSnapshot] = [:]
        for at in Self.ticks {
            let moment = Stage.moment(at)
            model.begin()
            for batch in history.batches where batch.at == at {
                model.heard = []
                let before = (model, registry.runs, registry.configurations)
                for command in batch.commands {
                    let outcome = registry.evaluate(command, at: moment) { _ in true }
                    #expect(outcome == model.evaluate(command, at: at), "seed \(seed), at \(at): \(command)")
                }
                if batch.isStored {
                    records += registry.uncommitted
                    registry.commit(at: moment)
                } else {
                    model = before.0.hearing(model.heard, at: at)
                    registry.rollBack(at: moment)
                    #expect(
                        registry.runs == before.1 && registry.configurations == before.2,
                        "seed \(seed), at \(at)")
                }
            }
            let expired = registry.advance(to: moment, askedFor: nil)
            records += expired
            model.finish(at: at)
            for (key, snapshot) in registry.takeChanges().screens {
                #expect(told[key] != snapshot, "seed \(seed), at \(at): told twice")
                told[key] = snapshot
            }
            let expected = model.screens.compactMapValues(\.snapshot)
            guard told == expected else {
                Issue.record("seed \(seed), at \(at):\(difference(told, expected))")
                return
            }
            guard
                expired.isEmpty && history.batches.allSatisfy({ $0.at != at })
                    || agree(registry, model, at: at)
            else {
                Issue.record("seed \(seed), at \(at): other runs")
                return
            }
        }
        #expect(records.count == model.recordCount, "seed \(seed)")
        var folded = Registry()
        for record in records { folded.replay(record) }
        #expect(folded.configurations == registry.configurations && folded.runs.sameRuns(as: registry.runs))
    }

    private func difference(
        _ told: [ScreenKey: PhaseSnapshot], _ expected: [ScreenKey: PhaseSnapshot]
    ) -> String {
        Set(told.keys).union(expected.keys).filter { told[$0] != expected[$0] }.map { key in
            """

            \(key)
              registry: \(told[key].map { "\($0)" } ?? "nothing")
              model:    \(expected[key].map { "\($0)" } ?? "nothing")
            """
        }.joined()
    }

    private func agree(_ registry: Registry, _ model: Model, at: Int64) -> Bool {
        let instant = Instant(milliseconds: at)
        let expected = model.kept.mapValues(\.run)
        let known = registry.runs.allSlots.map { (registry.runs.key(at: $0), registry.runs[$0]) }
        let listed = expected.filter { !$0.value.isRemembered }.keys
            .sorted { ($0.task.rawValue, $0.run.rawValue) < ($1.task.rawValue, $1.run.rawValue) }
        let lists = Set(expected.keys.map(\.scope)).allSatisfy { scope in
            let page = registry.runs(matching: RunQuery(scope: scope, state: nil, limit: 200))
            return page.runs.map(\.0) == listed.filter { $0.scope == scope }
        }
        return Dictionary(known) { a, _ in a } == expected && lists
            && expected.keys.allSatisfy { registry.expiresIn($0, at: instant) == model.expiresIn($0, at: at) }
    }

    /// One registry sees every tick, the other only the batches, and a tick now and then.
    @Test(arguments: seeds)
    func aBigJumpGivesWhatManySmallStepsGive(seed: UInt64) {
        let history = History(seed: seed)
        var chance = Chance(seed: ~seed)
        var stepped = Registry(timing: history.timing)
        var jumping = stepped
        var toldStepped: [ScreenKey: PhaseSnapshot] = [:]
        var toldJumping: [ScreenKey: PhaseSnapshot] = [:]
        for at in Self.ticks {
            let moment = Stage.moment(at)
            for batch in history.batches where batch.at == at {
                // A late message finds an overdue lease alive, as it must: that is not what is compared here.
                if batch.commands.contains(where: { isOverdue($0, stepped, jumping) }) {
                    _ = jumping.advance(to: Stage.moment(at - 1), askedFor: nil)
                }
                for command in batch.commands {
                    let outcome = stepped.evaluate(command, at: moment) { _ in true }
                    #expect(jumping.evaluate(command, at: moment) { _ in true } == outcome)
                }
                stepped.commit(at: moment)
                jumping.commit(at: moment)
            }
            _ = stepped.advance(to: moment, askedFor: nil)
            for (key, snapshot) in stepped.takeChanges().screens { toldStepped[key] = snapshot }
            guard chance.hits(5) else { continue }
            _ = jumping.advance(to: moment, askedFor: nil)
            for (key, snapshot) in jumping.takeChanges().screens { toldJumping[key] = snapshot }
            #expect(toldStepped == toldJumping, "seed \(seed), at \(at)")
            #expect(stepped.runs == jumping.runs, "seed \(seed), at \(at)")
        }
    }

    private func isOverdue(_ command: Command, _ stepped: Registry, _ jumping: Registry) -> Bool {
        switch command {
        case .put(let key, _), .patch(let key, _), .delete(let key), .post(let key, _, _):
            stepped.run(key)?.state == .lost && jumping.run(key)?.state == .running
        case .configure, .removeConfiguration: false
        }
    }
}

extension Runs {
    /// Equal but for the next ordinal, which the folding of records cannot know of rolled-back runs.
    fileprivate func sameRuns(as other: Runs) -> Bool {
        counts == other.counts
            && allSlots.allSatisfy { slot in other.slot(of: key(at: slot)).map { other[$0] } == self[slot] }
    }
}
