import HTTPCodec

/// A response that stays open and carries events, on its connection's loop.
///
/// What the client sends meanwhile is dropped. The end of what it sends, or its disappearance, ends the stream.
public final class EventStream {
    /// Nil when the stream has finished or its client is gone.
    private var connection: Connection?
    private let isRaw: Bool
    /// For the application: the subscriber.
    public var context: AnyObject?
    /// When something was last sent or queued, on the clock of `EventLoop.now`.
    public private(set) var lastSendAt: UInt64

    init(_ connection: Connection, isRaw: Bool, now: UInt64) {
        self.connection = connection
        self.isRaw = isRaw
        lastSendAt = now
    }

    /// Bytes that the kernel has not taken yet.
    public var queuedBytes: Int { connection?.queuedBytes ?? 0 }

    /// Whether it can be sent to: false after `finish`, and as soon as the client is known to be gone.
    public var isOpen: Bool { connection != nil }

    /// Sends one event: one system call if nothing is queued, none if something is. What the kernel does not take is
    /// queued without bound; look at `queuedBytes` first. Does nothing when the stream is over.
    public func send(_ chunk: EventChunk) {
        guard let connection else { return }
        lastSendAt = connection.now
        chunk.framed.withUnsafeBytes { framed in
            connection.sendEvent(isRaw ? UnsafeRawBufferPointer(rebasing: framed[chunk.payload]) : framed)
        }
    }

    /// Sends a last event, if any, and the end of the stream, then closes in order. `streamClosed` follows.
    public func finish(_ last: EventChunk?) {
        guard let connection else { return }
        self.connection = nil
        connection.finishStream(last, isRaw: isRaw)
    }

    /// The client is gone.
    func detach() { connection = nil }
}
