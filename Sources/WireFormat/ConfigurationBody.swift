import ActivityCore
import IndicatorLayout

/// The JSON of a screen's configuration.
public enum ConfigurationBody {
    /// Reads the body of a PUT; an empty one is `{}`.
    ///
    /// Every member may be absent or null, also within `frame`, `titleFont`, `timing` and `iconSize`: it has its
    /// default then. How many tasks a screen may have is not checked here, but no more than 1 024 are read.
    ///
    /// - Parameter defaultTiming: what an absent member of a given `timing` object is.
    public static func decode(
        _ body: [UInt8], for screen: ScreenName, defaultTiming: Timing = Timing()
    ) throws(BodyError) -> ScreenConfiguration {
        try readBody(body) { $0.configuration(of: screen, defaultTiming: defaultTiming) }
    }

    /// Reads the file of `--screens`: an object of screen id → configuration, in the order of the file.
    ///
    /// Faults have pointers such as `/chats/timing/startDelay`.
    public static func decodeFile(
        _ bytes: [UInt8], defaultTiming: Timing = Timing()
    ) throws(BodyError) -> [(ScreenName, ScreenConfiguration)] {
        try readDocument(bytes) { file in
            var configurations: [(ScreenName, ScreenConfiguration)] = []
            file.eachMember { name, member in
                guard let screen = ScreenName(name) else {
                    return member.refuse("is not the name of a screen: 1 to 128 of A-Z a-z 0-9 . _ -")
                }
                member.configuration(of: screen, defaultTiming: defaultTiming)
                    .map { configurations.append((screen, $0)) }
            }
            return configurations
        }
    }

    /// The configuration as GET answers it, with its defaults filled in.
    ///
    /// - Parameter defaultTiming: the timing of screens that do not say.
    public static func encode(
        _ configuration: ScreenConfiguration, for screen: ScreenName, defaultTiming: Timing
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 768)
        writer.configuration(
            tasks: configuration.patterns(for: screen), timing: configuration.timing ?? defaultTiming,
            configuration.appearance)
        return writer.bytes
    }
}

// MARK: Reading

extension Member {
    /// A configuration of `screen`; nil after a fault.
    func configuration(of screen: ScreenName, defaultTiming: Timing) -> ScreenConfiguration? {
        object { members in
            let tasks = members["tasks"]?.elements(upTo: 1_024) {
                $0.string("a task's name, or the start of one followed by *", TaskPattern.init)
            }
            let timing = members["timing"]?.object { $0.timing(default: defaultTiming) }
            return ScreenConfiguration(
                tasks: tasks, timing: timing, appearance: members.appearance(of: screen))
        }
    }

    fileprivate func coordinate() -> Double? { number(in: Bounds.origin) }
    fileprivate func length() -> Double? { number(in: Bounds.side) }
    /// Seconds, kept as whole milliseconds.
    fileprivate func milliseconds() -> Int64? {
        number(in: Bounds.seconds).map { Int64(($0 * 1_000).rounded()) }
    }
}

extension Members {
    fileprivate mutating func appearance(of screen: ScreenName) -> Appearance {
        let kind = self["kind"]?.word(of: IndicatorKind.self) ?? .navigationBar
        var appearance = Appearance(kind: kind, regularTitle: screen.rawValue)
        set(&appearance.regularTitle, "regularTitle") { $0.text(upTo: 200) }
        set(&appearance.pendingTitle, "pendingTitle") { $0.text(upTo: 200) }
        set(&appearance.activityStyle, "activityStyle") { $0.word(of: ActivityStyle.self) }
        setMembers(of: &appearance.frame, "frame") { $0.rect(&$1) }
        set(&appearance.interItemSpace, "interItemSpace") { $0.length() }
        set(&appearance.titleColor, "titleColor") { $0.string("a colour as #rrggbb or #rrggbbaa", color) }
        setMembers(of: &appearance.titleFont, "titleFont") { $0.font(&$1) }
        set(&appearance.arrangement, "arrangement") { $0.word(of: Arrangement.self) }
        set(&appearance.direction, "direction") { $0.word(of: LayoutDirection.self) }
        appearance.scale = self["scale"]?.number(in: Bounds.scale)
        set(&appearance.icon, "icon") { $0.string("1 to 64 of A-Z a-z 0-9 . _ -", iconName) }
        setMembers(of: &appearance.iconSize, "iconSize") { $0.size(&$1) }
        return appearance
    }

