/// The state of a chunked body between two bytes (RFC 9112, section 7.1).
///
/// What is dropped is held to its grammar all the same: a parser that finds the end of an extension elsewhere, or takes
/// a trailer for a header, would see another request behind this one.
struct ChunkedDecoder: Sendable {
    private enum Phase: Sendable {
        case sizeStart, size, sizeLineFeed
        case extensionStart, extensionName, valueStart, value, quoted, escaped, quotedEnd
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
    /// Longer than any name that may not stand in a trailer.
    private static let nameSize = 32

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
    /// The name of the trailer field that is being read; no longer than can be of interest.
    private var trailerName: [UInt8] = []

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
        case .extensionStart, .extensionName, .valueStart, .value, .quoted, .escaped, .quotedEnd:
            try takeExtension(byte)
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
            phase = .extensionStart
        } else if phase == .size, byte == Byte.carriageReturn {
            phase = .sizeLineFeed
        } else {
            throw .badRequest("The size of a chunk must be 1 to 8 hexadecimal digits.")
        }
    }

    /// `;name`, `;name=token` or `;name="text"`, without white space (section 7.1.1).
    private mutating func takeExtension(_ byte: UInt8) throws(FramingError) {
        if canEndExtension, byte == Byte.carriageReturn {
            phase = .sizeLineFeed
            return
        }
        guard let next = phaseOfExtension(after: byte) else {
            throw .badRequest("The extension of a chunk is malformed.")
        }
        phase = next
        extensionBytes += 1
        allExtensionBytes += 1
        guard extensionBytes <= Self.extensionSize, allExtensionBytes <= Self.extensionsSize else {
            throw .badRequest("The extensions of chunks are too long.")
        }
    }

    private var canEndExtension: Bool { phase == .extensionName || phase == .value || phase == .quotedEnd }

    /// Nil for a byte that may not stand there.
    private func phaseOfExtension(after byte: UInt8) -> Phase? {
        switch phase {
        case .extensionStart where byte.isToken, .extensionName where byte.isToken: .extensionName
        case .extensionName where byte == Byte.equals: .valueStart
        case .valueStart where byte == Byte.quote: .quoted
        case .valueStart where byte.isToken, .value where byte.isToken: .value
        case .quoted where byte == Byte.quote: .quotedEnd
        case .quoted where byte == Byte.backslash: .escaped
        case .quoted where byte.isFieldContent, .escaped where byte.isFieldContent: .quoted
        default: canEndExtension && byte == Byte.semicolon ? .extensionStart : nil
        }
    }

    /// The rules of header lines, without keeping more than a name (section 7.1.2).
    private mutating func takeTrailer(_ byte: UInt8) throws(FramingError) {
        trailerBytes += 1
        guard trailerBytes <= Self.trailerSize else { throw .headTooLarge(limit: Self.trailerSize) }
        switch phase {
        case .trailerStart where byte == Byte.carriageReturn: phase = .lastLineFeed
        case .trailerStart where byte.isToken:
            trailerCount += 1
            guard trailerCount <= trailerCountLimit else { throw .headTooLarge(limit: trailerCountLimit) }
            trailerName = [byte]
            phase = .trailerName
        case .trailerName where byte.isToken:
            if trailerName.count < Self.nameSize { trailerName.append(byte) }
        case .trailerName where byte == Byte.colon:
            guard !trailerName.withUnsafeBytes({ FieldName.Known($0) }).decidesFraming else {
                throw .badRequest("A trailer must not hold a field that frames or routes the request.")
            }
            phase = .trailerValue
        case .trailerValue where byte == Byte.carriageReturn: phase = .trailerLineFeed
        case .trailerValue where byte.isFieldContent: break
        case .trailerLineFeed: try expect(Byte.lineFeed, byte, then: .trailerStart)
        case .lastLineFeed: try expect(Byte.lineFeed, byte, then: .complete)
        default: throw .badRequest("A trailer field is malformed.")
        }
    }
}
