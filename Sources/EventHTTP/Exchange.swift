import HTTPCodec

/// How a request that is not answered at once waits.
public enum ParkKind: Hashable, Sendable {
    /// Until the application is done. Nothing of the connection is read: what comes next waits in the kernel, and an
    /// answer is owed even to a client that is gone.
    case write
    /// Until something changes. The client's end of sending and its disappearance are noticed.
    case longPoll
}

/// One request that is being answered, on its connection's loop.
public final class Exchange {
    enum State {
        case open(Connection)
        case answered
        case vanished
    }

    var state: State
    let id: RequestID
    let keepsAlive: Bool
    /// The connection was accepted beyond the capacity: say that the server is full. It is closed after the answer.
    public let isServerFull: Bool
    /// The request is a HEAD: the body of the response is not sent.
    public let isHead: Bool
    /// 0 for HTTP/1.0, else 1.
    public let minorVersion: Int
    /// For the application: the kind of request, in metrics.
    public var label = 0
    /// For the application: what it wants to find again. Let go of with the answer, or when the client is gone: what
    /// waits for an answer usually holds the exchange.
    public var context: AnyObject?

    init(_ connection: Connection, _ head: RequestHead?, id: RequestID, isServerFull: Bool) {
        state = .open(connection)
        self.id = id
        self.isServerFull = isServerFull
        keepsAlive = head?.keepsAlive ?? false
        isHead = head?.method == .head
        minorVersion = head?.minorVersion ?? 1
    }

    /// The request's name in logs: the client's `X-Request-Id` if it is 1 to 64 bytes of `[A-Za-z0-9._-]`, else 16
    /// hexadecimal digits of ours. Made at each call.
    public var requestID: String { id.text }

    /// Sends the response; exactly once. Does nothing if the client is gone.
    public func respond(_ response: Response) {
        guard let connection = close() else { return }
        connection.respond(self, response)
    }

    /// Leaves the answer for later: from within `RequestHandler.handle`, and again to wait in another way from then on.
    /// Does nothing if the client is gone.
    public func park(_ kind: ParkKind) {
        switch state {
        case .open(let connection):
            precondition(connection.owesAnswer, "a request is parked before it is handed over")
            connection.park(self, kind)
        case .vanished: break
        case .answered: preconditionFailure("an answered exchange is parked")
        }
    }

    /// Answers with a stream of events: 200, `fields`, then `first`, all in one send. Not for HEAD.
    ///
    /// `fields` are complete header lines but for Date, X-Request-Id, Transfer-Encoding and Connection. If `isLast`,
    /// the stream ends with `first`, and there is nothing to hold. Nil then, or if the client is gone.
    public func openStream(fields: [UInt8], first: EventChunk, isLast: Bool) -> EventStream? {
        precondition(!isHead, "a HEAD has no stream")
        guard let connection = close() else { return nil }
        return connection.openStream(self, fields, first, isLast: isLast)
    }

    /// Answers with 200, `fields` and a body of `length` bytes that comes in parts: head and `first`, in one send, then
    /// what is given to the `ResponseBody`. Nil when `first` is all of it, to HEAD, or if the client is gone.
    public func openBody(fields: [UInt8], length: Int, first: [UInt8]) -> ResponseBody? {
        close()?.openBody(self, fields, length: length, first)
    }

    /// Who sends the answer; nil if the client is gone.
    private func close() -> Connection? {
        switch state {
        case .open(let connection):
            precondition(connection.owesAnswer, "a request is answered before it is handed over")
            state = .answered
            context = nil
            return connection
        case .vanished:
            return nil
        case .answered:
            preconditionFailure("an exchange is answered twice")
        }
    }
}
