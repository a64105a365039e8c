import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// Turns writes of runs and configurations into commands, and what became of them into answers.
struct RunWrites {
    let access: AccessControl
    let parked: Parked
    let defaultTiming: Timing

    // MARK: Runs

    func put(_ key: RunKey, _ head: RequestHead, _ body: [UInt8], _ caller: Caller) {
        guard
            let declaration = decode(caller, { () throws(BodyError) in try RunBody.declaration(from: body) })
        else {
            return
        }
        send(.put(key, declaration), head, caller) { answer($0, key, caller) }
    }

    func patch(_ key: RunKey, _ head: RequestHead, _ body: [UInt8], _ caller: Caller) {
        guard let patch = decode(caller, { () throws(BodyError) in try RunBody.patch(from: body) }) else {
            return
        }
        guard patch.needs(of: key).allSatisfy({ access.allows($0, to: caller.credential) }) else {
            return caller.refuse(Problem.forbidden)
        }
        send(.patch(key, patch), head, caller) { answer($0, key, caller) }
    }

    func delete(_ key: RunKey, _ head: RequestHead, _ caller: Caller) {
        send(.delete(key), head, caller) { answer($0, key, caller) }
    }

    /// Starts a run whose id is the `Idempotency-Key`, or one that we make.
    func post(_ task: TaskName, _ scope: Scope, _ head: RequestHead, _ body: [UInt8], _ caller: Caller) {
        guard
            let declaration = decode(caller, { () throws(BodyError) in try RunBody.declaration(from: body) })
        else {
            return
        }
        let keys = head.values(of: .idempotencyKey)
        guard keys.count <= 1, let run = keys.first.map(Self.key) ?? Self.freshID() else {
            return caller.refuse(
                Problem(
                    .invalidParameter, "The Idempotency-Key is \"K\", where K is a run id, and stands once.",
                    [.parameter("Idempotency-Key")]))
        }
        let key = RunKey(scope: scope, task: task, run: run)
        let origin = keys.isEmpty ? RunOrigin.declared : .keyed(bodyHash: Token(of: body).rawValue)
        send(.post(key, declaration, origin), head, caller) {
            answer($0, key, caller, location: Self.path(of: key))
        }
    }

    /// A structured field's string whose text is a run id, with or without its quotes.
    private static func key(_ field: ArraySlice<UInt8>) -> RunID? {
        let quote = UInt8(ascii: "\"")
        let isQuoted = field.count >= 2 && field.first == quote && field.last == quote
        return RunID(String(decoding: isQuoted ? field.dropFirst().dropLast() : field, as: UTF8.self))
    }

    private static func freshID() -> RunID? {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
        return RunID(
            String(decoding: (0..<16).map { _ in digits.randomElement() ?? digits[0] }, as: UTF8.self))
    }

    private static func path(of key: RunKey) -> String {
        let prefix = key.scope == .root ? "/v1" : "/v1/scopes/\(key.scope.rawValue)"
        return "\(prefix)/tasks/\(key.task.rawValue)/runs/\(key.run.rawValue)"
    }

    // MARK: Configurations

    func configure(_ screen: ScreenName, _ head: RequestHead, _ body: [UInt8], _ caller: Caller) {
        let configuration = decode(caller) { () throws(BodyError) in
            try ConfigurationBody.decode(body, for: screen, defaultTiming: defaultTiming)
        }
        guard let configuration else { return }
        send(.configure(screen, configuration), head, caller) { reply in
            guard case .outcome(.configured(let configuration, let isNew)) = reply else {
                return refuse(reply, caller)
            }
            let body = ConfigurationBody.encode(configuration, for: screen, defaultTiming: defaultTiming)
            caller.respond(.json(status: isNew ? 201 : 200, body, token: Token(of: body)))
        }
    }

    func removeConfiguration(_ screen: ScreenName, _ head: RequestHead, _ caller: Caller) {
        send(.removeConfiguration(screen), head, caller) { reply in
            guard case .outcome(.deleted) = reply else { return refuse(reply, caller) }
            caller.respond(Response(status: 204))
        }
    }

    // MARK: Sending and answering

    private func decode<Value>(_ caller: Caller, _ read: () throws(BodyError) -> Value) -> Value? {
        do throws(BodyError) {
            return try read()
        } catch {
            caller.refuse(Problem(error))
            return nil
        }
    }

    private func send(
        _ command: Command, _ head: RequestHead, _ caller: Caller, _ answer: @escaping (RegistryReply) -> Void
    ) {
        let preconditions = Preconditions(
            ifMatch: head.entityTags(.ifMatch), ifNoneMatch: head.entityTags(.ifNoneMatch))
        caller.exchange.park(.write)
        parked.send({ .change(command, preconditions, $0) }, answer)
    }

    private func answer(_ reply: RegistryReply, _ key: RunKey, _ caller: Caller, location: String? = nil) {
        switch reply {
        case .outcome(.created(let run, let expiresIn)):
            caller.respond(.run(key, run, expiresIn: expiresIn, status: 201, location: location))
        case .outcome(.updated(let run, let expiresIn)):
            caller.respond(.run(key, run, expiresIn: expiresIn, status: 200, location: location))
        case .outcome(.deleted): caller.respond(Response(status: 204))
        case .outcome, .preconditionFailed, .unavailable, .run, .runs: refuse(reply, caller)
        }
    }

    private func refuse(_ reply: RegistryReply, _ caller: Caller) {
        switch reply {
        case .outcome(.refused(let refusal)): caller.refuse(Problem(refusal))
        case .preconditionFailed(let current):
            caller.refuse(
                Problem(
                    .preconditionFailed, "The precondition does not hold for what is there.",
                    [.current(current)]))
        case .unavailable: caller.refuse(.unavailable("the journal cannot be written"))
        case .outcome, .run, .runs: preconditionFailure("The registry answers what it was asked.")
        }
    }
}

extension Response {
    /// A JSON document with its entity tag.
    static func json(status: Int, _ body: [UInt8], token: Token?, location: String? = nil) -> Response {
        var lines = FieldLines()
        lines.append("Content-Type", "application/json")
        if let token { lines.append("ETag", token.quoted) }
        lines.append("Cache-Control", "private, no-cache")
        if let location { lines.append("Location", location) }
        return Response(status: status, fields: lines.bytes, body: body)
    }

    /// The answer to a change of a run.
    static func run(_ key: RunKey, _ run: Run, expiresIn: Double?, status: Int, location: String?) -> Response
    {
        let (body, token) = RunBody.encode(key, run, expiresIn: expiresIn)
        return .json(status: status, body, token: token, location: location)
    }
}
