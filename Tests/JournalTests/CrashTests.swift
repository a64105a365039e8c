import Glibc
import Testing

@testable import Journal

/// A process that writes and is killed: every batch that it was told to be durable is there, each one whole.
@Suite struct CrashTests {
    private let directory = TemporaryDirectory()

    @Test func keepsEveryAcknowledgedBatchWhenKilledAtAnyMoment() async throws {
        var generator = SeededGenerator()
        let (path, acknowledged) = (directory.file("a.db"), directory.file("acknowledged"))
        var model = JournalModel()
        var durable = 0
        for round in 0..<40 {
            // The first ones die while they create the file.
            let unhurried = round < 8 ? 0 : Int.random(in: 1...20, using: &generator)
            let microseconds = Int.random(in: 1...(round < 8 ? 20_000 : 3_000), using: &generator)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, acknowledged = acknowledged as String,
                    seed = generator.seed as UInt64,
                    first = durable as Int, unhurried = unhurried as Int, microseconds = microseconds as Int,
                ] in
                let report = open(acknowledged, O_CREAT | O_WRONLY | O_APPEND, 0o600)
                if unhurried == 0 { killThisProcess(afterMicroseconds: microseconds) }
                let journal = try SQLiteJournal(path: path)
                for number in first... {
                    if number == first + unhurried { killThisProcess(afterMicroseconds: microseconds) }
                    try journal.append(batch(number, seed: seed))
                    write(report, ".", 1)
                    if number % 7 == 0 { journal.maintain() }
                }
            }
            let told = try bytes(of: acknowledged).count
            for number in durable..<told { model.append(batch(number, seed: generator.seed)) }
            durable = told
            let journal = try SQLiteJournal(path: path)
            var found = try contents(of: journal)
            // The last batch may be durable though there was no time to tell.
            if found != model.contents {
                model.append(batch(durable, seed: generator.seed))
                durable += 1
                try write([UInt8](repeating: UInt8(ascii: "."), count: durable), to: acknowledged)
                found = try contents(of: journal)
            }
            let isWhole = found == model.contents
            try #require(isWhole, "seed \(generator.seed), round \(round), \(durable) batches")
        }
        #expect(durable > 32)
    }

    @Test func takesADamagedLogAsFarAsItIsWhole() async throws {
        var generator = SeededGenerator()
        let path = directory.file("a.db")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, seed = generator.seed as UInt64] in
            let journal = try SQLiteJournal(path: path)
            for number in 0..<20 { try journal.append(batch(number, seed: seed)) }
            kill(getpid(), SIGKILL)
        }
        var model = JournalModel()
        var states: [[String]] = [model.contents]
        for number in 0..<20 {
            model.append(batch(number, seed: generator.seed))
            states.append(model.contents)
        }
        let (file, log) = (try bytes(of: path), try bytes(of: path + "-wal"))
        var reached: Set<Int> = []
        for _ in 0..<60 {
            var damaged = log
            let place = Int.random(in: 0..<log.count, using: &generator)
            if Bool.random(using: &generator) {
                damaged.removeSubrange(place...)
            } else {
                damaged[place] ^= UInt8.random(in: 1...255, using: &generator)
            }
            try write(file, to: path)
            try write(damaged, to: path + "-wal")
            let journal = try SQLiteJournal(path: path)
            let state = states.firstIndex(of: try contents(of: journal))
            reached.insert(try #require(state, "seed \(generator.seed), place \(place)"))
            try journal.append([entry("after", 1)])
        }
        #expect(reached.count > 5)
    }

    @Test func refusesATruncatedFile() throws {
        let path = directory.file("a.db")
        let journal = try SQLiteJournal(path: path)
        for number in 0..<20 { try journal.append(batch(number, seed: 1)) }
        journal.close()
        let whole = try bytes(of: path)
        for length in stride(from: 1, to: whole.count, by: 1_024) {
            try write(Array(whole[..<length]), to: path)
            do throws(JournalError) {
                _ = try SQLiteJournal(path: path)
                Issue.record("opened with \(length) of \(whole.count) bytes")
            } catch {
                switch error {
                case .corrupt, .foreign: break
                default: Issue.record("\(length) bytes: \(error)")
                }
            }
        }
    }

    @Test func meetsDamageWithAnErrorOrNotAtAll() throws {
        var generator = SeededGenerator()
        let path = directory.file("a.db")
        let journal = try SQLiteJournal(path: path)
        for number in 0..<20 { try journal.append(batch(number, seed: 1)) }
        journal.close()
        let whole = try bytes(of: path)
        var refused = 0
        for _ in 0..<300 {
            var damaged = whole
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let place = Int.random(in: 0..<whole.count, using: &generator)
                damaged[place] = UInt8.random(in: 0...255, using: &generator)
            }
            try write(damaged, to: path)
            unlink(path + "-wal")
            do throws(JournalError) {
                let journal = try SQLiteJournal(path: path)
                _ = try contents(of: journal)
                try journal.append(batch(21, seed: 1))
                journal.maintain()
            } catch {
                refused += 1
                #expect(!"\(error)".isEmpty)
            }
        }
        #expect(refused > 0, "seed \(generator.seed)")
    }
}

/// The batch of this number: 1 to 40 values of up to 3 000 bytes, and removals, over 30 keys.
private func batch(_ number: Int, seed: UInt64) -> [JournalEntry] {
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x1_0000)
    return (0..<Int.random(in: 1...40, using: &generator)).map { _ in
        let length = Int.random(in: -600...3_000, using: &generator)
        let byte = UInt8.random(in: 0...255, using: &generator)
        return JournalEntry(
            key: "run/\(Int.random(in: 0..<30, using: &generator))",
            value: length < 0 ? nil : [UInt8](repeating: byte, count: length))
    }
}

/// SIGKILL from the kernel, wherever the process is by then.
func killThisProcess(afterMicroseconds microseconds: Int) {
    var event = sigevent()
    event.sigev_notify = Int32(SIGEV_SIGNAL)
    event.sigev_signo = SIGKILL
    var timer: timer_t?
    var when = itimerspec()
    when.it_value.tv_nsec = microseconds * 1_000
    let isArmed =
        timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, 0, &when, nil) == 0
    precondition(isArmed, "A timer can be made.")
}
