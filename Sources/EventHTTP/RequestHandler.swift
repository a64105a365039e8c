import HTTPCodec

/// What a server asks of the application. All calls come on the loop's thread.
///
/// `refusal`, `handle` and `clientFinished` may answer from within. No method is ever called from within
/// `Exchange.respond`, `park`, `openStream`, `openBody`, `EventStream.send`, `finish`, `ResponseBody.send` or
/// `abandon`, but `answered`; so an application may walk its lists of exchanges and streams while it answers them.
public protocol RequestHandler: AnyObject {
    /// The head is complete, the body not yet read. Nil accepts (then the client that asked for it gets 100 Continue).
    /// A response refuses; if a body was announced the connection is closed after it.
    func refusal(of head: RequestHead, _ exchange: Exchange) -> Response?
    /// A complete request: respond, park, or open a stream or a body, exactly one of them, before this returns.
    func handle(_ head: RequestHead, body: [UInt8], _ exchange: Exchange)
    /// What to tell a client whose request could not be read. The connection is closed after it.
    func response(to error: ServerError, _ exchange: Exchange) -> Response
    /// The client of a parked long poll has finished sending. Respond from within this call, or it is gone.
    func clientFinished(_ exchange: Exchange)
    /// A parked request whose client is gone: forget it. Responding to it does nothing.
    func clientVanished(_ exchange: Exchange)
    /// The stream's queue has become empty, or has fallen to half of `ServerLimits.streamQueue`.
    func streamDrained(_ stream: EventStream)
    /// The stream is gone: exactly once for each one that `openStream` returned, whatever the reason.
    func streamClosed(_ stream: EventStream)
    /// All that was handed over of the body has been taken, and more is wanted: from within this call or later.
    func bodyDrained(_ body: ResponseBody)
    /// A response was handed over, or a stream or body opened: once per exchange that is answered, refusals included.
    /// `bytes` are those of head and body; for a stream those of the head and the first event, for a body that comes in
    /// parts those of the head and the first part. May not answer anything.
    func answered(_ exchange: Exchange, status: Int, bytes: Int)
}

/// Why a request was not handed to the application.
public enum ServerError: Error, Hashable, Sendable {
    /// The request's framing was refused.
    case framing(FramingError)
    /// Head or body did not arrive in time (408).
    case timedOut

    /// The status of the response.
    public var status: Int {
        switch self {
        case .framing(let error): error.status
        case .timedOut: 408
        }
    }
}
