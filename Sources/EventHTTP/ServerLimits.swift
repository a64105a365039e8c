import HTTPCodec

/// What a server allows its clients. Durations are checked once per `tick`.
public struct ServerLimits: Sendable {
    /// Sizes of requests.
    public var codec = CodecLimits()
    /// From the first byte of a head to its end; then 408.
    public var headDeadline = Duration.seconds(10)
    /// From the end of a head to the end of its body; then 408.
    public var bodyDeadline = Duration.seconds(30)
    /// Between requests, and from accepting to the first byte; then the connection is closed without a word.
    public var idle = Duration.seconds(75)
    /// Without progress while something is waiting to be sent; then the connection is reset.
    public var stallDeadline = Duration.seconds(20)
    /// From the last byte sent after a refusal until the connection is closed, whatever the client does.
    public var linger = Duration.seconds(1)
    /// How often deadlines are looked at.
    public var tick = Duration.seconds(1)
    /// Bytes that a stream's writer may leave queued; below half of it `streamDrained` is called.
    public var streamQueue = 64 * 1024
    /// Bytes that may wait for the readers of one loop in all; beyond it those with the most are reset.
    public var unread = 128 * 1024 * 1024
    /// Bytes that a client may send into an open stream before it is closed.
    public var discarded = 64 * 1024
    /// Bytes that a client may send after a refusal before it is closed: to close while it sends would reset the
    /// connection, and might take the answer away that it has not read. `linger` bounds the time.
    public var lingered = 1024 * 1024
    /// Connections accepted in one turn, so that a storm does not hold up those that are open.
    public var acceptsPerTurn = 128

    /// The defaults above.
    public init() {}
}

extension Duration {
    /// Whole nanoseconds; a negative duration is 0.
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
