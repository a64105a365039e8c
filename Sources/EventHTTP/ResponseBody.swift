import HTTPCodec

/// The body of a long answer, handed over in parts as its reader takes them, on its connection's loop: so it is never in
/// memory as a whole, however many read it.
///
/// Its length was told, so either all of it comes or the connection ends in the middle. Nobody is told when the client
/// is gone: what comes after that is dropped, and the connection lets go of this.
public final class ResponseBody {
    /// Nil when all of it was handed over, or the client is gone.
    private var connection: Connection?
    /// Bytes that have not been handed over.
    public private(set) var remaining: Int
    /// For the application: where the parts come from. Let go of together with this.
    public var context: AnyObject?

    init(_ connection: Connection, remaining: Int) {
        self.connection = connection
        self.remaining = remaining
    }

    /// Whether a part is wanted: something remains, and the client is not known to be gone.
    public var isOpen: Bool { connection != nil }

    /// Whether the kernel has taken all that was handed over. If not, `bodyDrained` follows, or the client's end.
    public var isDrained: Bool { connection?.queuedBytes == 0 }

    /// Sends the next part, of at most `remaining` bytes. What the kernel does not take is queued.
    public func send(_ part: [UInt8]) {
        precondition(part.count <= remaining, "a body is longer than was told")
        guard let connection else { return }
        remaining -= part.count
        connection.sendPart(part, of: self)
        if remaining == 0 { self.connection = nil }
    }

    /// Resets the connection: the rest cannot be had.
    public func abandon() {
        guard let connection else { return }
        connection.giveUp()
    }

    /// The client is gone.
    func detach() { connection = nil }
}
