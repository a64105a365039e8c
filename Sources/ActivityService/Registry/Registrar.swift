import ActivityCore
import EventHTTP
import IndicatorLayout
import Journal
import WireFormat

/// The registry's thread: the only place where runs and configurations change, and time passes for them.
///
/// What arrived in the mailbox is one batch: evaluated one by one, committed to the journal at once, then applied to
/// leases and phases, published on the board, told to the loops, and only then answered. What is acknowledged is
/// durable, and who was answered reads its own write.
final class Registrar {
    /// It wakes at least this often, in nanoseconds, so that a pause of the whole process is noticed. A batch that
    /// takes longer is such a pause.
    private static let longestSleep: Int64 = 1_000_000_000

    private let loop: EventLoop
    private var registry: Registry
    private let timing: Timing
    private let journal: any JournalStore
    private let board: Board
    private let loops: [Mailbox<LoopMessage>]
    /// What the batch has for each loop.
    private var outbox: [[LoopMessage]]
    private let status: Status
    private let metrics: ServiceMetrics
    private let log: Log
    private var fonts: AskedFonts
    private var timer: LoopTimer?
    private var askedFor: Instant?
    private var housekeepingAt = Instant(nanoseconds: 0)
    /// What took effect in memory but could not be written yet, the newest of each key.
    private var backlog: [String: JournalEntry] = [:]
    /// The loops that are to hear of the next change of a run.
    private var watchers: [RunKey: Set<Int>] = [:]

    /// - Parameter registry: with the journal's records already replayed.
    init(
        loop: EventLoop, registry: consuming Registry, timing: Timing, journal: any JournalStore,
        shared: SharedState
    ) {
        self.loop = loop
        self.registry = registry
        self.journal = journal
        self.timing = timing
        board = shared.board
        loops = shared.loops
        outbox = Array(repeating: [], count: shared.loops.count)
        status = shared.status
        metrics = shared.metrics
        log = shared.log
        fonts = AskedFonts(painter: shared.painter)
        timer = loop.timer { [unowned self] in consume([]) }
    }

    /// Shows the screens of the replayed runs, applies the file's configurations, and begins to count time.
    func start(with screens: [(ScreenName, ScreenConfiguration)]) {
        registry.start(at: Clock.now())
        // That of the screens that nobody configures.
        fonts.note(TitleFont())
        consume([.apply(screens)])
        status.openJournal()
    }

    /// Takes one batch of messages through.
    func consume(_ messages: [RegistryMessage]) {
        let now = Clock.now()
        var batch = Batch()
        for message in messages { take(message, &batch, now) }
        let records = registry.uncommitted
        if write(records) {
            registry.commit(at: now)
        } else {
            registry.rollBack(at: now)
            for index in batch.replies.indices { batch.replies[index].reply = .unavailable }
        }
        advance(to: now, hasWritten: !records.isEmpty)
        publish()
        for (question, address) in batch.questions {
            batch.replies.append((address, answer(question, for: address.loop, at: now)))
        }
        for (address, reply) in batch.replies { outbox[address.loop].append(.reply(reply, address.number)) }
        post()
        if batch.stops { return finish() }
        keepHouse(now)
        sleep(after: now.instant)
    }

    /// Once a second: the journal gives back room, and its size is looked at.
    private func keepHouse(_ now: Moment) {
        guard now.instant >= housekeepingAt else { return }
        housekeepingAt = now.instant.advanced(byNanoseconds: Self.longestSleep)
        journal.maintain()
        metrics.update(journalBytes: journal.byteCount)
    }

    private struct Batch {
        var replies: [(address: ReplyAddress, reply: RegistryReply)] = []
        var questions: [(RunQuestion, ReplyAddress)] = []
        var stops = false
    }

    private func take(_ message: RegistryMessage, _ batch: inout Batch, _ now: Moment) {
        switch message {
        case .change(let command, let preconditions, let address):
            batch.replies.append((address, change(command, preconditions, now)))
        case .question(let question, let address): batch.questions.append((question, address))
        case .apply(let screens): apply(screens, now)
        case .stop: batch.stops = true
        }
    }

    // MARK: Changes

    private func change(_ command: Command, _ preconditions: Preconditions, _ now: Moment) -> RegistryReply {
        var current: Token?
        let timing = timing
        let outcome = registry.evaluate(command, at: now) { value in
            guard !preconditions.isEmpty else { return true }
            current = Self.token(of: value, timing)
            return preconditions.areMet(by: current)
        }
        if case .refused(.preconditionFailed) = outcome { return .preconditionFailed(current: current) }
        return .outcome(outcome)
    }

    private static func token(of value: Current, _ timing: Timing) -> Token? {
        switch value {
        case .absent: nil
        case .run(let key, let run): RunBody.token(key, run)
        case .configuration(let screen, let configuration):
            Token(of: ConfigurationBody.encode(configuration, for: screen, defaultTiming: timing))
        }
    }

