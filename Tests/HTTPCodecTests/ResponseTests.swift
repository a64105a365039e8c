import Testing

@testable import HTTPCodec

@Suite struct ResponseHeadTests {
    private static let date = HTTPDate(secondsSince1970: 784_111_777)
    private static let start = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Request-Id: r-1\r\n"

    private static func bytes(
        _ response: Response, isHead: Bool = false, connection: ResponseHead.Connection = .unsaid
    ) -> String {
        var buffer: [UInt8] = []
        ResponseHead.append(
            response, isHead: isHead, date: date, requestID: slice("r-1"), connection: connection, to: &buffer
        )
        return text(buffer)
    }

    @Test func writesAWholeAnswer() {
        var lines = FieldLines()
        lines.append("Content-Type", "text/plain")
        let response = Response(status: 200, fields: lines.bytes, body: [UInt8]("hello".utf8))
        #expect(
            Self.bytes(response)
                == "HTTP/1.1 200 OK\r\n\(Self.start)Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
        )
    }

    @Test func anAnswerToHeadHasTheLengthWithoutTheBody() {
        let response = Response(status: 200, body: [UInt8]("hello".utf8))
        #expect(
            Self.bytes(response, isHead: true) == "HTTP/1.1 200 OK\r\n\(Self.start)Content-Length: 5\r\n\r\n")
    }

    @Test func anEmptyBodyIsSaidToBeEmpty() {
        #expect(
            Self.bytes(Response(status: 404))
                == "HTTP/1.1 404 Not Found\r\n\(Self.start)Content-Length: 0\r\n\r\n")
    }

    @Test(arguments: [1, 9, 10, 11, 99, 100, 65_536])
    func theLengthIsInDecimalDigits(size: Int) {
        let response = Response(status: 200, body: [UInt8](repeating: 0, count: size))
        #expect(Self.bytes(response, isHead: true).hasSuffix("\r\nContent-Length: \(size)\r\n\r\n"))
    }

    @Test(arguments: [(204, "No Content"), (304, "Not Modified")])
    func someAnswersNeverHaveABody(status: Int, phrase: String) {
        let response = Response(status: status, body: [UInt8]("hello".utf8))
        #expect(Self.bytes(response) == "HTTP/1.1 \(status) \(phrase)\r\n\(Self.start)\r\n")
    }

    @Test func theConnectionIsSaidWhereItMustBe() {
        let open = Response(status: 204)
        let closing = Response(status: 204, closes: true)
        #expect(Self.bytes(open, connection: .keepAlive).hasSuffix("\r\nConnection: keep-alive\r\n\r\n"))
        #expect(Self.bytes(open, connection: .close).hasSuffix("\r\nConnection: close\r\n\r\n"))
        #expect(Self.bytes(closing, connection: .keepAlive).hasSuffix("r-1\r\nConnection: close\r\n\r\n"))
    }

    @Test func aStreamIsChunkedOrEndsWithTheConnection() {
        var buffer = [UInt8]("before".utf8)
        ResponseHead.append(
            status: 200, date: Self.date, requestID: slice("r-1"), fields: [], framing: .chunked,
            connection: .unsaid, to: &buffer)
        #expect(text(buffer) == "beforeHTTP/1.1 200 OK\r\n\(Self.start)Transfer-Encoding: chunked\r\n\r\n")
        buffer = []
        ResponseHead.append(
            status: 200, date: Self.date, requestID: slice("r-1"), fields: [], framing: .none,
            connection: .close,
            to: &buffer)
        #expect(text(buffer) == "HTTP/1.1 200 OK\r\n\(Self.start)Connection: close\r\n\r\n")
    }

    @Test func theReasonOfAnUnusualStatusIsEmptyAfterItsSpace() {
        #expect(Self.bytes(Response(status: 299)).hasPrefix("HTTP/1.1 299 \r\nDate: "))
    }

    @Test(arguments: [
        200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 414, 415, 417, 421, 422, 429,
        431, 500, 501,
        503, 505,
    ])
    func everyStatusOfTheServiceHasAReason(status: Int) {
        #expect(ResponseHead.reasonPhrase(for: status).utf8CodeUnitCount > 0)
    }

    @Test func continueIsAHeadWithoutFields() {
        #expect(text(ResponseHead.continue) == "HTTP/1.1 100 Continue\r\n\r\n")
    }
}

@Suite struct FieldLinesTests {
    @Test func linesAreNameColonSpaceValue() {
        var lines = FieldLines()
        lines.append("ETag", "\"a\"")
        lines.append("X", [UInt8](repeating: 0xE9, count: 1))
        lines.append("Y", slice("b\tc"))
        lines.append("Z", "")
        #expect(text(lines.bytes) == "ETag: \"a\"\r\nX: \\xe9\r\nY: b\tc\r\nZ: \r\n")
    }

    @Test(arguments: ["\r\nSet-Cookie: a", "a\nb", "a\rb", "\u{0}"])
    func aControlCharacterIsABrokenInvariant(value: String) async {
        await #expect(processExitsWith: .failure) { [value] in
            var lines = FieldLines()
            lines.append("X", value)
        }
    }
}

@Suite struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
        (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"), (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
        (1_796_068_053, "Mon, 30 Nov 2026 19:47:33 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
    func writesTheDate(seconds: Int, date: String) {
        #expect(text(HTTPDate(secondsSince1970: seconds).bytes) == date)
    }

    @Test func everyDayFollowsTheDayBefore() {
        var (year, month, day) = (1970, 1, 1)
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        for number in 0..<60_000 {
            let expected = "\(day < 10 ? "0" : "")\(day) \(names[month - 1]) \(year)"
            let date = text(HTTPDate(secondsSince1970: number * 86_400).bytes)
            #expect(date.dropFirst(5).prefix(11) == expected)
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            day += 1
            if day > days[month - 1] { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
    }
}
