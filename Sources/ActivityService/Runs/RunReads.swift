import AccessRules
import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// A read of one run that waits for another state than the caller has.
final class RunPoll: AgendaItem {
    let caller: Caller
    let key: RunKey
    let tags: EntityTags
    /// The token of what was there when it was parked, which is one of the tags.
    let token: Token
    let wait: Int
    let deadline: UInt64
    var isAnswered = false
    var agendaPlace: Int?

    init(caller: Caller, key: RunKey, tags: EntityTags, token: Token, wait: Int, deadline: UInt64) {
        self.caller = caller
        self.key = key
        self.tags = tags
        self.token = token
        self.wait = wait
        self.deadline = deadline
    }
}

/// Answers reads of runs: the registry is asked, so that leases are exact. Confined to its loop.
final class RunReads {
    private let loop: EventLoop
    private let access: AccessControl
    private let parked: Parked
    private let status: Status
    private let metrics: LoopMetrics
    private var agenda: Agenda<RunPoll>?
    private var polls: [RunKey: [ObjectIdentifier: RunPoll]] = [:]

    init(
        loop: EventLoop, access: AccessControl, parked: Parked, status: Status, metrics: LoopMetrics
    ) {
        self.loop = loop
        self.access = access
        self.parked = parked
        self.status = status
        self.metrics = metrics
        agenda = Agenda(loop: loop) { [unowned self] in conclude($0, inDrain: false) }
    }

    // MARK: One run

    func run(_ key: RunKey, _ head: RequestHead, _ caller: Caller) {
        let tags = head.entityTags(.ifNoneMatch)
        let wait = tags == nil || caller.exchange.isHead ? nil : head.wait
        caller.exchange.park(.write)
        let waits = (wait ?? 0) > 0
        parked.send({ .question(.run(key, isWatched: waits), $0) }) { [self] reply in
            guard case .run(let run) = reply else { return }
            guard let run else { return caller.refuse(Problem(Refusal.notFound)) }
            let token = RunBody.token(key, run)
            guard let tags, tags.matchesWeakly(token.hex) else { return send(key, run, caller, wait: wait) }
            guard let wait, wait > 0, status.drainStep.rawValue < DrainStep.closing.rawValue else {
                return sendNothingNew(caller, token, wait: wait, inDrain: wait != nil && wait != 0)
            }
            park(
                RunPoll(
                    caller: caller, key: key, tags: tags, token: token, wait: wait,
                    deadline: loop.now + UInt64(wait) * 1_000_000_000))
        }
    }

    private func park(_ poll: RunPoll) {
        polls[poll.key, default: [:]][ObjectIdentifier(poll)] = poll
        metrics.parked()
        poll.caller.exchange.context = poll
        poll.caller.exchange.park(.longPoll)
        agenda?.schedule(poll, at: poll.deadline)
    }

    /// A watched run changed; nil when it is no longer known.
    func changed(_ key: RunKey, _ run: Run?) {
        guard let waiting = polls[key]?.values else { return }
        for poll in Array(waiting) {
            if let run, poll.tags.matchesWeakly(RunBody.token(key, run).hex) { continue }
            forget(poll)
            guard let run else {
                poll.caller.refuse(Problem(Refusal.notFound))
                continue
            }
            send(key, run, poll.caller, wait: poll.wait)
        }
        guard polls[key] != nil else { return }
        // Who still waits, because the run is again what it was, is told of the next change too.
        parked.send({ .question(.run(key, isWatched: true), $0) }) { [self] reply in
            if case .run(let newest) = reply, newest != run { changed(key, newest) }
        }
    }

    /// Takes a poll out; its client gets no answer by this.
    func forget(_ poll: RunPoll) {
        guard !poll.isAnswered else { return }
        poll.isAnswered = true
        metrics.unparked()
        agenda?.cancel(poll)
        polls[poll.key]?[ObjectIdentifier(poll)] = nil
        if polls[poll.key]?.isEmpty == true { polls[poll.key] = nil }
    }

