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

    private mutating func append(_ name: StaticString, bytes value: UnsafeRawBufferPointer) {
        precondition(value.endOfFieldContent(from: 0) == value.count, "A header field's value is one line.")
        bytes.append(name)
        bytes.append(": ")
        bytes.append(contentsOf: value)
        bytes.append("\r\n")
    }

    /// Adds a line with the UTF-8 of `value`, under the same precondition.
    public mutating func append(_ name: StaticString, _ value: String) { append(name, value.utf8) }
}

extension [UInt8] {
    /// Adds the UTF-8 of `text`.
    @inline(__always) mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Adds `number` in decimal digits. Precondition: not negative.
    mutating func append(decimal number: Int) { append(number, radix: 10) }

    /// Adds `number` in hexadecimal digits. Precondition: not negative.
    mutating func append(hexadecimal number: Int) { append(number, radix: 16) }

    private mutating func append(_ number: Int, radix: Int) {
        precondition(number >= 0, "Sizes and codes are not negative.")
        let start = count
        var rest = number
        repeat {
            let digit = UInt8(truncatingIfNeeded: rest % radix)
            append(digit < 10 ? Byte.zero + digit : UInt8(ascii: "a") + digit - 10)
            rest /= radix
        } while rest > 0
        self[start...].reverse()
    }
}
