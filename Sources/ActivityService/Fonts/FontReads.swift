import EventHTTP
import HTTPCodec
import PangoText
import WireFormat

/// Serves the fonts that texts were measured with. Confined to its loop.
///
/// They are read on the painter's thread, part by part, each when its reader has taken the one before: a font may have
/// megabytes, and a loop waits for no disk.
final class FontReads {
    /// The most parts that are read for a loop at once, before who asks for another font is told to come again.
    private static let mostWaiting = 64
    /// In bytes.
    private static let partSize = 256 << 10

    /// Who waits for a part.
    private enum Reader {
        case first(Caller, FontFace)
        case next(ResponseBody)
    }

    /// Where the parts of a body come from.
    private final class Source {
        let file: FontFile

        init(_ file: FontFile) { self.file = file }
    }

    private let number: Int
    private let catalog: FontCatalog
    private let painter: Mailbox<PainterMessage>
    private var waiting: [UInt64: Reader] = [:]
    private var lastRead: UInt64 = 0

    /// - Parameter number: that of the loop.
    init(number: Int, catalog: FontCatalog, painter: Mailbox<PainterMessage>) {
        self.number = number
        self.catalog = catalog
        self.painter = painter
    }

    /// Answers a GET or HEAD, when the first part is there. Nothing of `name` but its being known ever counts.
    ///
    /// - Throws: `not-found` for a name that no font has, `unavailable` when too many are waited for.
    func answer(_ name: String, _ head: RequestHead, _ caller: Caller) throws(Problem) {
        guard let face = catalog.face(named: name) else { throw Problem.noSuchResource }
        if let tags = head.entityTags(.ifNoneMatch), tags.matchesWeakly(Array(face.digest.utf8)) {
            return caller.exchange.respond(
                Response(status: 304, fields: Self.fields(face, isModified: false)))
        }
        guard waiting.count < Self.mostWaiting else {
            throw Problem.unavailable("too many fonts are being read")
        }
        caller.exchange.park(.write)
        let count = caller.exchange.isHead ? 0 : Self.partSize
        ask(for: .face(face), at: 0, count: count, .first(caller, face))
    }

    /// A part was read; nil if it is not there any more.
    func read(_ number: UInt64, _ part: FontPart?) {
        switch waiting.removeValue(forKey: number) {
        case .first(let caller, let face): begin(with: part, face, caller)
        case .next(let body):
            guard let part else { return body.abandon() }
            body.send(part.bytes)
            if body.isDrained { drained(body) }
        case nil: break
        }
    }

    /// All that was sent of `body` has been taken.
    func drained(_ body: ResponseBody) {
        guard body.isOpen, let source = body.context as? Source else { return }
        ask(
            for: .file(source.file), at: source.file.byteCount - body.remaining, count: Self.partSize,
            .next(body))
    }

    private func begin(with part: FontPart?, _ face: FontFace, _ caller: Caller) {
        guard let part else { return caller.refuse(.noSuchResource) }
        // Not with the caller's lines: who may load a font does not depend on who may read a state.
        let body = caller.exchange.openBody(
            fields: Self.fields(face, isModified: true), length: part.file.byteCount, first: part.bytes)
        guard let body else { return }
        body.context = Source(part.file)
        if body.isDrained { drained(body) }
    }

    private func ask(for source: FontRead.Source, at position: Int, count: Int, _ reader: Reader) {
        lastRead += 1
        waiting[lastRead] = reader
        let read = FontRead(number: lastRead, source: source, position: position, count: count)
        painter.send(.read(read, loop: number))
    }

    private static func fields(_ face: FontFace, isModified: Bool) -> [UInt8] {
        var lines = FieldLines()
        lines.append("ETag", "\"\(face.digest)\"")
        // The name changes with the content.
        lines.append("Cache-Control", "public, max-age=31536000, immutable")
        lines.append("Access-Control-Allow-Origin", "*")
        lines.append("Cross-Origin-Resource-Policy", "cross-origin")
        lines.append("X-Content-Type-Options", "nosniff")
        if isModified { lines.append("Content-Type", "font/\(face.format.rawValue)") }
        return lines.bytes
    }
}
