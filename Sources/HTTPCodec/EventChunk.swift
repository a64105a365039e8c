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
        self = payload.withBytes { bytes in EventChunk(size: bytes.count) { $0.append(bytes) } }
    }

    /// Frames `segments`, one after the other, as one chunk. Precondition: not all are empty.
    public init(segments: [[UInt8]]) {
        self.init(size: segments.reduce(0) { $0 + $1.count }) { chunk in
            for segment in segments { chunk.append(segment) }
        }
    }

    private init(size: Int, appendPayload: (inout OutputSpan<UInt8>) -> Void) {
        precondition(size > 0, "An empty chunk would end the stream.")
        var start = 0
        framed = [UInt8](capacity: size + Self.longestFraming) { chunk in
            chunk.append(hexadecimal: size)
            chunk.append("\r\n")
            start = chunk.count
            appendPayload(&chunk)
            chunk.append("\r\n")
        }
        payload = start..<start + size
    }

    /// 16 digits and two line ends.
    private static let longestFraming = 20
}
