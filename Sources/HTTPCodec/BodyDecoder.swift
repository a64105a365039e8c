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

/// The state of a chunked body between two bytes.
struct ChunkedDecoder: Sendable {
    private enum Phase: Sendable {
        case sizeStart, size, chunkExtension, sizeLineFeed
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
        case complete
    }

    /// The longest extension of one chunk, in bytes, and the most of all in one body: they serve nobody here, and
    /// unbounded they would let a client send for ever without ever filling its body's limit.
    static let extensionSize = 256
    static let extensionsSize = 4096
    /// The most bytes of trailer fields.
    static let trailerSize = 8192

    private let bodyLimit: Int
    private let trailerCountLimit: Int
    private var phase = Phase.sizeStart
    private var digits = 0
    /// Of the chunk: its size while that is being read, then what is still to come.
    private var remaining = 0
    private var decoded = 0
    private var extensionBytes = 0
    private var allExtensionBytes = 0
    private var trailerBytes = 0
    private var trailerCount = 0

    init(limits: CodecLimits) {
        bodyLimit = limits.bodySize
        trailerCountLimit = limits.fieldCount
    }

    var isComplete: Bool { phase == .complete }

    /// The number of bytes consumed: all, or those up to the end of the body.
    mutating func decode(_ buffer: UnsafeRawBufferPointer, into body: inout [UInt8]) throws(FramingError)
        -> Int
    {
        var position = 0
        while position < buffer.count, phase != .complete {
            if phase == .data {
                let part = buffer[position...].prefix(remaining)
                body.append(contentsOf: UnsafeRawBufferPointer(rebasing: part))
                remaining -= part.count
                position += part.count
                if remaining == 0 { phase = .dataReturn }
            } else {
                try take(buffer[position])
                position += 1
            }
        }
        return position
    }

    /// Takes one byte that is not chunk data.
    private mutating func take(_ byte: UInt8) throws(FramingError) {
        switch phase {
        case .sizeStart, .size: try takeSize(byte)
        case .chunkExtension: try takeExtension(byte)
        case .sizeLineFeed:
            try expect(Byte.lineFeed, byte, then: remaining > 0 ? .data : .trailerStart)
            decoded += remaining
            digits = 0
            extensionBytes = 0
        case .dataReturn: try expect(Byte.carriageReturn, byte, then: .dataLineFeed)
        case .dataLineFeed: try expect(Byte.lineFeed, byte, then: .sizeStart)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed:
            try takeTrailer(byte)
        case .data, .complete: preconditionFailure("Not a byte of the framing.")
        }
    }

    private mutating func expect(_ expected: UInt8, _ byte: UInt8, then next: Phase) throws(FramingError) {
        guard byte == expected else {
            throw .badRequest("A chunk, its size and a trailer line must end in CR LF.")
        }
        phase = next
    }

    /// Only digits, a semicolon or the end: white space after the size is read differently by different parsers.
    private mutating func takeSize(_ byte: UInt8) throws(FramingError) {
        if let digit = byte.hexValue, digits < 8 {
            digits += 1
            phase = .size
            remaining = remaining << 4 | Int(digit)
            guard remaining <= bodyLimit - decoded else { throw .bodyTooLarge(limit: bodyLimit) }
        } else if phase == .size, byte == Byte.semicolon {
            phase = .chunkExtension
        } else if phase == .size, byte == Byte.carriageReturn {
            phase = .sizeLineFeed
        } else {
            throw .badRequest("The size of a chunk must be 1 to 8 hexadecimal digits.")
        }
    }

    private mutating func takeExtension(_ byte: UInt8) throws(FramingError) {
        guard byte != Byte.carriageReturn else {
            phase = .sizeLineFeed
            return
        }
        guard byte.isFieldContent else { throw .badRequest("The extension of a chunk is malformed.") }
        extensionBytes += 1
        allExtensionBytes += 1
        guard extensionBytes <= Self.extensionSize, allExtensionBytes <= Self.extensionsSize else {
            throw .badRequest("The extensions of chunks are too long.")
        }
    }

    /// The rules of header lines, without keeping anything (RFC 9112, section 7.1.2).
    private mutating func takeTrailer(_ byte: UInt8) throws(FramingError) {
        trailerBytes += 1
        guard trailerBytes <= Self.trailerSize else { throw .headTooLarge(limit: Self.trailerSize) }
        switch phase {
        case .trailerStart where byte == Byte.carriageReturn: phase = .lastLineFeed
        case .trailerStart where byte.isToken:
            trailerCount += 1
            guard trailerCount <= trailerCountLimit else { throw .headTooLarge(limit: trailerCountLimit) }
            phase = .trailerName
        case .trailerName where byte.isToken: break
        case .trailerName where byte == Byte.colon: phase = .trailerValue
        case .trailerValue where byte == Byte.carriageReturn: phase = .trailerLineFeed
        case .trailerValue where byte.isFieldContent: break
        case .trailerLineFeed: try expect(Byte.lineFeed, byte, then: .trailerStart)
        case .lastLineFeed: try expect(Byte.lineFeed, byte, then: .complete)
        default: throw .badRequest("A trailer field is malformed.")
        }
    }
}
