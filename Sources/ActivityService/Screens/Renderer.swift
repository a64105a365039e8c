import ActivityCore
import EventHTTP
import HTTPCodec
import IndicatorLayout
import PangoText
import WireFormat

/// One state of one view, in the forms in which it is sent. Confined to its loop.
final class RenderedView {
    /// The JSON body, `version` included.
    let body: [UInt8]
    let token: Token
    let isPending: Bool

    /// The event that carries the body.
    var event: [UInt8] { EventStreamFormat.event(name: "state", id: token.hex, data: body) }
    /// The event, framed once for every reader.
    private(set) lazy var chunk = EventChunk(payload: event)

    /// The header lines of a GET that answers with the body.
    private(set) lazy var fields = ScreenFields.bytes(
        token: token, isPending: isPending, type: "application/json")
    /// The header lines of a 304.
    private(set) lazy var notModifiedFields = ScreenFields.bytes(
        token: token, isPending: isPending, type: nil)

    init(body: [UInt8], token: Token, isPending: Bool) {
        self.body = body
        self.token = token
        self.isPending = isPending
    }
}

/// The header lines of an indicator as JSON.
enum ScreenFields {
    static func bytes(token: Token, isPending: Bool, type: String?) -> [UInt8] {
        var lines = FieldLines()
        if let type { lines.append("Content-Type", type) }
        lines.append("ETag", token.quoted)
        lines.append("Cache-Control", "private, no-cache")
        lines.append("Vary", "Accept, Prefer, Authorization")
        if isPending { lines.append("Retry-After", "2") }
        return lines.bytes
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
}

/// Turns readings into bytes: one layout and one encoding per view and change, remembered until the next change.
/// Confined to its loop.
final class Renderer {
    private struct Memo {
        let reading: Reading
        let rendered: RenderedView
    }

    /// The most views remembered; beyond it all are forgotten and come back as they are asked for.
    private static let capacity = 4_096

    private let measurer: PangoTextMeasurer
    private var memos: [ViewKey: Memo] = [:]

    init(measurer: PangoTextMeasurer) { self.measurer = measurer }

    /// `reading` as the viewers of `key` get it.
    func render(_ key: ViewKey, _ reading: Reading) -> RenderedView {
        if let memo = memos[key], memo.reading.shows(the: reading) { return memo.rendered }
        if memos.count >= Self.capacity { memos.removeAll(keepingCapacity: true) }
        let rendered = draw(key, reading)
        memos[key] = Memo(reading: reading, rendered: rendered)
        return rendered
    }

    private func draw(_ key: ViewKey, _ reading: Reading) -> RenderedView {
        let screen = key.view.screen
        let configuration = reading.configuration?.value ?? .standard(for: screen)
        let state = reading.state
        let appearance = configuration.appearance
        let title = state.title ?? (state.isPending ? appearance.pendingTitle : appearance.regularTitle)
        let frames = IndicatorFrames(
            for: appearance, isPending: state.isPending, title: title, in: key.view.geometry,
            measuredBy: measurer)
        let (body, token) = ScreenBody.encode(
            screen: screen, scope: key.scope, configuration: configuration, state: state, frames: frames,
            view: key.view.label)
        return RenderedView(body: body, token: token, isPending: state.isPending)
    }
}
