import Testing

@testable import HTTPCodec

@Suite struct HeadParserTests {
    @Test func readsATypicalRequest() throws {
        let bytes = [UInt8](
            "PUT /v1/tasks/a/runs/b?x=1 HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: 2\r\nX-Odd:\t a b \r\n\r\n{}"
                .utf8)
        guard case .head(let head, let consumed) = HeadParser.parse(bytes) else {
            Issue.record("refused")
            return
        }
        #expect(consumed == bytes.count - 2)
        #expect(head.method == .put)
        #expect(head.path.elementsEqual("/v1/tasks/a/runs/b".utf8))
        #expect(head.bodyFraming == .length(2))
        #expect(head.value(of: FieldName("X-ODD"))?.elementsEqual("a b".utf8) == true)
    }
}
