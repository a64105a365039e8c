import ActivityCore

/// The JSON of a run: what workers declare, and what is answered.
public enum RunBody {
    /// The largest whole number that every JSON reader takes as it is: 2^53 − 1.
    static let largestInteger: Int64 = 9_007_199_254_740_991

    /// What the body of a PUT or POST declares; an empty one is `{}`.
    ///
    /// A member that is null counts as absent, so it has its default. A number without a fraction is a whole
    /// number, however it is written (`3.0`, `3e0`).
    public static func declaration(from body: [UInt8]) throws(BodyError) -> RunDeclaration {
        try readBody(body) { body in
            body.object(
                readDeclaration, refusing: { $0 == "cancelRequested" ? "is set by PATCH only" : own($0) })
        }
    }

    /// The merge patch (RFC 7396) in the body of a PATCH; an empty one is `{}`.
    public static func patch(from body: [UInt8]) throws(BodyError) -> RunPatch {
        try readBody(body) { $0.object(readPatch, refusing: own) }
    }

    /// A run as GET answers it.
    public static func encode(_ key: RunKey, _ run: Run) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.untilLease(key, run)
        writer.afterLease(run)
        return writer.bytes
    }

    /// A run as PUT, PATCH and POST answer it, and its token: that of its GET body, so the lease has no part in it.
    ///
    /// - Parameter expiresIn: the seconds that its lease still has, shown to the millisecond; nil when it does
    ///   not run (shown as null). Below 0 counts as 0.
    public static func encode(_ key: RunKey, _ run: Run, expiresIn: Double?) -> (body: [UInt8], token: Token)
    {
        var writer = JSONWriter(capacity: 512)
        writer.untilLease(key, run)
        let place = writer.bytes.count
        writer.afterLease(run)
        let token = Token(of: writer.bytes)
        writer.insert(at: place) { $0.lease(expiresIn: expiresIn) }
        return (writer.bytes, token)
    }

    /// The token of a run: that of its GET body, so the lease has no part in it.
    public static func token(_ key: RunKey, _ run: Run) -> Token {
        Token(of: encode(key, run))
    }

    /// A page of runs, each with the seconds that its lease still has (nil when it does not run).
    ///
    /// - Parameter next: the cursor of the page after this one; nil on the last page.
    public static func list(_ items: [(key: RunKey, run: Run, expiresIn: Double?)], next: String?) -> [UInt8]
    {
        var writer = JSONWriter(capacity: 64 + 512 * items.count)
        writer.literal(#"{"items":"#)
        writer.array(items) { writer, item in
            writer.untilLease(item.key, item.run)
            writer.lease(expiresIn: item.expiresIn)
            writer.afterLease(item.run)
        }
        writer.next(next)
        writer.literal("}")
        return writer.bytes
    }
}

// MARK: Reading

extension RunBody {
    private static func readDeclaration(_ members: inout Members) -> RunDeclaration {
        RunDeclaration(
            state: members["state"]?.declaredState() ?? .running,
            title: members["title"]?.text(upTo: 200),
            progress: members["progress"]?.object(readProgress) ?? nil,
            priority: members["priority"]?.priority() ?? 0,
            ttl: members["ttl"]?.ttl() ?? 60,
            isSilent: members["isSilent"]?.boolean() ?? false,
            reason: members["reason"]?.text(upTo: 2_000))
    }

    private static func readProgress(_ members: inout Members) -> Progress? {
        let completed = members.required("completed")?.completed()
        let total = members.required("total")?.total()
        guard let completed, let total else { return nil }
        return Progress(completed: completed, total: total)
    }

    private static func readPatch(_ members: inout Members) -> RunPatch {
        var patch = RunPatch()
        patch.state = members.patch("state") { $0.declaredState() }
        patch.title = members.patch("title") { $0.text(upTo: 200) }
        patch.progress = members.patch("progress") { $0.object(readProgressPatch) }
        patch.priority = members.patch("priority") { $0.priority() }
        patch.ttl = members.patch("ttl") { $0.ttl() }
        patch.isSilent = members.patch("isSilent") { $0.boolean() }
        patch.reason = members.patch("reason") { $0.text(upTo: 2_000) }
        patch.requestsCancel = members.requestsCancel()
        return patch
    }

