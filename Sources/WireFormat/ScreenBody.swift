import ActivityCore
import IndicatorLayout

/// The JSON of a screen's indicator.
public enum ScreenBody {
    /// One screen as GET answers it and as an event's data, on one line, and the token that is its `version`.
    ///
    /// - Parameters:
    ///   - configuration: the one in force; its titles stand in for those that `state` leaves open.
    ///   - frames: of the kind that the configuration says.
    ///   - view: the id as the client asked for it, such as `b:390x44`, where several screens are answered.
    ///   - tasks: the tasks whose runs it shows, for a client that asks.
    ///   - drawing: for a client that draws by itself.
    public static func encode(
        screen: ScreenName, scope: Scope, configuration: ScreenConfiguration, state: IndicatorState,
        frames: IndicatorFrames, view: String? = nil, tasks: [TaskPattern]? = nil,
        drawnWith drawing: DrawnAppearance? = nil
    ) -> (body: [UInt8], token: Token) {
        var writer = JSONWriter(capacity: 1_024)
        writer.literal(#"{"screen":"#)
        writer.name(screen.rawValue)
        writer.literal(#","scope":"#)
        writer.name(scope.rawValue)
        if let view {
            writer.literal(#","view":"#)
            writer.string(view)
        }
        writer.indicator(state, configuration.appearance)
        switch frames {
        case .navigationBar(let frames): writer.navigationBar(frames)
        case .searchBar(let frames): writer.searchBar(frames)
        }
        if let tasks {
            writer.literal(#","tasks":"#)
            writer.array(tasks) { $0.name($1.text) }
        }
        if let drawing { writer.drawing(drawing) }
        return writer.finishedWithVersion()
    }

    /// Several screens in one answer, and the token that is its `version`.
    ///
    /// - Parameters:
    ///   - screens: bodies that ``encode(screen:scope:configuration:state:frames:view:)`` made.
    ///   - next: the cursor of the page after this one; nil on the last page.
    public static func several(_ screens: [[UInt8]], next: String?) -> (body: [UInt8], token: Token) {
        var writer = JSONWriter(capacity: screens.reduce(64) { $0 + $1.count + 1 })
        writer.literal(#"{"screens":"#)
        writer.array(screens) { $0.json($1) }
        writer.next(next)
        return writer.finishedWithVersion()
    }
}

extension ScreenBody {
    /// The token of a picture: that of all that it is drawn from, so that no two pictures have the same.
    ///
    /// - Parameter variant: in which way it is drawn, such as its format and scale.
    public static func pictureToken(
        title: String, appearance: Appearance, frames: IndicatorFrames, variant: String
    ) -> Token {
        var writer = JSONWriter(capacity: 1_024)
        writer.literal("[")
        writer.string(variant)
        writer.literal(",")
        writer.string(title)
        writer.literal(",")
        writer.configuration(tasks: [], timing: Timing(), appearance)
        writer.literal(",{\"frames\":0")
        switch frames {
        case .navigationBar(let frames): writer.navigationBar(frames)
        case .searchBar(let frames): writer.searchBar(frames)
        }
        writer.literal("}]")
        return Token(of: writer.bytes)
    }
}

extension JSONWriter {
    /// Closes the outermost object, takes the token of that, and adds it as the last member, `version`.
    fileprivate mutating func finishedWithVersion() -> (body: [UInt8], token: Token) {
        literal("}")
        let token = Token(of: bytes)
        reopenObject()
        literal(#","version":"#)
        self.token(token)
        literal("}")
        return (bytes, token)
    }

    /// Appends the members from `kind` to `pendingSince`.
    fileprivate mutating func indicator(_ state: IndicatorState, _ appearance: Appearance) {
        let title =
            state.isPending ? state.title ?? appearance.pendingTitle : state.title ?? appearance.regularTitle
        literal(#","kind":"#)
        name(appearance.kind.rawValue)
        literal(#","isPending":"#)
        boolean(state.isPending)
        if appearance.kind == .searchBar {
            literal(#","isLoading":"#)
            boolean(state.isPending)
        }
        literal(#","title":"#)
        string(title)
        literal(#","fractionCompleted":"#)
        optional(state.thousandths) { $0.thousandths(Int64($1)) }
        literal(#","announcement":"#)
        string(state.isPending ? title : "")
        literal(#","runCount":"#)
        integer(state.runCount)
        literal(#","pendingSince":"#)
        optional(state.pendingSince) { $0.timestamp($1) }
    }

    fileprivate mutating func navigationBar(_ frames: NavigationBarFrames) {
        literal(#","layout":{"bounds":"#)
        rect(frames.bounds)
        literal(#","activityIndicator":"#)
        optional(frames.activityIndicator) { $0.rect($1) }
        literal(#","titleLabel":"#)
        optional(frames.titleLabel) { $0.rect($1) }
        literal(#","isTruncated":"#)
        boolean(frames.isTruncated)
        literal(#","preferredSize":"#)
        size(frames.preferredSize)
        if let frame = frames.frameInBar {
            literal(#","frameInBar":"#)
            rect(frame)
        }
        literal(#","fonts":"#)
        array(frames.fonts) { $0.string($1) }
        literal("}")
    }

    fileprivate mutating func searchBar(_ frames: SearchBarFrames) {
        literal(#","layout":{"bounds":"#)
        rect(frames.bounds)
        literal(#","field":"#)
        rect(frames.field)
        literal(#","leftView":"#)
        optional(frames.leftView) { $0.leftView($1, content: frames.content, icon: frames.icon) }
        literal(#","activityIndicator":"#)
        optional(frames.activityIndicator) { $0.rect($1) }
        literal(#","textField":"#)
        optional(frames.textField) { $0.rect($1) }
        literal("}")
    }

    private mutating func leftView(_ frame: Rect, content: LeftViewContent, icon: String) {
        literal("{")
        edges(frame)
        literal(#","content":"#)
        name(content.rawValue)
        literal(#","icon":"#)
        name(icon)
        literal("}")
    }

    mutating func rect(_ rect: Rect) {
        literal("{")
        edges(rect)
        literal("}")
    }

    private mutating func edges(_ rect: Rect) {
        literal(#""x":"#)
        number(rect.x)
        literal(#","y":"#)
        number(rect.y)
        literal(#","width":"#)
        number(rect.width)
        literal(#","height":"#)
        number(rect.height)
    }

    mutating func size(_ size: Size) {
        literal(#"{"width":"#)
        number(size.width)
        literal(#","height":"#)
        number(size.height)
        literal("}")
    }
}
