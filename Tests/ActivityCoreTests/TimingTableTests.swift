import Testing

@testable import ActivityCore

/// One row of the timing table: events such as `"0 A+, 300 A-"` (start or renewal, end), and when it is pending.
struct TimingRow: CustomTestStringConvertible {
    var number: Int
    var events: String
    var pending: String
    var timing: Timing

    init(_ number: Int, _ events: String, _ pending: String, G: Int64 = 500, M: Int64 = 500, C: Int64 = 200) {
        self.number = number
        self.events = events
        self.pending = pending
        timing = Timing(startDelay: G, minimumVisible: M, completionDelay: C)
    }

    var testDescription: String { "row \(number): \(events) → \(pending)" }

    /// The commands of each instant.
    var batches: [(at: Int64, commands: [Command])] {
        var batches: [(at: Int64, commands: [Command])] = []
        for event in events.split(separator: ", ") {
            let parts = event.split(separator: " ")
            guard parts.count == 2, let at = Int64(parts[0]), let sign = parts[1].last else {
                preconditionFailure("no event: \(event)")
            }
            let command = put(String(parts[1].dropLast()), sign == "+" ? .running : .succeeded, ttl: 5)
            if batches.last?.at == at {
                batches[batches.count - 1].commands.append(command)
            } else {
                batches.append((at, [command]))
            }
        }
        return batches
    }
}

@Suite struct TimingTableTests {
    static let rows = [
        TimingRow(1, "0 A+, 300 A-", "none"),
        TimingRow(2, "0 A+, 500 A-", "none"),
        TimingRow(3, "0 A+, 501 A-", "[500,1000)"),
        TimingRow(4, "0 A+, 800 A-", "[500,1000)"),
        TimingRow(5, "0 A+, 900 A-", "[500,1100)"),
        TimingRow(6, "0 A+, 2000 A-", "[500,2200)"),
        TimingRow(7, "0 A+, 300 A-, 400 B+, 700 B-", "none"),
        TimingRow(8, "0 A+, 300 B+, 400 A-, 1000 B-", "[500,1200)"),
        TimingRow(9, "0 A+, 1000 A-, 1100 B+, 1300 B-", "[500,1500)"),
        TimingRow(10, "0 A+, 1000 A-, 1200 B+, 1300 B-", "[500,1500)"),
        TimingRow(11, "0 A+, 1000 A-, 1201 B+, 2000 B-", "[500,1200) [1701,2201)"),
        TimingRow(12, "0 A+, 600 A-, 700 B+, 800 B-", "[500,1000)"),
        TimingRow(13, "3 A+, 10 A-", "[3,10)", G: 0, M: 0, C: 0),
        TimingRow(14, "0 A+, 0 A-", "[0,2000)", G: 0, M: 2000, C: 0),
        TimingRow(15, "0 A+, 1100 A-", "[1000,1300)", G: 1000, M: 0, C: 200),
        TimingRow(16, "0 A+", "[500,6200)"),
        TimingRow(17, "0 A+, 100 A+, 900 A-, 950 A-", "[500,1100)"),
        TimingRow(18, "0 X-, 5 X+", "none"),
    ]

    @Test(arguments: rows, Stage.Steps.allCases)
    func isPendingAsInTheTable(row: TimingRow, steps: Stage.Steps) {
        var stage = Stage(timing: row.timing, steps: steps)
        for (at, commands) in row.batches { stage.batch(at: at, commands) }
        stage.pass(to: 9_000)
        #expect(stage.intervals() == row.pending)
    }

    @Test(arguments: rows)
    func endsTheSameAfterOneBigJump(row: TimingRow) {
        var stepped = Stage(timing: row.timing, steps: .single)
        var jumped = Registry(timing: row.timing)
        for (at, commands) in row.batches {
            stepped.batch(at: at, commands)
            for command in commands { _ = jumped.evaluate(command, at: Stage.moment(at)) { _ in true } }
            jumped.commit(at: Stage.moment(at))
        }
        var told: [ScreenKey: PhaseSnapshot] = [:]
        for at in stride(from: row.batches.last?.at ?? 0, through: 7_000, by: 700) {
            stepped.pass(to: at)
            _ = jumped.advance(to: Stage.moment(at), askedFor: nil)
            for (key, snapshot) in jumped.takeChanges().screens { told[key] = snapshot }
            #expect(told[screenKey("chats")] == stepped.published[screenKey("chats")]?.last?.snapshot)
            #expect(jumped.runs == stepped.registry.runs)
        }
    }

    @Test(arguments: Stage.Steps.allCases)
    func theHighestPriorityGivesTheTitle(steps: Stage.Steps) {
        let timing = Timing(startDelay: 500, minimumVisible: 500, completionDelay: 200)
        var stage = Stage(timing: timing, steps: steps)
        stage.send(put("u", title: "Updating", priority: 200), at: 0)
        stage.send(put("c", title: "Connecting", priority: 300), at: 1000)
        stage.send(put("c", .succeeded, title: "Connecting", priority: 300), at: 1500)
        stage.send(put("u", .succeeded, title: "Done", priority: 200), at: 3000)
        stage.pass(to: 4000)
        #expect(stage.titles() == "500 Updating, 1000 Connecting, 1500 Updating, 3200 –")
        #expect(stage.intervals() == "[500,3200)")
    }
}
