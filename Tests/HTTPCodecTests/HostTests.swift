import Testing

@testable import HTTPCodec

@Suite struct HostFieldTests {
    /// An authority, its host and port, and whether the host is an address.
    @Test(
        arguments: [
            ("localhost", "localhost", nil, false), ("localhost:8080", "localhost", 8080, false),
            ("a.example:", "a.example", nil, false), ("A_b-c.~!$&'()*+,;=", "A_b-c.~!$&'()*+,;=", nil, false),
            ("%41.example", "%41.example", nil, false), ("127.0.0.1:0", "127.0.0.1", 0, true),
            ("255.255.255.255:65535", "255.255.255.255", 65_535, true),
            ("256.0.0.1", "256.0.0.1", nil, false),
            ("127.0.0.01", "127.0.0.01", nil, false), ("127.0.1", "127.0.1", nil, false),
            ("127.0.0.1.", "127.0.0.1.", nil, false),
            ("1.2.3.4.5", "1.2.3.4.5", nil, false), (".1.2.3", ".1.2.3", nil, false),
            ("1.2.3.", "1.2.3.", nil, false),
            ("2130706433", "2130706433", nil, false),
            ("0x7f.0.0.1", "0x7f.0.0.1", nil, false), ("0.0.0.0", "0.0.0.0", nil, true),
            ("00.0.0.0", "00.0.0.0", nil, false),
            ("[::1]", "[::1]", nil, true), ("[::1]:80", "[::1]", 80, true), ("[::]:", "[::]", nil, true),
            ("a:00080", "a", 80, false),
        ] as [(String, String, UInt16?, Bool)])
    func takesAnAuthorityApart(authority: String, host: String, port: UInt16?, isIPLiteral: Bool) throws {
        let field = try #require(HostField(slice(authority)))
        #expect(text(field.host) == host)
        #expect(field.port == port)
        #expect(field.isIPLiteral == isIPLiteral)
    }

    @Test(arguments: [
        "", ":", ":80", "a b", "a/b", "a?b", "a#b", "a@b", "u:p@a:80", "a\\b", "a\"b", "a<b", "a|b", "a^b",
        "é", "a:b", "a:80:80",
        "a:65536", "a:-1", "a:+1", "a: 80", "a:99999999999999999999", "%", "a%4", "%zz", "[", "[]", "[::1",
        "::1", "[::1]a",
        "[::1]80", "[::1]:x", "[::1]]", "[[::1]]", "[127.0.0.1]", "[v1.a]", "[fe80::1%25eth0]",
        "[fe80::1%eth0]", "[localhost]",
    ])
    func refusesAMalformedAuthority(authority: String) {
        #expect(HostField(slice(authority)) == nil)
    }

    @Test(arguments: [
        "::", "::1", "1::", "1:2:3:4:5:6:7:8", "2001:DB8::a", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::8",
        "::ffff:127.0.0.1",
        "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4", "1:2:3:4:5::1.2.3.4", "0000:0::0",
    ])
    func knowsIPv6Addresses(address: String) {
        #expect(HostField(slice("[\(address)]:1"))?.isIPLiteral == true)
    }

    @Test(arguments: [
        ":", ":::", "1", "1:", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8", "1::2::3",
        "12345::", "g::", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "::1.2.3", "::1.2.3.256", "::1.2.3.4:5",
        "1:::2", "::1:",
        "1:2:3:4:5:6:7:", "::1.2.3.4.5",
    ])
    func knowsWhatIsNoIPv6Address(address: String) {
        #expect(HostField(slice("[\(address)]")) == nil)
    }

    @Test func namesCompareWithoutCase() throws {
        let field = try #require(HostField(slice("LocalHost:1")))
        #expect(
            field.isLocalhost && field.isNamed("localhost".utf8) && field.isNamed([UInt8]("LOCALHOST".utf8)))
        #expect(!field.isNamed("localhos".utf8) && !field.isNamed("localhost.".utf8))
    }

    @Test(arguments: ["localhost.", "localhost.evil.example", "xlocalhost", "a.localhost", "127.0.0.1"])
    func onlyLocalhostIsLocalhost(host: String) {
        #expect(HostField(slice(host))?.isLocalhost == false)
    }
}

@Suite struct OriginTests {
    /// An origin, a host, and whether they are the same place.
    @Test(arguments: [
        ("http://localhost:8080", "localhost:8080", true), ("https://localhost:8080", "localhost:8080", true),
        ("http://LOCALHOST:8080", "localhost:8080", true), ("http://localhost", "localhost", true),
        ("https://a.example", "a.example", true), ("https://a.example", "a.example:443", true),
        ("http://a.example:80", "a.example", true), ("http://a.example", "a.example:443", false),
        ("http://localhost:8081", "localhost:8080", false), ("http://localhost", "localhost:8080", false),
        ("http://localhost:8080", "localhost", false), ("http://127.0.0.1:8080", "localhost:8080", false),
        ("http://evil.example", "localhost:8080", false),
        ("http://localhost.evil.example", "localhost", false),
        ("http://[::1]:8080", "[::1]:8080", true), ("null", "null", false), ("app://x:1", "x:1", true),
        ("app://x", "x:80", false), ("app://x", "x", true),
    ])
    func comparesHostAndPort(origin: String, host: String, isSame: Bool) throws {
        let origin = try #require(Origin(slice(origin)))
        let host = try #require(HostField(slice(host)))
        #expect(origin.isSame(as: host) == isSame)
    }

    @Test(arguments: [
        "", "NULL", "a.example", "http:", "http://", "http:/a", "://a", "1http://a", "ht~tp://a", "http://a/",
        "http://a/b",
        "http://a?b", "http://u@a", "http://a b", "http://a http://b", "http://a, http://b", "http://a:b",
        "null null", "http//a",
    ])
    func refusesWhatIsNoOrigin(value: String) {
        #expect(Origin(slice(value)) == nil)
    }

    @Test func equalOriginsAreEqualHoweverTheyAreWritten() {
        #expect(Origin(slice("HTTP://A.example:80")) == Origin(slice("http://a.example")))
        #expect(Origin(slice("https://a.example")) == Origin(slice("https://a.example:443")))
        #expect(Origin(slice("https://a.example")) != Origin(slice("http://a.example")))
        #expect(Origin(slice("null")) == .opaque)
    }
}
