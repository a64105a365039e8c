import ActivityCore
import HTTPCodec
import IndicatorLayout
import WireFormat

/// One screen as one viewer wants to see it.
struct ViewRequest: Hashable, Sendable {
    let screen: ScreenName
    let geometry: ViewGeometry
    /// The id as it was asked for, on requests of several screens.
    let label: String?
    /// What the viewer wants to know beside what every answer has.
    let extra: ScreenExtra?

    /// What its texts cost, in bytes.
    var textSize: Int { screen.rawValue.utf8.count + (label?.utf8.count ?? 0) }

    /// The screen at `geometry`.
    init(
        screen: ScreenName, geometry: ViewGeometry, label: String? = nil, extra: ScreenExtra? = nil
    ) {
        self.screen = screen
        self.geometry = geometry
        self.label = label
        self.extra = extra
    }

    /// `name` or `name:WIDTHxHEIGHT`; the size wins over that of `geometry`.
    init(id: String, geometry: ViewGeometry, extra: ScreenExtra? = nil) throws(Problem) {
        let parts = id.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let screen = ScreenName(String(first)) else {
            throw Problem.invalidName("screen")
        }
        var geometry = geometry
        if parts.count == 2 {
            let sides = parts[1].split(separator: "x", omittingEmptySubsequences: false).map {
                Double(decimal: String($0))
            }
            guard sides.count == 2, let width = sides[0], let height = sides[1], Bounds.side.contains(width),
                Bounds.side.contains(height)
            else {
                throw Problem.invalidParameter(
                    "id", "the size after the colon must be WIDTHxHEIGHT in points")
            }
            geometry.width = width
            geometry.height = height
        }
        self.init(screen: screen, geometry: geometry, label: id, extra: extra)
    }
}

/// Which screens are meant.
enum ScreenSelection {
    case one(ViewRequest)
    case several([ViewRequest])
    /// One page of the list without ids.
    case all(limit: Int, after: ScreenName?)
}

/// The media types in which an indicator is served, in the order of preference.
enum ScreenFormat: String, CaseIterable {
    case json, svg, png, sse

    static let ofOne = allCases
    /// Several indicators have no picture.
    static let ofSeveral = [json, sse]

    var mediaType: String {
        switch self {
        case .json: "application/json"
        case .svg: "image/svg+xml"
        case .png: "image/png"
        case .sse: "text/event-stream"
        }
    }
}

/// What an answer has beside what every answer has.
enum ScreenExtra: String, CaseIterable {
    /// What a client draws with.
    case appearance
    /// Whose runs the screen shows.
    case tasks
}

/// A reader's wishes for a heartbeat.
enum HeartbeatStyle: String, CaseIterable {
    case comment, event
}

/// A read of one, several or all screens.
struct ScreenRequest {
    let scope: Scope
    let chain: [Scope]
    let selection: ScreenSelection
    let format: ScreenFormat
    let heartbeat: HeartbeatStyle
    private let geometry: ViewGeometry
    private let extra: ScreenExtra?
    /// True when it asks for so many views that others should not have to wait for all of them.
    var isWide: Bool {
        switch selection {
        case .one: false
        case .several(let views): views.count > 16
        case .all: true
        }
    }

    /// The position that a reconnecting reader names; it counts only for a single screen.
    let lastEventID: Token?

    /// What it costs in memory, in bytes.
    var size: Int {
        let fixed = 320 + chain.reduce(0) { $0 + 64 + $1.rawValue.utf8.count }
        return switch selection {
        case .one(let view): fixed + view.textSize
        case .several(let views): views.reduce(fixed) { $0 + 240 + $1.textSize }
        case .all: fixed + 128
        }
    }

    /// - Parameter mostScreens: the most screens on one request.
    /// - Throws: `invalid-name`, `invalid-parameter`, `not-acceptable`.
    init(_ head: RequestHead, screen: ScreenName?, scope: Scope, mostScreens: Int) throws(Problem) {
        let parameters = Parameters(head.query)
        self.scope = scope
        chain = scope.chain
        format = try Self.format(
            head, parameters, among: screen == nil ? ScreenFormat.ofSeveral : ScreenFormat.ofOne)
        heartbeat = try parameters.choice("heartbeat", of: HeartbeatStyle.self) ?? .comment
        geometry = try parameters.geometry()
        extra = try parameters.choice("include", of: ScreenExtra.self)
        if format == .png, let scale = geometry.scale, !Picture.scales.contains(scale) {
            throw Problem.invalidParameter("scale", "of a PNG must be a number from 1 to 4")
        }
        if let screen {
            selection = .one(ViewRequest(screen: screen, geometry: geometry, extra: extra))
        } else {
            selection = try Self.selection(parameters, geometry, extra, scope, format, mostScreens)
        }
        let position = try parameters.text("last_event_id")
        lastEventID =
            head.value(of: .lastEventID).map { Token(hex: $0) } ?? position.flatMap { Token(hex: $0.utf8) }
    }

    /// True when a read of screens asks for an event stream.
    static func asksForStream(_ head: RequestHead, _ resource: Resource) -> Bool {
        switch resource {
        case .screen: (try? format(head, Parameters(head.query), among: ScreenFormat.ofOne)) == .sse
        case .screens: (try? format(head, Parameters(head.query), among: ScreenFormat.ofSeveral)) == .sse
        default: false
        }
    }

    private static func format(
        _ head: RequestHead, _ parameters: Parameters, among formats: [ScreenFormat]
    ) throws(Problem) -> ScreenFormat {
        if let text = try parameters.text("format") {
            guard let wished = ScreenFormat(rawValue: text), formats.contains(wished) else {
                let known = formats.map(\.rawValue).joined(separator: ", ")
                throw Problem.invalidParameter("format", "must be one of \(known)")
            }
            return wished
        }
        guard let best = head.accept.best(among: formats.compactMap { MediaType($0.mediaType) }) else {
            throw Problem.notAcceptable
        }
        return formats[best]
    }

    /// A screen without an id of its own, as this request wants to see it.
    func view(of screen: ScreenName, label: String? = nil) -> ViewRequest {
        ViewRequest(screen: screen, geometry: geometry, label: label, extra: extra)
    }

    private static func selection(
        _ parameters: Parameters, _ geometry: ViewGeometry, _ extra: ScreenExtra?, _ scope: Scope,
        _ format: ScreenFormat, _ mostScreens: Int
    ) throws(Problem) -> ScreenSelection {
        let ids = try parameters.all("id")
        if ids.isEmpty {
            let limit = format == .sse ? mostScreens : try parameters.limit()
            let after = try parameters.text("cursor").map { text throws(Problem) in
                guard let name = Cursor.screen(from: text, scope: scope) else { throw Problem.invalidCursor }
                return name
            }
            return .all(limit: limit, after: after)
        }
        guard ids.count <= mostScreens else {
            throw Problem.invalidParameter("id", "at most \(mostScreens) screens on one request")
        }
        var seen: Set<String> = []
        var views: [ViewRequest] = []
        for id in ids where seen.insert(id).inserted {
            views.append(try ViewRequest(id: id, geometry: geometry, extra: extra))
        }
        return .several(views)
    }
}