    /// Screens of the file that differ from what is there win over it.
    private func apply(_ screens: [(ScreenName, ScreenConfiguration)], _ now: Moment) {
        for (screen, configuration) in screens where registry.configuration(of: screen) != configuration {
            let replaces = registry.configuration(of: screen) != nil
            let outcome = registry.evaluate(.configure(screen, configuration), at: now) { _ in true }
            if case .refused(let refusal) = outcome {
                log.error(
                    "A screen of the file was refused", ["screen": screen.rawValue, "reason": "\(refusal)"])
            } else {
                log.info(
                    replaces ? "Replaced a configuration by the file's" : "Configured a screen from the file",
                    ["screen": screen.rawValue])
            }
        }
    }

    // MARK: The journal

    /// Writes `records` behind what is still owed. True when all of it is durable.
    private func write(_ records: [Record]) -> Bool {
        guard !records.isEmpty else { return true }
        var entries = Array(backlog.values)
        for record in records {
            let (key, value) = RecordFormat.encode(record)
            entries.append(JournalEntry(key: key, value: value))
        }
        return append(entries)
    }

    private func append(_ entries: [JournalEntry]) -> Bool {
        let begin = Clock.monotonic()
        do throws(JournalError) {
            try journal.append(entries)
        } catch {
            if !status.isJournalFailing { log.error("The journal cannot be written", ["reason": "\(error)"]) }
            status.setJournalFailing(true)
            metrics.commitFailed()
            return false
        }
        backlog.removeAll()
        noteSuccess()
        metrics.committed(nanoseconds: Clock.monotonic() - begin)
        return true
    }

    private func noteSuccess() {
        guard status.isJournalFailing else { return }
        status.setJournalFailing(false)
        log.info("The journal can be written again", [:])
    }

    /// Lets time pass. What expires does so at once, and is written as soon as the journal works: where this batch
    /// has had its commit, together with the next one, a second later at most.
    private func advance(to now: Moment, hasWritten: Bool) {
        for record in registry.advance(to: now, askedFor: askedFor) {
            let (key, value) = RecordFormat.encode(record)
            backlog[key] = JournalEntry(key: key, value: value)
        }
        if hasWritten { return }
        if !backlog.isEmpty {
            _ = append(Array(backlog.values))
        } else if status.isJournalFailing, (try? journal.probe()) != nil {
            noteSuccess()
        }
    }

    // MARK: Publication

    private func publish() {
        let changes = registry.takeChanges()
        let publication = Publication(screens: changes.screens, configurations: changes.configurations)
        if !publication.isEmpty {
            board.publish(publication)
            for (_, configuration) in changes.configurations {
                if let configuration { fonts.note(configuration.appearance.titleFont) }
            }
            let message = LoopMessage.published(
                screens: changes.screens.map(\.0), configurations: changes.configurations.map(\.0),
                at: Clock.monotonic())
            for loop in outbox.indices { outbox[loop].append(message) }
        }
        if !watchers.isEmpty { tellWatchers(of: changes.runs) }
        metrics.update(registry.counts)
    }

    private func tellWatchers(of runs: [RunKey]) {
        for key in runs {
            guard let watching = watchers.removeValue(forKey: key) else { continue }
            let run = registry.run(key)
            for loop in watching { outbox[loop].append(.runChanged(key, run)) }
        }
    }

    /// Hands each loop all that the batch has for it, at once: a loop that waits is woken once.
    private func post() {
        for loop in loops.indices {
            var messages: [LoopMessage] = []
            swap(&messages, &outbox[loop])
            loops[loop].send(contentsOf: messages)
        }
    }

    // MARK: Questions

    private func answer(_ question: RunQuestion, for loop: Int, at now: Moment) -> RegistryReply {
        switch question {
        case .run(let key, let isWatched):
            let run = registry.run(key)
            // Only of a run that is there: a watch ends with its next change, so there are never more than runs.
            if isWatched, run != nil { watchers[key, default: []].insert(loop) }
            return .run(run)
        case .history(let task, let scope):
            return .runs(leased(registry.history(of: task, in: scope), now), hasMore: false)
        case .page(let query):
            let page = registry.runs(matching: query)
            return .runs(leased(page.runs, now), hasMore: page.hasMore)
        }
    }

    private func leased(_ runs: [(RunKey, Run)], _ now: Moment) -> [LeasedRun] {
        runs.map { LeasedRun(key: $0, run: $1, expiresIn: registry.expiresIn($0, at: now.instant)) }
    }

    // MARK: Time

    private func sleep(after begin: Instant) {
        let now = Clock.now().instant
        let latest = now.advanced(byNanoseconds: Self.longestSleep)
        var wake = min(registry.nextWakeAt ?? latest, latest)
        // Who wanted to renew while the storage was slow waits in the mailbox, or unread behind it: the time since
        // the batch began counts for no lease.
        if now.nanoseconds - begin.nanoseconds > Self.longestSleep { wake = min(wake, begin) }
        askedFor = wake
        timer?.schedule(afterNanoseconds: UInt64(max(0, wake.nanoseconds - now.nanoseconds)))
    }

    private func finish() {
        if !backlog.isEmpty { _ = append(Array(backlog.values)) }
        journal.close()
        loop.stop()
    }
}