    /// Sets `value` to what the member `name` says, if it says something valid.
    private mutating func set<Value>(_ value: inout Value, _ name: StaticString, _ read: (Member) -> Value?) {
        if let new = self[name].flatMap(read) { value = new }
    }

    /// Sets what the object `name` says of `value`.
    private mutating func setMembers<Value>(
        of value: inout Value, _ name: StaticString, _ read: (inout Members, inout Value) -> Void
    ) {
        _ = self[name]?.object { read(&$0, &value) }
    }

    private mutating func rect(_ rect: inout Rect) {
        set(&rect.x, "x") { $0.coordinate() }
        set(&rect.y, "y") { $0.coordinate() }
        set(&rect.width, "width") { $0.length() }
        set(&rect.height, "height") { $0.length() }
    }

    private mutating func size(_ size: inout Size) {
        set(&size.width, "width") { $0.length() }
        set(&size.height, "height") { $0.length() }
    }

    private mutating func font(_ font: inout TitleFont) {
        set(&font.family, "family") { $0.text(in: 1...100) }
        set(&font.size, "size") { $0.number(in: Bounds.fontSize) }
        set(&font.weight, "weight") { $0.integer(in: Bounds.fontWeight) }
    }

    fileprivate mutating func timing(default timing: Timing) -> Timing {
        var timing = timing
        set(&timing.startDelay, "startDelay") { $0.milliseconds() }
        set(&timing.minimumVisible, "minimumVisible") { $0.milliseconds() }
        set(&timing.completionDelay, "completionDelay") { $0.milliseconds() }
        return timing
    }
}

private func color(_ text: String) -> String? {
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6 || digits.count == 8 else { return nil }
    return digits.allSatisfy { Character(UnicodeScalar($0)).isHexDigit } ? text : nil
}

private func iconName(_ text: String) -> String? {
    let isValid = text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
    return isValid && (1...64).contains(text.utf8.count) ? text : nil
}

// MARK: Writing

extension JSONWriter {
    /// Appends a configuration; `tasks` and `timing` are left out when nil.
    mutating func configuration(tasks: [TaskPattern]?, timing: Timing?, _ appearance: Appearance) {
        literal(#"{"kind":"#)
        name(appearance.kind.rawValue)
        if let tasks {
            literal(#","tasks":"#)
            array(tasks) { $0.name($1.text) }
        }
        self.appearance(appearance)
        if let timing { self.timing(timing) }
        literal(#","icon":"#)
        name(appearance.icon)
        literal(#","iconSize":"#)
        size(appearance.iconSize)
        literal("}")
    }

    /// Appends the members from `regularTitle` to `scale`.
    private mutating func appearance(_ appearance: Appearance) {
        literal(#","regularTitle":"#)
        string(appearance.regularTitle)
        literal(#","pendingTitle":"#)
        string(appearance.pendingTitle)
        literal(#","activityStyle":"#)
        name(appearance.activityStyle.rawValue)
        literal(#","frame":"#)
        rect(appearance.frame)
        literal(#","interItemSpace":"#)
        number(appearance.interItemSpace)
        literal(#","titleColor":"#)
        name(appearance.titleColor)
        literal(",")
        titleFont(appearance.titleFont)
        literal(#","arrangement":"#)
        name(appearance.arrangement.rawValue)
        literal(#","direction":"#)
        name(appearance.direction.rawValue)
        literal(#","scale":"#)
        optional(appearance.scale) { $0.number($1) }
    }

    /// Appends the member `titleFont`.
    mutating func titleFont(_ font: TitleFont) {
        literal(#""titleFont":{"family":"#)
        string(font.family)
        literal(#","size":"#)
        number(font.size)
        literal(#","weight":"#)
        integer(font.weight)
        literal("}")
    }

    private mutating func timing(_ timing: Timing) {
        literal(#","timing":{"startDelay":"#)
        thousandths(timing.startDelay)
        literal(#","minimumVisible":"#)
        thousandths(timing.minimumVisible)
        literal(#","completionDelay":"#)
        thousandths(timing.completionDelay)
        literal("}")
    }
}
