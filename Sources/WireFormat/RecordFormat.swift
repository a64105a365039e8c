import ActivityCore

/// Why a stored record cannot be read.
public struct RecordError: Error, Hashable, Sendable {
    /// The record's key, as it is stored.
    public var key: String
    /// What is wrong, for the operator.
    public var detail: String
}

/// How records stand in a journal: a key, and a value of compact JSON (none: the key is forgotten).
///
/// Keys are `run/SCOPE/TASK/RUN` and `configuration/SCREEN`; `/` is in no name, and the root scope is empty.
/// Members that say nothing (nil, false, 0) are left out of a run. Round trips are exact, as long as numbers lie
/// within ±(2^53 − 1).
public enum RecordFormat {
    /// The key and value of a record.
    public static func encode(_ record: Record) -> (key: String, value: [UInt8]?) {
        switch record {
        case .run(let key, let run): (text(of: key), value(of: run))
        case .runForgotten(let key): (text(of: key), nil)
        case .configuration(let screen, let configuration):
            ("configuration/\(screen.rawValue)", value(of: configuration))
        case .configurationRemoved(let screen): ("configuration/\(screen.rawValue)", nil)
        }
    }

    /// The record of a key and its value.
    ///
    /// Throws for a key of another shape, a damaged value, and members that this version does not know, which a
    /// newer one wrote: to drop them would lose what it meant.
    public static func decode(key: String, value: [UInt8]?) throws(RecordError) -> Record {
        switch try parse(key) {
        case .run(let runKey):
            guard let value else { return .runForgotten(runKey) }
            return .run(runKey, try read(value, of: key) { $0.object { $0.run() } ?? nil })
        case .configuration(let screen):
            guard let value else { return .configurationRemoved(screen) }
            let configuration = try read(value, of: key) {
                $0.configuration(of: screen, defaultTiming: Timing())
            }
            return .configuration(screen, configuration)
        }
    }

    private enum Key {
        case run(RunKey)
        case configuration(ScreenName)
    }

    private static func text(of key: RunKey) -> String {
        "run/\(key.scope.rawValue)/\(key.task.rawValue)/\(key.run.rawValue)"
    }

    private static func parse(_ key: String) throws(RecordError) -> Key {
        // By bytes: to split by characters takes a microsecond, and a journal may hold 400 000 keys.
        let parts = key.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        if parts.count == 4, parts[0] == "run", let scope = parts[1].isEmpty ? .root : Scope(parts[1]),
            let task = TaskName(parts[2]), let run = RunID(parts[3])
        {
            return .run(RunKey(scope: scope, task: task, run: run))
        }
        if parts.count == 2, parts[0] == "configuration", let screen = ScreenName(parts[1]) {
            return .configuration(screen)
        }
        throw RecordError(key: key, detail: "The key is of no kind that this version knows.")
    }

    private static func read<Value>(
        _ value: [UInt8], of key: String, _ read: (Member) -> Value?
    ) throws(RecordError) -> Value {
        do {
            return try readDocument(value, read)
        } catch {
            throw RecordError(
                key: key, detail: "The value is damaged, or of a newer version: \(text(of: error))")
        }
    }

    private static func text(of error: BodyError) -> String {
        switch error {
        case .invalidJSON(let detail): detail
        case .invalidMembers(let faults):
            faults.map { "\($0.pointer) \($0.detail)" }.joined(separator: "; ")
        }
    }
}

// MARK: Reading

