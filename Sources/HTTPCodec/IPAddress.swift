/// The text forms of IP addresses in URIs (RFC 3986, section 3.2.2).
enum IPAddress {
    /// Four decimal numbers 0…255 without leading zeros, joined by dots.
    static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        guard (7...15).contains(text.count) else { return false }
        let parts = text.split(separator: Byte.dot, omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy(isOctet)
    }

    private static func isOctet(_ text: ArraySlice<UInt8>) -> Bool {
        guard (1...3).contains(text.count), let value = text.decimal else { return false }
        return value <= 255 && (text.count == 1 || text.first != Byte.zero)
    }

    /// Eight groups of 1 to 4 hexadecimal digits, joined by colons; once, `::` may stand for 1 or more groups of
    /// zeros; the last two groups may be written as an IPv4 address. No zone.
    static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
        var groups = 0
        var isCompressed = false
        var rest = text
        if rest.starts(with: [Byte.colon, Byte.colon]) {
            isCompressed = true
            rest.removeFirst(2)
        }
        while !rest.isEmpty {
            let group = rest.prefix { $0 != Byte.colon }
            rest = rest[group.endIndex...]
            if rest.isEmpty, isIPv4(group) {
                groups += 2
                break
            }
            guard (1...4).contains(group.count), group.allSatisfy({ $0.hexValue != nil }) else {
                return false
            }
            groups += 1
            guard rest.popFirst() != nil else { break }
            if rest.first == Byte.colon {
                guard !isCompressed else { return false }
                isCompressed = true
                rest.removeFirst()
            } else {
                guard !rest.isEmpty else { return false }
            }
        }
        return isCompressed ? groups <= 7 : groups == 8
    }
}
