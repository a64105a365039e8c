import ActivityCore

/// Where the next page of a list starts. Opaque to clients, and bound to the list's filter by a hash.
///
/// The text is base64url (RFC 4648, section 5, without padding) of 8 bytes of hash and the names of the last
/// item. A cursor that a client makes up reaches nothing that the filter would not list.
public enum Cursor {
    /// A cursor into the runs of `scope` with this filter (nil: all), after run `run` of task `task`.
    public static func afterRun(
        _ run: RunID, of task: TaskName, scope: Scope, taskFilter: TaskName?, state: RunState?
    ) -> String {
        encode(after: [task.rawValue, run.rawValue], filter: runFilter(scope, taskFilter, state))
    }

    /// The task and run that `text` stands after; nil when it is damaged or belongs to another filter.
    public static func run(
        from text: String, scope: Scope, taskFilter: TaskName?, state: RunState?
    ) -> (task: TaskName, run: RunID)? {
        guard let names = decode(text, filter: runFilter(scope, taskFilter, state)), names.count == 2,
            let task = TaskName(names[0]), let run = RunID(names[1])
        else { return nil }
        return (task, run)
    }

    /// A cursor into the screens of `scope`, after `screen`.
    public static func afterScreen(_ screen: ScreenName, scope: Scope) -> String {
        encode(after: [screen.rawValue], filter: ["screens", scope.rawValue])
    }

    /// The screen that `text` stands after; nil when it is damaged or belongs to another scope or list.
    public static func screen(from text: String, scope: Scope) -> ScreenName? {
        guard let names = decode(text, filter: ["screens", scope.rawValue]), names.count == 1 else {
            return nil
        }
        return ScreenName(names[0])
    }

    private static func runFilter(_ scope: Scope, _ task: TaskName?, _ state: RunState?) -> [String] {
        ["runs", scope.rawValue, task?.rawValue ?? "", state?.rawValue ?? ""]
    }

    private static func encode(after names: [String], filter: [String]) -> String {
        let position = names.joined(separator: "/")
        return Base64URL.encode(seal(of: position, filter) + position.utf8)
    }

    private static func decode(_ text: String, filter: [String]) -> [String]? {
        guard let bytes = Base64URL.decode(text), bytes.count > 8,
            let position = String(validating: bytes.dropFirst(8), as: UTF8.self),
            bytes.prefix(8).elementsEqual(seal(of: position, filter))
        else { return nil }
        return position.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    /// 8 bytes of a hash over the list's filter and the position; `/` is in no name.
    private static func seal(of position: String, _ filter: [String]) -> [UInt8] {
        let token = Token(of: Array((filter + [position]).joined(separator: "/").utf8))
        return (0..<8).map { UInt8(truncatingIfNeeded: token.rawValue >> UInt64(56 - 8 * $0)) }
    }
}
