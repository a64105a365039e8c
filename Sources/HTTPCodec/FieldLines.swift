/// Header lines of an answer in the making.
public struct FieldLines: Sendable {
    /// The lines so far, each `Name: value` and CR LF.
    public private(set) var bytes: [UInt8] = []

    /// No lines.
    public init() {}

    /// Adds a line. Precondition: no control characters but HTAB in `value`: a line break in it would begin a second
    /// line.
    public mutating func append(_ name: StaticString, _ value: some Collection<UInt8>) {
        value.withBytes { append(name, bytes: $0) }
    }

    /// Adds a line with the UTF-8 of `value`, under the same precondition.
    public mutating func append(_ name: StaticString, _ value: String) { append(name, value.utf8) }

    private mutating func append(_ name: StaticString, bytes value: UnsafeRawBufferPointer) {
        precondition(value.endOfFieldContent(from: 0) == value.count, "A header field's value is one line.")
        bytes.append(addingCapacity: name.utf8CodeUnitCount + value.count + 4) { line in
            line.append(name)
            line.append(": ")
            line.append(value)
            line.append("\r\n")
        }
    }
}
