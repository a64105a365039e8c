/// Reads request heads, strictly, from bytes that arrive in pieces of any size (RFC 9112, sections 2 to 5).
///
/// Each byte is judged once, in order, and what is wrong is refused at the first byte that shows it; so the answer
/// does not depend on how the bytes were cut, and dripped bytes cost O(n) in all.
public struct HeadParser: Sendable {
    /// What the bytes so far amount to.
    public enum Result: Sendable {
        /// The head is not complete, and nothing is wrong with it so far.
        case needsMore
        /// A head that ends at offset `consumed` of the buffer.
        case head(RequestHead, consumed: Int)
        /// The connection must be answered with this and closed.
        case refused(FramingError)
    }

    /// What the byte at `position` belongs to.
    private enum Phase: Sendable {
        case start, leadingLineFeed
        case method, target, version, versionEnd, requestLineFeed
        case fieldStart, fieldName, fieldValue, fieldLineFeed
        case lastLineFeed
    }

    private let limits: CodecLimits
    private var phase = Phase.start
    /// All bytes before it are judged.
    private var position = 0
    /// The first byte of the part that is being read.
    private var mark = 0
    private var nameEnd = 0
    private var method = Method.get
    private var minorVersion = 1
    private var target: RequestTarget?
    private var fields: [RequestHead.Field] = []

    /// A parser before its first request. Precondition: `headSize` is at most 4 GiB.
    public init(limits: CodecLimits) {
        precondition(limits.headSize <= UInt32.max, "Offsets in a head have 32 bits.")
        self.limits = limits
    }

    /// Prepares for the next request: forgets all but the limits.
    public mutating func reset() { self = HeadParser(limits: limits) }

    /// Reads one head from bytes that are all there. Incomplete ones need more.
    public static func parse(_ bytes: [UInt8], limits: CodecLimits = CodecLimits()) -> Result {
        var parser = HeadParser(limits: limits)
        return bytes.withUnsafeBytes { parser.parse($0) }
    }

    /// Goes on where the last call stopped.
    ///
    /// `buffer` holds all unconsumed bytes of the connection, from the same first byte as in the call before. After
    /// `head` or `refused`, ``reset()`` comes before the next call.
    public mutating func parse(_ buffer: UnsafeRawBufferPointer) -> Result {
        // Bytes beyond the limit are not looked at: whether a head is too large must not depend on its rest.
        let head = UnsafeRawBufferPointer(rebasing: buffer.prefix(limits.headSize))
        do throws(FramingError) {
            if try scan(head) { return .head(try finish(head), consumed: position) }
            guard head.count < limits.headSize else { throw .headTooLarge(limit: limits.headSize) }
            return .needsMore
        } catch {
            return .refused(error)
        }
    }

    /// True at the end of the head, false where more bytes are needed.
    ///
    /// Each step goes on to the next by itself; the phase tells where to take up after a cut.
    private mutating func scan(_ head: UnsafeRawBufferPointer) throws(FramingError) -> Bool {
        while position < head.count {
            switch phase {
            case .start: start(head)
            case .leadingLineFeed: try expectLineFeed(head, then: .method)
            case .method: try scanMethod(head)
            case .target: try scanTarget(head)
            case .version: try scanVersion(head)
            case .versionEnd: try endVersion(head)
            case .requestLineFeed: try expectLineFeed(head, then: .fieldStart)
            case .fieldStart: try startField(head)
            case .fieldName: try scanFieldName(head)
            case .fieldValue: try scanFieldValue(head)
            case .fieldLineFeed: try expectLineFeed(head, then: .fieldStart)
            case .lastLineFeed:
                try expectLineFeed(head, then: .start)
                return true
            }
        }
        return false
    }

    private func finish(_ head: UnsafeRawBufferPointer) throws(FramingError) -> RequestHead {
        guard let target else { preconditionFailure("A complete head has a target.") }
        let framing = try MessageFraming(
            fields, in: head, method: method, minorVersion: minorVersion, bodyLimit: limits.bodySize)
        return RequestHead(
            method: method, minorVersion: minorVersion, form: target, framing: framing,
            bytes: [UInt8](head.part(0..<position)), fields: fields)
    }

    /// One empty line before the request is tolerated (RFC 9112, section 2.2).
    private mutating func start(_ head: UnsafeRawBufferPointer) {
        guard head[position] == Byte.carriageReturn else {
            phase = .method
            return
        }
        position += 1
        phase = .leadingLineFeed
    }

    private mutating func expectLineFeed(_ head: UnsafeRawBufferPointer, then next: Phase)
        throws(FramingError)
    {
        guard position < head.count else { return }
        guard head[position] == Byte.lineFeed else { throw .badRequest("A line must end in CR LF.") }
        position += 1
        mark = position
        phase = next
    }
}

