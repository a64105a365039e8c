import HTTPCodec

/// Turns a connection's bytes into requests. No socket, no clock.
///
/// The caller passes bytes from its receive buffer; what they leave incomplete is kept here, so that a connection
/// between two requests owns no buffer.
final class RequestReader {
    enum Step {
        /// What was given is used up, or begins something that is not complete.
        case needsMore
        /// A head is complete; `beginBody` must follow before the next step, unless there is no body.
        case head(RequestHead)
        /// The body that was begun is complete.
        case body([UInt8])
        /// Nothing after this can be read.
        case refused(FramingError)
    }

    private let limits: CodecLimits
    private var parser: HeadParser
    private var decoder: BodyDecoder?
    private var body: [UInt8] = []
    /// Bytes received but not yet read.
    private(set) var kept: [UInt8] = []

    init(limits: CodecLimits) {
        self.limits = limits
        parser = HeadParser(limits: limits)
    }

    /// Whether a body was begun and is not complete.
    var isInBody: Bool { decoder != nil }

    /// Whether nothing of a request has arrived.
    var isBetweenRequests: Bool { kept.isEmpty && decoder == nil }

    /// Keeps bytes without looking at them.
    func keep(_ bytes: UnsafeRawBufferPointer) { kept.append(contentsOf: bytes) }

    /// Calls `body` with all unread bytes, those kept before `fresh`; it returns how many of them it has read.
    func withUnread(_ fresh: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Int) {
        guard !kept.isEmpty else {
            let used = body(fresh)
            if used < fresh.count { kept = [UInt8](fresh[used...]) }
            return
        }
        // Moved out, so that `body` may call into this reader.
        var unread: [UInt8] = []
        swap(&unread, &kept)
        unread.append(contentsOf: fresh)
        let used = unread.withUnsafeBytes(body)
        if used < unread.count {
            unread.removeFirst(used)
            kept = unread
        }
    }

    /// Reads on in `unread`, all bytes after those consumed before; adds what it consumes to `used`.
    func next(_ unread: UnsafeRawBufferPointer, used: inout Int) -> Step {
        decoder == nil ? nextHead(unread, &used) : nextBody(unread, &used)
    }

    /// A head with a body was accepted.
    func beginBody(_ framing: BodyFraming) {
        decoder = BodyDecoder(framing: framing, limits: limits)
    }

    private func nextHead(_ unread: UnsafeRawBufferPointer, _ used: inout Int) -> Step {
        guard !unread.isEmpty else { return .needsMore }
        switch parser.parse(unread) {
        case .needsMore:
            return .needsMore
        case .refused(let error):
            return .refused(error)
        case .head(let head, let consumed):
            parser.reset()
            used += consumed
            return .head(head)
        }
    }

    private func nextBody(_ unread: UnsafeRawBufferPointer, _ used: inout Int) -> Step {
        switch decoder?.decode(unread, into: &body) {
        case .needsMore(let consumed):
            used += consumed
            return .needsMore
        case .complete(let consumed):
            used += consumed
            decoder = nil
            var complete: [UInt8] = []
            swap(&complete, &body)
            return .body(complete)
        case .refused(let error):
            return .refused(error)
        case nil:
            return .needsMore
        }
    }
}
