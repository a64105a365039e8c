/// Host and port of a request: the value of `Host`, or the authority of an absolute target
/// (RFC 9110, sections 4.2.1 and 7.2; RFC 3986, section 3.2.2).
public struct HostField: Sendable {
    /// A name, an IPv4 address, or an IPv6 address in its brackets, in the case in which it was received. Not empty.
    public let host: ArraySlice<UInt8>
    /// Nil if there is none, or an empty one (`host:`).
    public let port: UInt16?
    /// Whether the host is an IPv4 address in its usual form (`127.0.0.1`) or an IPv6 address in brackets.
    public let isIPLiteral: Bool

    /// Nil when `authority` is malformed: an empty host, user information, a port beyond 65535, an address in
    /// brackets that is not IPv6 (zones are refused too).
    public init?(_ authority: ArraySlice<UInt8>) {
        guard let parts = authority.withUnsafeBytes(HostParts.init) else { return nil }
        host = authority.prefix(parts.hostLength)
        port = parts.port
        isIPLiteral = parts.isIPLiteral
    }

    /// Whether the host is `localhost`, in any case.
    public var isLocalhost: Bool { host.equalsIgnoringCase("localhost") }

    /// Whether the host is `name`, without regard to ASCII case.
    public func isNamed(_ name: some Collection<UInt8>) -> Bool {
        name.withBytes { name in
            host.count == name.count && zip(host, name).allSatisfy { $0.lowercased == $1.lowercased }
        }
    }
}

/// The parts of an authority, found without keeping its bytes.
struct HostParts {
    let hostLength: Int
    let port: UInt16?
    let isIPLiteral: Bool

    /// Nil when `authority` is malformed, see ``HostField``.
    init?(_ authority: UnsafeRawBufferPointer) {
        guard let host = Self.host(authority) else { return nil }
        hostLength = host.length
        isIPLiteral = host.isIPLiteral
        let rest = authority.dropFirst(host.length)
        if rest.count > 1 {
            guard rest.first == Byte.colon, let number = rest.dropFirst().decimal,
                let port = UInt16(exactly: number)
            else { return nil }
            self.port = port
        } else {
            guard rest.isEmpty || rest.first == Byte.colon else { return nil }
            port = nil
        }
    }

    private static func host(_ authority: UnsafeRawBufferPointer) -> (length: Int, isIPLiteral: Bool)? {
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")),
                IPAddress.isIPv6(authority.part(1..<end))
            else { return nil }
            return (end + 1, true)
        }
        let length = authority.firstIndex(of: Byte.colon) ?? authority.count
        let host = authority.part(0..<length)
        guard isRegisteredName(host) else { return nil }
        return (length, IPAddress.isIPv4(host))
    }

    /// `reg-name` of RFC 3986, but not empty: RFC 9110, section 4.2.1, has an empty host rejected.
    private static func isRegisteredName(_ name: UnsafeRawBufferPointer) -> Bool {
        var escape = 0
        for byte in name {
            if escape > 0 {
                guard byte.hexValue != nil else { return false }
                escape -= 1
            } else if byte == Byte.percent {
                escape = 2
            } else {
                guard byte.isRegisteredNameContent else { return false }
            }
        }
        return !name.isEmpty && escape == 0
    }
}

extension UInt8 {
    /// `unreserved` or `sub-delims` of RFC 3986, section 2.
    fileprivate var isRegisteredNameContent: Bool {
        if isLetter || isDigit { return true }
        switch self {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "!"),
            UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
            UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
            return true
        default:
            return false
        }
    }
}