extension Members {
    /// A stored run. Its texts are taken as they are: a rule that grows stricter must not lose what is stored.
    fileprivate mutating func run() -> Run? {
        let state = required("state")?.word(of: RunState.self)
        let startedAt = required("startedAt")?.stored()
        let ordinal = required("ordinal")?.stored(from: 0)
        var declaration = RunDeclaration()
        declaration.title = self["title"]?.string("a string") { $0 }
        declaration.progress = self["progress"]?.object { $0.storedProgress() } ?? nil
        declaration.priority = self["priority"]?.stored().map(Int.init) ?? 0
        declaration.ttl = required("ttl")?.stored().map(Int.init) ?? 0
        declaration.isSilent = self["isSilent"]?.boolean() ?? false
        declaration.reason = self["reason"]?.string("a string") { $0 }
        let cancelRequested = self["cancelRequested"]?.boolean() ?? false
        let isLate = self["isLate"]?.boolean() ?? false
        let revivalCount = self["revivalCount"]?.stored(from: 0) ?? 0
        let endedAt = self["endedAt"]?.stored()
        let bodyHash = self["bodyHash"]?.string("16 hexadecimal digits") { Token(hex: $0.utf8)?.rawValue }
        let isRemembered = self["isRemembered"]?.boolean() ?? false
        guard let state, let startedAt, let ordinal else { return nil }
        declaration.state = state
        return Run(
            declaration: declaration, cancelRequested: cancelRequested, isLate: isLate,
            revivalCount: Int(revivalCount), startedAt: Timestamp(milliseconds: startedAt),
            endedAt: endedAt.map(Timestamp.init), ordinal: UInt64(ordinal),
            origin: bodyHash.map(RunOrigin.keyed) ?? .declared, isRemembered: isRemembered)
    }

    private mutating func storedProgress() -> Progress? {
        let completed = required("completed")?.stored(from: 0)
        let total = required("total")?.stored(from: 1)
        guard let completed, let total else { return nil }
        return Progress(completed: completed, total: total)
    }
}

extension Member {
    fileprivate func stored(from lowest: Int64 = -RunBody.largestInteger) -> Int64? {
        integer(in: lowest...RunBody.largestInteger)
    }
}

// MARK: Writing

extension RecordFormat {
    private static func value(of configuration: ScreenConfiguration) -> [UInt8] {
        var writer = JSONWriter(capacity: 768)
        writer.configuration(
            tasks: configuration.tasks, timing: configuration.timing, configuration.appearance)
        return writer.bytes
    }

    private static func value(of run: Run) -> [UInt8] {
        let declaration = run.declaration
        var writer = JSONWriter(capacity: 256)
        writer.literal(#"{"state":"#)
        writer.name(declaration.state.rawValue)
        writer.literal(#","startedAt":"#)
        writer.integer(run.startedAt.milliseconds)
        writer.literal(#","ordinal":"#)
        writer.integer(run.ordinal)
        writer.literal(#","ttl":"#)
        writer.integer(declaration.ttl)
        writer.present(#","title":"#, declaration.title) { $0.string($1) }
        writer.present(#","progress":"#, declaration.progress) { $0.progress($1) }
        writer.present(#","priority":"#, declaration.priority == 0 ? nil : declaration.priority) {
            $0.integer($1)
        }
        writer.flag(#","isSilent":true"#, declaration.isSilent)
        writer.present(#","reason":"#, declaration.reason) { $0.string($1) }
        writer.flag(#","cancelRequested":true"#, run.cancelRequested)
        writer.flag(#","isLate":true"#, run.isLate)
        writer.present(#","revivalCount":"#, run.revivalCount == 0 ? nil : run.revivalCount) {
            $0.integer($1)
        }
        writer.present(#","endedAt":"#, run.endedAt) { $0.integer($1.milliseconds) }
        if case .keyed(let bodyHash) = run.origin {
            writer.literal(#","bodyHash":"#)
            writer.token(Token(rawValue: bodyHash))
        }
        writer.flag(#","isRemembered":true"#, run.isRemembered)
        writer.literal("}")
        return writer.bytes
    }
}

extension JSONWriter {
    /// Appends a member, unless it has no value.
    fileprivate mutating func present<Value>(
        _ member: StaticString, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        literal(member)
        write(&self, value)
    }

    fileprivate mutating func flag(_ member: StaticString, _ isSet: Bool) {
        if isSet { literal(member) }
    }
}
