/// Bytes that HTTP's grammars name.
enum Byte {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let comma = UInt8(ascii: ",")
    static let slash = UInt8(ascii: "/")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let equals = UInt8(ascii: "=")
    static let asterisk = UInt8(ascii: "*")
    static let backslash = UInt8(ascii: "\\")
    static let percent = UInt8(ascii: "%")
    static let dot = UInt8(ascii: ".")
    static let zero = UInt8(ascii: "0")
}

extension UInt8 {
    /// `tchar` of RFC 9110, section 5.6.2: letters, digits and ``!#$%&'*+-.^_`|~``.
    @inline(__always) var isToken: Bool {
        // One bit per byte value; bits 0…63 and 64…127.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        guard self < 128 else { return false }
        return ((self < 64 ? low : high) >> UInt64(self & 63)) & 1 == 1
    }

    /// What a field value may hold: HTAB, SP, visible characters, and obs-text (RFC 9110, section 5.5).
    @inline(__always) var isFieldContent: Bool { (self >= 0x20 && self != 0x7F) || self == Byte.tab }

    @inline(__always) var isDigit: Bool { self &- 0x30 < 10 }
    @inline(__always) var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    @inline(__always) var isWhitespace: Bool { self == Byte.space || self == Byte.tab }

    /// The value of a hexadecimal digit; nil for other bytes.
    @inline(__always) var hexValue: UInt8? {
        if isDigit { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }

    /// ASCII capitals become small letters, other bytes stay.
    @inline(__always) var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the bytes of `text`.
    @inline(__always) func equals(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] { return false }
        return true
    }

    /// The bytes of `range`, their offsets counted from its start.
    @inline(__always) func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// The offset of the first byte from `start` on that is a hit; `count` if there is none.
    ///
    /// Eight bytes at a time: `suspects` sets the high bit of a byte in the word at least where that byte is a hit;
    /// if other bits are set, time is lost, nothing else. The first byte in memory is the lowest in the word.
    @inline(__always) func firstOffset(
        from start: Int, suspects: (UInt64) -> UInt64, isHit: (UInt8) -> Bool
    ) -> Int {
        var offset = start
        while offset + 8 <= count {
            let word = UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let flags = suspects(word) & UInt64(eightTimes: 0x80)
            guard flags != 0 else {
                offset += 8
                continue
            }
            offset += flags.trailingZeroBitCount / 8
            if isHit(self[offset]) { return offset }
            offset += 1
        }
        while offset < count, !isHit(self[offset]) { offset += 1 }
        return offset
    }

    /// The offset of the first byte from `start` on that a field value must not hold.
    func endOfFieldContent(from start: Int) -> Int {
        firstOffset(from: start) { word in
            // Below 0x20 the first subtraction borrows, at 0x7F the second.
            let low = word &- UInt64(eightTimes: 0x20)
            let delete = (word ^ UInt64(eightTimes: 0x7F)) &- UInt64(eightTimes: 0x01)
            return (low | delete) & ~word
        } isHit: {
            !$0.isFieldContent
        }
    }
}

extension UInt64 {
    /// A word of eight equal bytes.
    @inline(__always) init(eightTimes byte: UInt8) { self = UInt64(byte) &* 0x0101_0101_0101_0101 }
}

extension Collection<UInt8> {
    /// Calls `body` with the bytes in one piece, copied only if they are not.
    @inline(__always) func withBytes<Answer>(_ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
        withContiguousStorageIfAvailable { body(UnsafeRawBufferPointer($0)) }
            ?? Array(self).withUnsafeBytes(body)
    }
}

extension BidirectionalCollection<UInt8> where Index == Int {
    /// Whether these are the bytes of `text`, which is in small letters, whatever case they have here.
    @inline(__always) func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for offset in 0..<count where self[startIndex + offset].lowercased != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Without the spaces and tabs around (OWS, RFC 9110, section 5.6.3).
    var trimmed: SubSequence {
        var (start, end) = (startIndex, endIndex)
        while start < end, self[start].isWhitespace { start += 1 }
        while start < end, self[end - 1].isWhitespace { end -= 1 }
        return self[start..<end]
    }

    /// The parts between the `separator`s outside of quoted strings, trimmed, also empty ones.
    ///
    /// The splitting of lists and parameters in RFC 9110, sections 5.6.1 and 5.6.6. A quoted string that is not
    /// closed reaches to the end.
    @inline(__always) func split(at separator: UInt8, _ body: (SubSequence) -> Void) {
        var start = startIndex
        var isQuoted = false
        var index = startIndex
        while index < endIndex {
            let byte = self[index]
            if isQuoted, byte == Byte.backslash {
                index += 1
            } else if byte == Byte.quote {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                body(self[start..<index].trimmed)
                start = index + 1
            }
            index += 1
        }
        body(self[start...].trimmed)
    }

    /// The number that these digits write; nil unless they are 1 or more digits. Beyond `Int`: `Int.max`.
    var decimal: Int? {
        guard !isEmpty else { return nil }
        var value = 0
        for byte in self {
            guard byte.isDigit else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = scaled.addingReportingOverflow(Int(byte &- Byte.zero))
            value = overflow || carry ? .max : sum
        }
        return value
    }
}
