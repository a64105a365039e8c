/// How much of a request is accepted before it is refused. Sizes in bytes.
public struct CodecLimits: Hashable, Sendable {
    /// The longest head, from its first byte to the empty line, both included; beyond: 431. At most 4 GiB.
    public var headSize: Int
    /// The largest number of header fields (and of trailer fields); beyond: 431.
    public var fieldCount: Int
    /// The longest request target; beyond: 414.
    public var targetSize: Int
    /// The longest body, after a chunked coding is removed; beyond: 413.
    public var bodySize: Int

    /// The limits of the service unless it is told others.
    public init(
        headSize: Int = 40 * 1024, fieldCount: Int = 100, targetSize: Int = 32 * 1024,
        bodySize: Int = 64 * 1024
    ) {
        self.headSize = headSize
        self.fieldCount = fieldCount
        self.targetSize = targetSize
        self.bodySize = bodySize
    }
}