    private static func readProgressPatch(_ members: inout Members) -> ProgressPatch {
        ProgressPatch(
            completed: members.patch("completed") { $0.completed() },
            total: members.patch("total") { $0.total() })
    }

    /// Tells those who send back what GET answered why that is refused.
    private static func own(_ name: String) -> String? {
        switch name {
        case "task", "run", "scope", "expiresIn", "isLate", "revivalCount", "startedAt", "endedAt":
            "is told by the service, and cannot be declared"
        default: nil
        }
    }
}

extension Members {
    /// The request to stop, which only `true` makes and nothing takes back.
    fileprivate mutating func requestsCancel() -> Bool {
        guard let member = nullable("cancelRequested") else { return false }
        if !member.isTrue { member.refuse("must be true, which cannot be withdrawn") }
        return true
    }
}

extension Member {
    fileprivate func declaredState() -> RunState? {
        string("running, succeeded, failed or canceled (only the service finds a run lost)") {
            RunState(rawValue: $0).flatMap { $0 == .lost ? nil : $0 }
        }
    }

    fileprivate func priority() -> Int? { integer(in: -1_000...1_000) }
    fileprivate func ttl() -> Int? { integer(in: 5...86_400) }
    fileprivate func completed() -> Int64? { integer(in: 0...RunBody.largestInteger) }
    fileprivate func total() -> Int64? { integer(in: 1...RunBody.largestInteger) }
}

// MARK: Writing

extension JSONWriter {
    /// The members of a run that stand before what is left of its lease.
    fileprivate mutating func untilLease(_ key: RunKey, _ run: Run) {
        let declaration = run.declaration
        literal(#"{"task":"#)
        name(key.task.rawValue)
        literal(#","run":"#)
        name(key.run.rawValue)
        literal(#","scope":"#)
        name(key.scope.rawValue)
        literal(#","state":"#)
        name(declaration.state.rawValue)
        literal(#","title":"#)
        optional(declaration.title) { $0.string($1) }
        literal(#","progress":"#)
        optional(declaration.progress) { $0.progress($1) }
        literal(#","priority":"#)
        integer(declaration.priority)
        literal(#","ttl":"#)
        integer(declaration.ttl)
    }

    /// And those that stand behind it, to the end.
    fileprivate mutating func afterLease(_ run: Run) {
        let declaration = run.declaration
        literal(#","cancelRequested":"#)
        boolean(run.cancelRequested)
        literal(#","isSilent":"#)
        boolean(declaration.isSilent)
        literal(#","reason":"#)
        optional(declaration.reason) { $0.string($1) }
        literal(#","isLate":"#)
        boolean(run.isLate)
        literal(#","revivalCount":"#)
        integer(run.revivalCount)
        literal(#","startedAt":"#)
        timestamp(run.startedAt)
        literal(#","endedAt":"#)
        optional(run.endedAt) { $0.timestamp($1) }
        literal("}")
    }

    mutating func progress(_ progress: Progress) {
        literal(#"{"completed":"#)
        integer(progress.completed)
        literal(#","total":"#)
        integer(progress.total)
        literal("}")
    }

    fileprivate mutating func lease(expiresIn: Double?) {
        literal(#","expiresIn":"#)
        // A lease is at most 86 400 s and its slack; the clamp keeps whatever else from trapping.
        optional(expiresIn) { $0.thousandths(Int64((min(max(0, $1), 1e9) * 1_000).rounded())) }
    }

    /// Appends the cursor of the next page, if there is one.
    mutating func next(_ cursor: String?) {
        guard let cursor else { return }
        literal(#","next":"#)
        string(cursor)
    }
}
