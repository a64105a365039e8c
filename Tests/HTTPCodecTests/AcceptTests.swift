import Testing

@testable import HTTPCodec

@Suite struct AcceptTests {
    private static let names = ["application/json", "image/svg+xml", "image/png", "text/event-stream"]

    /// Field values, and the type that is chosen among those above.
    @Test(
        arguments: [
            ([], "application/json"), (["*/*"], "application/json"), ([""], "application/json"),
            (["text/event-stream"], "text/event-stream"), (["TEXT/Event-Stream"], "text/event-stream"),
            (["image/*"], "image/svg+xml"), (["image/png, image/svg+xml"], "image/svg+xml"),
            (["image/png;q=0.9, image/svg+xml;q=0.8"], "image/png"),
            (["image/png", "image/svg+xml;q=0.5"], "image/png"),
            (["application/json;q=0.5, */*;q=0.6"], "image/svg+xml"),
            (["*/*, application/json;q=0"], "image/svg+xml"),
            (["image/*;q=0.2, image/svg+xml;q=0, */*;q=0.1"], "image/png"), (["text/html"], nil),
            (["*/*;q=0"], nil),
            (["application/json;q=0"], nil), (["application/json;q=0.000"], nil),
            (["application/json;charset=utf-8;q=0.1, image/png;q=0.2"], "image/png"),
            (["image/png;Q=1.000;x=\",\", application/json;q=0.999"], "image/png"),
            (["application/json;v=1;q=0.1, application/json;v=2;q=0.9, image/png;q=0.5"], "application/json"),
            (["application/json;v=2;q=0.9, application/json;v=1;q=0.1, image/png;q=0.5"], "application/json"),
            (["application/json;q=0.001, image/png;q=0.002"], "image/png"),
            (["text/html,application/xhtml+xml,image/avif,image/webp,*/*;q=0.8"], "application/json"),
            (["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"], nil), (["*"], "application/json"),
            (["json, /json, application/, a/b/c, text/event-stream"], "text/event-stream"),
            (["*/json, image/png"], "image/png"), (["application/json;q=1.1, image/png;q=0.1"], "image/png"),
            (["application/json;q=, image/png;q=0.1"], "image/png"),
            (["application/json;q=0.1234, image/png;q=0.1"], "image/png"),
            (["application/json;q=2, image/png;q=0."], nil),
            (["application/json;q=-1, image/png;q=1."], "image/png"),
            (["application/json;q=1x, image/png;q=0.1"], "image/png"), ([";q=1", "image/png"], "image/png"),
        ] as [([String], String?)])
    func choosesTheBestType(values: [String], name: String?) {
        let types = Self.names.compactMap { MediaType($0) }
        #expect(Accept(values.map(slice)).best(among: types).map { Self.names[$0] } == name)
    }

    @Test func thereIsNoBestAmongNone() {
        #expect(Accept([]).best(among: []) == nil)
    }

    @Test func mediaTypesCompareWithoutCaseAndParameters() {
        #expect(MediaType(slice("Application/JSON ; charset=utf-8")) == MediaType("application/json"))
        #expect(MediaType("application/json") != MediaType("application/jsonx"))
    }

    @Test(arguments: ["", "/", "a", "a/", "/b", "a/b/c", "a /b", "a/b c", "a/b,c/d", "é/b"])
    func aMediaTypeIsTwoTokens(text: String) {
        #expect(MediaType(text) == nil)
    }
}
