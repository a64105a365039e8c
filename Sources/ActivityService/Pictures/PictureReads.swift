import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// Answers reads of screens with pictures. A picture is drawn once for all who ask for it meanwhile, and remembered by
/// all that it depends on. Confined to its loop.
final class PictureReads {
    /// The most pictures that are drawn for a loop at once; who asks for more is told to come again.
    private static let mostWaiting = 64
    /// What may be remembered, in bytes.
    private static let memory = 16 << 20

    private struct Reader {
        let caller: Caller
        let format: Picture.Format
    }

    private let number: Int
    private let board: Board
    private let renderer: Renderer
    private let painter: Mailbox<PainterMessage>
    private var pictures = BoundedCache<Token, [UInt8]>(limit: memory)
    private var waiting: [Token: [Reader]] = [:]

    /// - Parameter number: that of the loop.
    init(number: Int, board: Board, renderer: Renderer, painter: Mailbox<PainterMessage>) {
        self.number = number
        self.board = board
        self.renderer = renderer
        self.painter = painter
    }

    /// Answers a GET or HEAD, when the picture is there.
    ///
    /// - Throws: `invalid-parameter` for a picture that would be too large, `unavailable` when too many are waited for.
    func answer(_ view: ViewRequest, _ request: ScreenRequest, _ head: RequestHead, _ caller: Caller)
        throws(Problem)
    {
        let reading = board.read(view.screen, in: request.chain)
        let indicator = renderer.indicator(ViewKey(scope: request.scope, view: view), reading)
        let picture = try Picture(of: indicator, in: view.geometry, as: request.format)
        if let tags = head.entityTags(.ifNoneMatch), tags.matchesWeakly(picture.token.hex) {
            return caller.respond(Response(status: 304, fields: Self.fields(picture.token, nil)))
        }
        let reader = Reader(caller: caller, format: picture.format)
        if let file = pictures.value(for: picture.token) { return send(file, picture.token, to: reader) }
        let isNew = waiting[picture.token] == nil
        guard !isNew || waiting.count < Self.mostWaiting else {
            throw Problem.unavailable("too many pictures are being drawn")
        }
        caller.exchange.park(.write)
        waiting[picture.token, default: []].append(reader)
        if isNew { painter.send(.paint(picture, loop: number)) }
    }

    /// The painter has drawn it.
    func painted(_ token: Token, _ file: [UInt8]) {
        if !file.isEmpty { pictures.remember(file, for: token, size: file.count + 160) }
        for reader in waiting.removeValue(forKey: token) ?? [] { send(file, token, to: reader) }
    }

    private func send(_ file: [UInt8], _ token: Token, to reader: Reader) {
        guard !file.isEmpty else {
            return reader.caller.refuse(.unavailable("there is no memory for the picture"))
        }
        reader.caller.respond(
            Response(status: 200, fields: Self.fields(token, reader.format), body: file))
    }

    private static func fields(_ token: Token, _ format: Picture.Format?) -> [UInt8] {
        var lines = FieldLines()
        switch format {
        case .svg:
            lines.append("Content-Type", "image/svg+xml")
            // A title is foreign text. Opened as a page of its own, the picture may do nothing.
            lines.append("Content-Security-Policy", "default-src 'none'; sandbox")
        case .png: lines.append("Content-Type", "image/png")
        case nil: break
        }
        if format != nil { lines.append("X-Content-Type-Options", "nosniff") }
        lines.append("ETag", token.quoted)
        lines.append("Cache-Control", "private, no-cache")
        lines.append("Vary", "Accept, Prefer, Authorization")
        return lines.bytes
    }
}
