/// The bytes of `text/event-stream`
/// ([HTML standard, section 9.2](https://html.spec.whatwg.org/multipage/server-sent-events.html)). Lines end in LF.
public enum EventStreamFormat {
    /// A comment without a blank line: a sign of life that no reader takes for an event.
    public static let comment: [UInt8] = [Byte.colon, Byte.lineFeed]

    /// One event: its name, its id if it has one, its data on one line, and the blank line that ends it.
    ///
    /// Precondition: no CR, LF or NUL in `id` and `data`: what follows it would be read as another field.
    public static func event(name: StaticString, id: [UInt8]?, data: [UInt8]) -> [UInt8] {
        precondition(data.isOneLine && id?.isOneLine != false, "A field of an event is one line.")
        let capacity =
            name.utf8CodeUnitCount + (id?.count ?? 0) + data.count + "event: \nid: \ndata: \n\n".utf8.count
        return [UInt8](capacity: capacity) { event in
            event.append("event: ")
            event.append(name)
            if let id {
                event.append("\nid: ")
                event.append(id)
            }
            event.append("\ndata: ")
            event.append(data)
            event.append("\n\n")
        }
    }

    /// How long a reader is to wait before it connects again. No blank line: it belongs to what follows, and some
    /// readers would take a blank line for an empty event.
    public static func retry(milliseconds: Int) -> [UInt8] { [UInt8]("retry: \(milliseconds)\n".utf8) }
}

extension [UInt8] {
    /// Whether no byte would end the line, or make a reader drop it (NUL in an id).
    fileprivate var isOneLine: Bool {
        withUnsafeBytes { bytes in
            bytes.firstOffset(from: 0) { word in
                word &- UInt64(eightTimes: 0x20) & ~word
            } isHit: { byte in
                byte == Byte.carriageReturn || byte == Byte.lineFeed || byte == 0
            } == bytes.count
        }
    }
}
