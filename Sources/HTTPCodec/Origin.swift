/// The value of `Origin`: where a script that asks was loaded from (RFC 6454, section 7; Fetch standard).
public enum Origin: Hashable, Sendable {
    /// `null`: an origin that the browser keeps to itself.
    case opaque
    /// Scheme and host in small letters; the port is that of the scheme if none was given.
    case tuple(scheme: [UInt8], host: [UInt8], port: UInt16?)

    /// Nil when `value` is neither `null` nor `scheme://host[:port]`, without path.
    public init?(_ value: ArraySlice<UInt8>) {
        // Case-sensitive: browsers send exactly this.
        if value.elementsEqual("null".utf8) {
            self = .opaque
            return
        }
        let scheme = value.prefix { $0 != Byte.colon }
        let rest = value[scheme.endIndex...]
        guard scheme.first?.isLetter == true, scheme.allSatisfy(\.isSchemeContent),
            rest.starts(with: "://".utf8), let host = HostField(rest.dropFirst(3))
        else { return nil }
        let name = scheme.map(\.lowercased)
        self = .tuple(
            scheme: name, host: host.host.map(\.lowercased), port: host.port ?? Self.defaultPort(name))
    }

    /// Whether host and port are those that the request was sent to; the scheme does not count, because a proxy
    /// before us may have taken TLS off. Where `host` has no port, that of the origin's scheme is meant.
    public func isSame(as host: HostField) -> Bool {
        switch self {
        case .opaque: false
        case .tuple(let scheme, let name, let port):
            host.isNamed(name) && port == (host.port ?? Self.defaultPort(scheme))
        }
    }

    private static func defaultPort(_ scheme: [UInt8]) -> UInt16? {
        if scheme.elementsEqual("http".utf8) { return 80 }
        return scheme.elementsEqual("https".utf8) ? 443 : nil
    }
}

extension UInt8 {
    /// `scheme` of RFC 3986, section 3.1.
    fileprivate var isSchemeContent: Bool {
        isLetter || isDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-") || self == Byte.dot
    }
}
