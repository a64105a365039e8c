/// Writes compact JSON into bytes. It adds what it is told to, in order: the caller's literals hold the commas.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends JSON as it stands in the source.
    @inline(__always)
    mutating func literal(_ json: StaticString) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: json.utf8Start, count: json.utf8CodeUnitCount))
    }

    /// Takes the brace at the end away, so that members can follow.
    mutating func reopenObject() {
        precondition(bytes.last == UInt8(ascii: "}"), "only a finished object can be opened again")
        bytes.removeLast()
    }

    /// Puts what `write` writes at `index` of the bytes.
    mutating func insert(at index: Int, _ write: (inout JSONWriter) -> Void) {
        var inserted = JSONWriter(capacity: 32)
        write(&inserted)
        bytes.insert(contentsOf: inserted.bytes, at: index)
    }

    /// Appends finished JSON.
    mutating func json(_ json: [UInt8]) { bytes.append(contentsOf: json) }

    /// Appends a name in quotes: its rule leaves nothing to escape.
    mutating func name(_ name: String) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends one decimal digit, 0…9.
    mutating func digit(_ value: UInt8) { bytes.append(UInt8(ascii: "0") + value) }

    /// Appends a token in quotes.
    mutating func token(_ token: Token) {
        literal("\"")
        bytes.append(contentsOf: token.hex)
        literal("\"")
    }

    mutating func boolean(_ value: Bool) { value ? literal("true") : literal("false") }

    mutating func integer(_ value: some BinaryInteger) { digits(Int64(value)) }

    mutating func string(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { escape($0) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends `null`, or what `write` writes of `value`.
    @inline(__always)
    mutating func optional<Value>(_ value: Value?, _ write: (inout JSONWriter, Value) -> Void) {
        guard let value else { return literal("null") }
        write(&self, value)
    }

    /// Appends an array of what `write` writes of each element.
    mutating func array<Element>(_ elements: [Element], _ write: (inout JSONWriter, Element) -> Void) {
        literal("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { literal(",") }
            write(&self, element)
        }
        literal("]")
    }

    /// Appends a double in its shortest form that reads back the same, whole ones without a fraction, and what
    /// JSON cannot say (infinities, NaN) as `null`.
    mutating func number(_ value: Double) {
        // Millionths that divide back to the value are its only decimal of 15 digits or fewer, so the shortest.
        let millionths = (value * 1e6).rounded()
        if abs(millionths) < 1e15, millionths / 1e6 == value {
            decimal(Int64(millionths), fractionDigits: 6)
        } else if value.isFinite {
            var text = value.description
            if text.hasSuffix(".0") { text.removeLast(2) }
            text.withUTF8 { bytes.append(contentsOf: $0) }
        } else {
            literal("null")
        }
    }

    /// Appends `value` thousandths: 300 gives `0.3`.
    mutating func thousandths(_ value: Int64) { decimal(value, fractionDigits: 3) }

    /// Appends `value`/10^`fractionDigits`, without zeros at the end.
    private mutating func decimal(_ value: Int64, fractionDigits: Int) {
        var unit: UInt64 = 1
        for _ in 0..<fractionDigits { unit *= 10 }
        var (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: unit)
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        digits(Int64(whole))
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        while fraction > 0 {
            unit /= 10
            (whole, fraction) = fraction.quotientAndRemainder(dividingBy: unit)
            bytes.append(UInt8(ascii: "0") + UInt8(whole))
        }
    }

    private mutating func digits(_ value: Int64) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        guard rest >= 10 else { return bytes.append(UInt8(ascii: "0") + UInt8(rest)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
            var start = 20
            while rest > 0 {
                start -= 1
                buffer[start] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start...]))
        }
    }
}

// Strings (RFC 8259, section 7).
extension JSONWriter {
    /// Appends `text` with escapes for what JSON demands, and for what ``TextRule`` forbids: nothing that we
    /// answer, be it a name that a client made up, changes how the rest of a page or terminal is shown.
    private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
        var start = 0
        var index = 0
        while index < text.count {
            let byte = text[index]
            let isPlain = byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            if isPlain, !TextRule.isForbidden(byte, at: index, in: text) {
                index += 1
                continue
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
            index += appendEscape(of: text, at: index)
            start = index
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
    }

    /// Returns how many bytes the escaped scalar had.
    private mutating func appendEscape(of text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
        switch text[index] {
        case UInt8(ascii: "\""): literal(#"\""#)
        case UInt8(ascii: "\\"): literal(#"\\"#)
        case UInt8(ascii: "\n"): literal(#"\n"#)
        case UInt8(ascii: "\r"): literal(#"\r"#)
        case UInt8(ascii: "\t"): literal(#"\t"#)
        case 0xC2:
            unicodeEscape(UInt16(text[index + 1]))
            return 2
        case 0xE2:
            unicodeEscape(0x2000 | UInt16(text[index + 1] & 0x3F) << 6 | UInt16(text[index + 2] & 0x3F))
            return 3
        case let byte: unicodeEscape(UInt16(byte))
        }
        return 1
    }

    private mutating func unicodeEscape(_ unit: UInt16) {
        literal(#"\u"#)
        for shift in [12, 8, 4, 0] {
            let digit = UInt8(unit >> UInt16(shift) & 15)
            bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
