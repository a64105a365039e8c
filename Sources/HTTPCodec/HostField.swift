/// Host and port of a request: the value of `Host`, or the authority of an absolute target
/// (RFC 9110, sections 4.2.1 and 7.2; RFC 3986, section 3.2.2).
public struct HostField: Sendable {
    /// What kind of host it is.
    private enum Kind: Sendable { case name, ipv4, ipv6 }

    /// A name, an IPv4 address, or an IPv6 address in its brackets, in the case in which it was received. Not empty.
    public let host: ArraySlice<UInt8>
    /// Nil if there is none, or an empty one (`host:`).
    public let port: UInt16?
    private let kind: Kind

    /// Nil when `authority` is malformed: an empty host, user information, a port beyond 65535, an address in
    /// brackets that is not IPv6 (zones are refused too).
    public init?(_ authority: ArraySlice<UInt8>) {
        var rest = authority
        if authority.first == UInt8(ascii: "[") {
            guard let end = authority.firstIndex(of: UInt8(ascii: "]")),
                IPAddress.isIPv6(authority[authority.startIndex + 1..<end])
            else { return nil }
            kind = .ipv6
            host = authority[...end]
        } else {
            host = authority.prefix { $0 != Byte.colon }
            guard Self.isRegisteredName(host) else { return nil }
            kind = IPAddress.isIPv4(host) ? .ipv4 : .name
        }
        rest = authority[host.endIndex...]
        guard let colon = rest.popFirst() else {
            port = nil
            return
        }
        guard colon == Byte.colon else { return nil }
        guard !rest.isEmpty else {
            port = nil
            return
        }
        guard let number = rest.decimal, let port = UInt16(exactly: number) else { return nil }
        self.port = port
    }

    /// Whether the host is an IPv4 address in its usual form (`127.0.0.1`) or an IPv6 address in brackets.
    public var isIPLiteral: Bool { kind != .name }

    /// Whether the host is `localhost`, in any case.
    public var isLocalhost: Bool { host.equalsIgnoringCase("localhost") }

    /// Whether the host is `name`, without regard to ASCII case.
    public func isNamed(_ name: some Collection<UInt8>) -> Bool {
        host.lazy.map(\.lowercased).elementsEqual(name.lazy.map(\.lowercased))
    }

    /// `reg-name` of RFC 3986, but not empty: RFC 9110, section 4.2.1, has an empty host rejected.
    private static func isRegisteredName(_ name: ArraySlice<UInt8>) -> Bool {
        guard !name.isEmpty else { return false }
        var rest = name
        while let byte = rest.popFirst() {
            if byte == Byte.percent {
                guard rest.popFirst()?.hexValue != nil, rest.popFirst()?.hexValue != nil else { return false }
            } else {
                guard byte.isRegisteredNameContent else { return false }
            }
        }
        return true
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
