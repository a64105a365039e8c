/// The bytes of `text/event-stream`
/// ([HTML standard, section 9.2](https://html.spec.whatwg.org/multipage/server-sent-events.html)). Lines end in LF.
public enum EventStreamFormat {
    /// A comment without a blank line: a sign of life that no reader takes for an event.
    public static let comment: [UInt8] = [Byte.colon, Byte.lineFeed]

    /// One event: its name, its id if it has one, its data on one line, and the blank line that ends it.
    ///
    /// Precondition: no CR, LF or NUL in `id` and `data`: what follows it would be read as another field.
    public static func event(name: StaticString, id: [UInt8]?, data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(name.utf8CodeUnitCount + (id?.count ?? 0) + data.count + 21)
        bytes.append("event: ")
        bytes.append(name)
        if let id {
            bytes.append("\nid: ")
            bytes.append(line: id)
        }
        bytes.append("\ndata: ")
        bytes.append(line: data)
        bytes.append("\n\n")
        return bytes
    }

    /// How long a reader is to wait before it connects again. No blank line: it belongs to what follows, and some
    /// readers would take a blank line for an empty event.
    public static func retry(milliseconds: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append("retry: ")
        bytes.append(decimal: milliseconds)
        bytes.append("\n")
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func append(line: [UInt8]) {
        precondition(line.withUnsafeBytes(\.isOneLine), "A field of an event is one line.")
        append(contentsOf: line)
    }
}

extension UnsafeRawBufferPointer {
    /// Whether no byte would end the line, or make a reader drop it (NUL in an id).
    fileprivate var isOneLine: Bool {
        firstOffset(from: 0) {
            $0 &- UInt64(eightTimes: 0x20) & ~$0
        } isHit: {
            $0 == Byte.carriageReturn || $0 == Byte.lineFeed || $0 == 0
        } == count
    }
}
