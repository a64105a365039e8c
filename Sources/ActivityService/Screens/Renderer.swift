import ActivityCore
import EventHTTP
import HTTPCodec
import IndicatorLayout
import PangoText
import WireFormat

/// One state of one view, in the forms in which GET answers with it. Confined to its loop.
final class RenderedView {
    private static let type = Array("Content-Type: application/json\r\n".utf8)
    /// What it costs beside its body, in bytes: the header lines, and the object.
    private static let fixedSize = 400

    /// The JSON body, `version` included.
    let body: [UInt8]
    let token: Token
    let isPending: Bool

    /// What it costs, in bytes.
    var size: Int { Self.fixedSize + body.count }
    /// The event that carries the body.
    var event: [UInt8] { EventStreamFormat.event(name: "state", id: token.hex, data: body) }

    /// The header lines of a GET that answers with the body: those of a 304, and its type before them.
    private(set) lazy var fields: [UInt8] = {
        var lines = FieldLines()
        lines.append("ETag", token.quoted)
        lines.append("Cache-Control", "private, no-cache")
        lines.append("Vary", "Accept, Prefer, Authorization")
        if isPending { lines.append("Retry-After", "2") }
        return Self.type + lines.bytes
    }()
    /// The header lines of a 304.
    var notModifiedFields: [UInt8] { Array(fields[Self.type.count...]) }

    init(body: [UInt8], token: Token, isPending: Bool) {
        // A copy without the room that the writer left at its end.
        self.body = body.withUnsafeBytes { Array($0) }
        self.token = token
        self.isPending = isPending
    }
}

/// One state of one view as the event that every subscriber of the view gets.
struct ViewEvent {
    let token: Token
    /// Framed once for all of them.
    let chunk: EventChunk

    init(body: [UInt8], token: Token) {
        self.token = token
        chunk = EventChunk(payload: EventStreamFormat.event(name: "state", id: token.hex, data: body))
    }
}

extension Token {
    /// The token as a strong entity tag.
    var quoted: [UInt8] { [UInt8(ascii: "\"")] + hex + [UInt8(ascii: "\"")] }
}

/// A screen in a scope, in one view.
struct ViewKey: Hashable {
    let scope: Scope
    let view: ViewRequest

    /// What its texts cost, in bytes.
    var textSize: Int { scope.rawValue.utf8.count + view.textSize }
}

/// Turns readings into bytes: one layout and one encoding per view and change. What is read is remembered until the
/// next change. Confined to its loop.
final class Renderer {
    private final class Memo {
        let reading: Reading
        let rendered: RenderedView

        init(_ reading: Reading, _ rendered: RenderedView) {
            self.reading = reading
            self.rendered = rendered
        }
    }

    /// What may be remembered, in bytes: half of it holds more than 10 000 screens that a dashboard asks for in turn.
    private static let memory = 32 << 20
    /// What a memo costs beside the view and its texts, in bytes: the object and its place in the dictionary.
    private static let memoSize = 480

    private let measurer: PangoTextMeasurer
    private var memos = BoundedCache<ViewKey, Memo>(limit: memory)

    init(measurer: PangoTextMeasurer) { self.measurer = measurer }

    /// `reading` as the viewers of `key` get it.
    func render(_ key: ViewKey, _ reading: Reading) -> RenderedView {
        if let memo = memos.value(for: key), memo.reading.shows(the: reading) { return memo.rendered }
        let (body, token) = draw(key, reading)
        let rendered = RenderedView(body: body, token: token, isPending: reading.state.isPending)
        let size = Self.memoSize + key.textSize + (reading.state.title?.utf8.count ?? 0) + rendered.size
        memos.remember(Memo(reading, rendered), for: key, size: size)
        return rendered
    }

    /// `reading` as the subscribers of `key` get it; they keep it themselves until the next change.
    func event(_ key: ViewKey, _ reading: Reading) -> ViewEvent {
        let (body, token) = draw(key, reading)
        return ViewEvent(body: body, token: token)
    }

    private func draw(_ key: ViewKey, _ reading: Reading) -> (body: [UInt8], token: Token) {
        let indicator = indicator(key, reading)
        return ScreenBody.encode(
            screen: key.view.screen, scope: key.scope, configuration: indicator.configuration,
            state: reading.state, frames: indicator.frames, view: key.view.label,
            tasks: key.view.extra == .tasks ? indicator.configuration.patterns(for: key.view.screen) : nil,
            drawnWith: key.view.extra == .appearance ? drawing(of: indicator, in: key.view.geometry) : nil)
    }

    /// What `indicator` is drawn with; a search bar's text is measured for nothing but that.
    private func drawing(of indicator: Indicator, in view: ViewGeometry) -> DrawnAppearance {
        let appearance = indicator.configuration.appearance
        var font = appearance.titleFont
        font.size *= view.fontScale ?? 1
        let families =
            switch indicator.frames {
            case .navigationBar(let frames): frames.fonts
            case .searchBar: measurer.metrics(of: indicator.title, in: font).families
            }
        let faces = measurer.fonts.faces(families: families, weight: font.weight)
        return DrawnAppearance(
            direction: view.direction ?? appearance.direction, activityStyle: appearance.activityStyle,
            titleColor: appearance.titleColor, titleFont: font, fonts: faces.map(DrawnAppearance.Font.init))
    }

    /// What the viewers of `key` see.
    func indicator(_ key: ViewKey, _ reading: Reading) -> Indicator {
        let configuration = reading.configuration?.value ?? .standard(for: key.view.screen)
        let appearance = configuration.appearance
        let state = reading.state
        let title = state.title ?? (state.isPending ? appearance.pendingTitle : appearance.regularTitle)
        let frames = IndicatorFrames(
            for: appearance, isPending: state.isPending, title: title, in: key.view.geometry,
            measuredBy: measurer)
        return Indicator(configuration: configuration, title: title, frames: frames)
    }
}

extension DrawnAppearance.Font {
    /// The face as our clients load it.
    fileprivate init(_ face: FontFace) {
        let weights = face.weights
        self.init(
            family: face.family,
            weight: weights.count == 1
                ? "\(weights.lowerBound)" : "\(weights.lowerBound) \(weights.upperBound)",
            source: "/fonts/\(face.name)")
    }
}

/// What one view shows, and where.
struct Indicator {
    let configuration: ScreenConfiguration
    let title: String
    let frames: IndicatorFrames
}
