/// A piece of an event stream, framed once for every reader: HTTP/1.1 gets it as one chunk
/// (RFC 9112, section 7.1), HTTP/1.0 only what is in the chunk.
public struct EventChunk: Hashable, Sendable {
    /// Size in hexadecimal digits, CR LF, payload, CR LF.
    public let framed: [UInt8]
    /// Where in `framed` the payload stands.
    public let payload: Range<Int>

    /// The end of a chunked stream.
    public static let terminator = [UInt8]("0\r\n\r\n".utf8)

    /// Frames `payload`. Precondition: it is not empty, since an empty chunk would end the stream.
    public init(payload: some Collection<UInt8>) {
        self = payload.withBytes { bytes in EventChunk(size: bytes.count) { $0.append(contentsOf: bytes) } }
    }

    /// Frames `segments`, one after the other, as one chunk. Precondition: not all are empty.
    public init(segments: [[UInt8]]) {
        let size = segments.reduce(0) { $0 + $1.count }
        self.init(size: size) { framed in
            for segment in segments { framed.append(contentsOf: segment) }
        }
    }

    private init(size: Int, appendPayload: (inout [UInt8]) -> Void) {
        precondition(size > 0, "An empty chunk would end the stream.")
        var framed: [UInt8] = []
        framed.reserveCapacity(size + 20)
        framed.append(hexadecimal: size)
        framed.append("\r\n")
        payload = framed.count..<framed.count + size
        appendPayload(&framed)
        framed.append("\r\n")
        self.framed = framed
    }
}
