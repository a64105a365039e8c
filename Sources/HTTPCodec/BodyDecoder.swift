/// Takes the body of a request out of its framing (RFC 9112, sections 6 and 7.1), from pieces of any size.
///
/// Extensions of chunks and trailer fields are checked, bounded and dropped.
public struct BodyDecoder: Sendable {
    /// What the bytes so far amount to.
    public enum Result: Hashable, Sendable {
        /// The body goes on; the first `consumed` bytes of the buffer are done with.
        case needsMore(consumed: Int)
        /// The body ends at offset `consumed` of the buffer; the next request begins there.
        case complete(consumed: Int)
        /// The connection must be answered with this and closed.
        case refused(FramingError)
    }

    private enum State: Sendable {
        case data(remaining: Int)
        case chunks(ChunkedDecoder)
    }

    private var state: State

    /// A decoder at the first byte after the head. That a length is within the limit was seen to by ``HeadParser``.
    public init(framing: BodyFraming, limits: CodecLimits) {
        switch framing {
        case .none: state = .data(remaining: 0)
        case .length(let length): state = .data(remaining: length)
        case .chunked: state = .chunks(ChunkedDecoder(limits: limits))
        }
    }

    /// Appends what `buffer` holds of the body to `body`.
    ///
    /// `buffer` begins with the first byte that the call before did not consume.
    public mutating func decode(_ buffer: UnsafeRawBufferPointer, into body: inout [UInt8]) -> Result {
        switch state {
        case .data(let remaining):
            let part = buffer.prefix(remaining)
            body.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
            state = .data(remaining: remaining - part.count)
            return part.count == remaining
                ? .complete(consumed: part.count) : .needsMore(consumed: part.count)
        case .chunks(var decoder):
            do throws(FramingError) {
                let consumed = try decoder.decode(buffer, into: &body)
                state = .chunks(decoder)
                return decoder.isComplete ? .complete(consumed: consumed) : .needsMore(consumed: consumed)
            } catch {
                return .refused(error)
            }
        }
    }
}
