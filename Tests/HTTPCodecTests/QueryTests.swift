import Testing

@testable import HTTPCodec

@Suite struct PercentDecodingTests {
    @Test(
        arguments: [
            ("", ""), ("abc", "abc"), ("a%20b", "a b"), ("%41%5a%5A", "AZZ"), ("a+b", "a+b"),
            ("%2541", "%41"), ("%2F", "/"),
            ("%C3%A9", "é"), ("é", "é"), ("%", nil), ("%4", nil), ("%4g", nil), ("%g4", nil), ("%%41", nil),
            ("a%", nil),
            ("%+1", nil), ("% 1", nil), ("%-1", nil), ("%E9", nil), ("%ff", nil), ("%C0%80", nil),
            ("%ED%A0%80", nil),
        ] as [(String, String?)])
    func decodesOnceOrNotAtAll(encoded: String, decoded: String?) {
        #expect(PercentDecoding.decodeText(slice(encoded)) == decoded)
    }

    @Test func bytesNeedNotBeText() {
        #expect(PercentDecoding.decode(slice("%ff%00")) == [255, 0])
    }
}

@Suite struct QueryParametersTests {
    /// A query and its decoded parameters; `?` stands for what is damaged.
    @Test(arguments: [
        ("", []), ("a=b", ["a=b"]), ("a=b&c=d", ["a=b", "c=d"]), ("a", ["a="]), ("a=", ["a="]),
        ("=b", ["=b"]),
        ("a=b=c", ["a=b=c"]), ("&&a=b&&", ["a=b"]), ("a=1&a=2", ["a=1", "a=2"]), ("a+b=c+d", ["a b=c d"]),
        ("%61=%2B%26%3D", ["a=+&="]), ("a=%", ["a=?"]), ("%=b", ["?=b"]), ("a=%FF&c=d", ["a=?", "c=d"]),
        ("id=a&id=b:390x44", ["id=a", "id=b:390x44"]), ("a;b=c", ["a;b=c"]), ("a=b?c", ["a=b?c"]),
        ("=", ["="]),
    ])
    func splitsAndDecodes(query: String, pairs: [String]) {
        let parameters = QueryParameters(slice(query)).map { "\($0.name ?? "?")=\($0.value ?? "?")" }
        #expect(parameters == pairs)
    }

    @Test func aRequestWithoutQueryHasNoParameters() throws {
        let bare = try #require(acceptedHead("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
        let full = try #require(acceptedHead("GET /a?b=c&d HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(bare.parameters.map(\.name).isEmpty)
        #expect(full.parameters.map(\.rawName).map(text) == ["b", "d"])
    }
}