    /// Answers a parked poll now, with 304.
    func conclude(_ poll: RunPoll, inDrain: Bool) {
        guard !poll.isAnswered else { return }
        forget(poll)
        sendNothingNew(poll.caller, poll.token, wait: poll.wait, inDrain: inDrain)
    }

    /// Answers every parked poll, since the daemon is shutting down.
    func concludeAll() {
        for poll in polls.values.flatMap(\.values) { conclude(poll, inDrain: true) }
    }

    /// Answers those that may no longer read what they wait for.
    func refuseForbidden() {
        for poll in polls.values.flatMap(\.values) {
            let need = AccessNeed.task(.readTasks, poll.key.task, in: poll.key.scope)
            guard let problem = access.refusal(of: need, to: poll.caller.credential) else { continue }
            forget(poll)
            poll.caller.refuse(problem)
        }
    }

    private func send(_ key: RunKey, _ run: Run, _ caller: Caller, wait: Int?) {
        let body = RunBody.encode(key, run)
        var response = Response.json(status: 200, body, token: Token(of: body))
        if let wait { response.fields += Array("Preference-Applied: wait=\(wait)\r\n".utf8) }
        caller.respond(response)
    }

    private func sendNothingNew(_ caller: Caller, _ token: Token, wait: Int?, inDrain: Bool) {
        var lines = FieldLines()
        lines.append("ETag", token.quoted)
        lines.append("Cache-Control", "private, no-cache")
        if let wait { lines.append("Preference-Applied", "wait=\(wait)") }
        if inDrain { lines.append("Retry-After", "2") }
        caller.respond(Response(status: 304, fields: lines.bytes))
    }

    // MARK: Lists

    func history(of task: TaskName, _ scope: Scope, _ caller: Caller) {
        caller.exchange.park(.write)
        parked.send({ .question(.history(task, scope), $0) }) { [self] reply in
            guard case .runs(let runs, _) = reply else { return }
            answer(runs, next: nil, caller)
        }
    }

    func list(_ scope: Scope, _ head: RequestHead, _ caller: Caller) {
        let query: RunQuery
        do throws(Problem) {
            query = try Self.query(scope, head)
        } catch {
            return caller.refuse(error)
        }
        caller.exchange.park(.write)
        parked.send({ .question(.page(query), $0) }) { [self] reply in
            guard case .runs(let runs, let hasMore) = reply else { return }
            let next = hasMore ? runs.last.map { Self.cursor(after: $0.key, query) } : nil
            answer(runs, next: next, caller)
        }
    }

    /// Encodes the list, of up to 2 MB, when its turn comes: answers to writes do not wait behind it.
    private func answer(_ runs: [LeasedRun], next: String?, _ caller: Caller) {
        loop.queue {
            let body = RunBody.list(runs.map { ($0.key, $0.run, $0.expiresIn) }, next: next)
            caller.respond(.json(status: 200, body, token: nil))
        }
    }

    private static func query(_ scope: Scope, _ head: RequestHead) throws(Problem) -> RunQuery {
        let parameters = Parameters(head.query)
        let state = try parameters.choice("state", of: StateFilter.self) ?? .running
        var task: TaskName?
        if let text = try parameters.text("task") {
            guard let name = TaskName(text) else { throw Problem.invalidName("task") }
            task = name
        }
        var query = RunQuery(scope: scope, state: RunState(rawValue: state.rawValue), task: task)
        query.limit = try parameters.limit()
        if let text = try parameters.text("cursor") {
            guard let after = Cursor.run(from: text, scope: scope, taskFilter: task, state: query.state)
            else {
                throw Problem.invalidCursor
            }
            query.after = after
        }
        return query
    }

    private static func cursor(after key: RunKey, _ query: RunQuery) -> String {
        Cursor.afterRun(key.run, of: key.task, scope: query.scope, taskFilter: query.task, state: query.state)
    }
}

/// The values of `state=`.
private enum StateFilter: String, CaseIterable {
    case running, lost, succeeded, failed, canceled, all
}
