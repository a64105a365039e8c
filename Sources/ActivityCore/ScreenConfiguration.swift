import IndicatorLayout

/// A task's exact name, or a prefix of names.
public enum TaskPattern: Hashable, Sendable {
    case exact(TaskName)
    /// Every name that starts with this text; `""` matches all. Written `prefix*`.
    case prefix(String)

    /// A task's name, or the start of one (possibly nothing) followed by `*`; nil for anything else.
    public init?(_ text: String) {
        guard text.utf8.last == UInt8(ascii: "*") else {
            guard let name = TaskName(text) else { return nil }
            self = .exact(name)
            return
        }
        // The last scalar, not the last character: some scalars join the `*` into one character with them.
        let prefix = String(text.unicodeScalars.dropLast())
        // A prefix may end in a dot, so it is checked as the start of a longer name.
        guard
            prefix.isEmpty || TaskName(prefix) != nil
                || (prefix.utf8.count < 128 && TaskName(prefix + "x") != nil)
        else { return nil }
        self = .prefix(prefix)
    }

    /// The pattern as it is written in a configuration.
    public var text: String {
        switch self {
        case .exact(let name): name.rawValue
        case .prefix(let prefix): prefix + "*"
        }
    }

    /// True when the pattern covers `task`.
    public func matches(_ task: TaskName) -> Bool {
        switch self {
        case .exact(let name): name == task
        case .prefix(let prefix): task.rawValue.utf8.starts(with: prefix.utf8)
        }
    }
}

/// When an indicator shows and hides. Each 0…60 s.
public struct Timing: Hashable, Sendable {
    /// How long work must last before it is shown, in milliseconds.
    public var startDelay: Int64
    /// How long an indicator stays visible at least, in milliseconds.
    public var minimumVisible: Int64
    /// How long it stays after the last end, in milliseconds.
    public var completionDelay: Int64

    /// Delays in milliseconds; all 0 shows what is, as it is.
    public init(startDelay: Int64 = 0, minimumVisible: Int64 = 0, completionDelay: Int64 = 0) {
        self.startDelay = startDelay
        self.minimumVisible = minimumVisible
        self.completionDelay = completionDelay
    }
}

/// Everything configured of a screen.
public struct ScreenConfiguration: Hashable, Sendable {
    /// The tasks whose runs it shows, at most 64; nil for `{screen}` and `{screen}.*`.
    public var tasks: [TaskPattern]?
    /// When it shows and hides; nil for the daemon's default.
    public var timing: Timing?
    /// How it looks.
    public var appearance: Appearance

    /// A configuration with all its members.
    public init(tasks: [TaskPattern]? = nil, timing: Timing? = nil, appearance: Appearance) {
        self.tasks = tasks
        self.timing = timing
        self.appearance = appearance
    }

    /// What `screen` has when nobody configured it.
    public static func standard(for screen: ScreenName) -> ScreenConfiguration {
        ScreenConfiguration(appearance: Appearance(regularTitle: screen.rawValue))
    }

    /// The patterns in force on `screen`.
    public func patterns(for screen: ScreenName) -> [TaskPattern] {
        tasks ?? Self.standardPatterns(for: screen)
    }

    /// `{screen}` and `{screen}.*`; the latter only if a task's name can be that long.
    public static func standardPatterns(for screen: ScreenName) -> [TaskPattern] {
        [screen.rawValue, screen.rawValue + ".*"].compactMap(TaskPattern.init)
    }
}
