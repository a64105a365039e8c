/// The text forms of IP addresses in URIs (RFC 3986, section 3.2.2).
enum IPAddress {
    /// Four decimal numbers 0…255 without leading zeros, joined by dots.
    static func isIPv4(_ text: UnsafeRawBufferPointer) -> Bool {
        var dots = 0
        var digits = 0
        var octet = 0
        for byte in text {
            if byte.isDigit {
                guard digits == 0 || octet > 0 else { return false }
                octet = octet * 10 + Int(byte &- Byte.zero)
                guard octet <= 255 else { return false }
                digits += 1
            } else {
                guard byte == Byte.dot, digits > 0 else { return false }
                dots += 1
                digits = 0
                octet = 0
            }
        }
        return dots == 3 && digits > 0
    }

    /// Eight groups of 1 to 4 hexadecimal digits, joined by colons; once, `::` may stand for 1 or more groups of
    /// zeros; the last two groups may be written as an IPv4 address. No zone.
    static func isIPv6(_ text: UnsafeRawBufferPointer) -> Bool {
        var groups = 0
        var isCompressed = false
        var offset = 0
        if text.starts(with: [Byte.colon, Byte.colon]) {
            isCompressed = true
            offset = 2
        }
        while offset < text.count {
            let start = offset
            while offset < text.count, text[offset] != Byte.colon { offset += 1 }
            let group = text.part(start..<offset)
            if offset == text.count, isIPv4(group) {
                groups += 2
                break
            }
            guard (1...4).contains(group.count), group.allSatisfy({ $0.hexValue != nil }) else {
                return false
            }
            groups += 1
            guard offset < text.count else { break }
            offset += 1
            if offset < text.count, text[offset] == Byte.colon {
                guard !isCompressed else { return false }
                isCompressed = true
                offset += 1
            } else if offset == text.count {
                return false
            }
        }
        return isCompressed ? groups <= 7 : groups == 8
    }
}