// The request line (RFC 9112, section 3): exactly one space between its parts.
extension HeadParser {
    private mutating func scanMethod(_ head: UnsafeRawBufferPointer) throws(FramingError) {
        while position < head.count, head[position].isToken {
            position += 1
            guard position - mark <= Method.longestName else { throw Self.unknownMethod }
        }
        guard position < head.count else { return }
        guard head[position] == Byte.space, position > mark else {
            throw .badRequest("A request must begin with a method and a space.")
        }
        guard let method = Method(head.part(mark..<position)) else { throw Self.unknownMethod }
        self.method = method
        position += 1
        mark = position
        phase = .target
        try scanTarget(head)
    }

    private static var unknownMethod: FramingError {
        .notImplemented("This server does not know the method.")
    }

    private mutating func scanTarget(_ head: UnsafeRawBufferPointer) throws(FramingError) {
        position = head.endOfTargetContent(from: position)
        guard position - mark <= limits.targetSize else { throw .targetTooLong(limit: limits.targetSize) }
        guard position < head.count else { return }
        guard head[position] == Byte.space, position > mark else {
            throw .badRequest("The request target is empty, or holds a byte that must be percent-encoded.")
        }
        target = try RequestTarget(head, mark..<position, method: method)
        position += 1
        mark = position
        phase = .version
        try scanVersion(head)
    }

    /// RFC 9112, section 2.3.
    private mutating func scanVersion(_ head: UnsafeRawBufferPointer) throws(FramingError) {
        let pattern: StaticString = "HTTP/0.0"
        while position < head.count, position - mark < pattern.utf8CodeUnitCount {
            let expected = pattern.utf8Start[position - mark]
            let byte = head[position]
            guard byte == expected || (expected == Byte.zero && byte.isDigit) else {
                throw .badRequest("The request line must end in a space and the HTTP version.")
            }
            position += 1
        }
        guard position - mark == pattern.utf8CodeUnitCount else { return }
        let (major, minor) = (head[position - 3], head[position - 1])
        guard major == UInt8(ascii: "1"), minor <= UInt8(ascii: "1") else { throw .versionNotSupported }
        minorVersion = Int(minor - Byte.zero)
        phase = .versionEnd
    }

    private mutating func endVersion(_ head: UnsafeRawBufferPointer) throws(FramingError) {
        guard head[position] == Byte.carriageReturn else {
            throw .badRequest("The request line must end after the HTTP version, in CR LF.")
        }
        position += 1
        fields.reserveCapacity(16)
        phase = .requestLineFeed
    }
}

// Field lines (RFC 9112, section 5).
extension HeadParser {
    private mutating func startField(_ head: UnsafeRawBufferPointer) throws(FramingError) {
        if head[position] == Byte.carriageReturn {
            position += 1
            phase = .lastLineFeed
            return
        }
        guard fields.count < limits.fieldCount else { throw .headTooLarge(limit: limits.fieldCount) }
        phase = .fieldName
        try scanFieldName(head)
    }

    /// White space is no part of a name, so a folded line (section 5.2) ends here too.
    private mutating func scanFieldName(_ head: UnsafeRawBufferPointer) throws(FramingError) {
        position = head.endOfToken(from: position)
        guard position < head.count else { return }
        guard head[position] == Byte.colon, position > mark else {
            throw .badRequest(
                "A header line must be a name that is directly followed by a colon, and a value.")
        }
        nameEnd = position
        position += 1
        phase = .fieldValue
        try scanFieldValue(head)
    }

    private mutating func scanFieldValue(_ head: UnsafeRawBufferPointer) throws(FramingError) {
        position = head.endOfFieldContent(from: position)
        guard position < head.count else { return }
        guard head[position] == Byte.carriageReturn else {
            throw .badRequest(
                "A header field's value must not hold control characters, and its line must end in CR LF.")
        }
        let name = mark..<nameEnd
        var value = nameEnd + 1..<position
        while let first = value.first, head[first].isWhitespace { value = first + 1..<value.upperBound }
        while let last = value.last, head[last].isWhitespace { value = value.lowerBound..<last }
        fields.append(RequestHead.Field(name: name, known: FieldName.Known(head.part(name)), value: value))
        position += 1
        phase = .fieldLineFeed
        try expectLineFeed(head, then: .fieldStart)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func endOfToken(from start: Int) -> Int {
        var offset = start
        while offset < count, self[offset].isToken { offset += 1 }
        return offset
    }

    func endOfTargetContent(from start: Int) -> Int {
        firstOffset(from: start) { word in
            // Below 0x21 the first subtraction borrows, at `#` the second, at 0x7F the third; from 0x80 on the high
            // bit is there, and is left in at least one of them.
            let low = word &- UInt64(eightTimes: 0x21)
            let hash = (word ^ UInt64(eightTimes: UInt8(ascii: "#"))) &- UInt64(eightTimes: 0x01)
            let delete = (word ^ UInt64(eightTimes: 0x7F)) &- UInt64(eightTimes: 0x01)
            return low | hash | delete
        } isHit: {
            !$0.isTargetContent
        }
    }
}

extension UInt8 {
    /// What a request target may hold: visible ASCII, but no `#`, since a fragment is never sent
    /// (RFC 9112, section 3.2).
    var isTargetContent: Bool { self &- 0x21 < 0x5E && self != UInt8(ascii: "#") }
}
