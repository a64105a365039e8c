import Testing

@testable import HTTPCodec

@Suite struct HeadParserTests {
    @Test(arguments: RequestCorpus.accepted)
    func acceptsWhatTheGrammarAllows(request: String) {
        let bytes = [UInt8](request.utf8)
        guard case .head(_, let consumed) = HeadParser.parse(bytes) else {
            Issue.record("\(description(of: HeadParser.parse(bytes)))")
            return
        }
        #expect(consumed == bytes.count)
    }

    @Test(arguments: RequestCorpus.refused)
    func refusesWhatLeavesADoubt(request: String, status: Int) {
        #expect(refusal([UInt8](request.utf8)) == status)
    }

    @Test func readsAllPartsOfARequest() {
        let request =
            "PUT /v1/tasks/a/runs/b?x=1&y HTTP/1.1\r\nHost: localhost:8080\r\nX-Odd:\t a b \r\nContent-Length: 2\r\n\r\n{}"
        #expect(
            description(of: HeadParser.parse([UInt8](request.utf8))) == """
                put 1.1 /v1/tasks/a/runs/b?x=1&y path /v1/tasks/a/runs/b query x=1&y authority localhost:8080 \
                body length(2) keeps true expects false \
                fields ["Host=localhost:8080", "X-Odd=a b", "Content-Length=2"] consumed \(request.utf8.count - 2)
                """)
    }

    @Test(arguments: Method.allCases)
    func knowsEveryMethod(method: Method) {
        let target = method == .connect ? "a:80" : "/"
        #expect(acceptedHead("\(method.rawValue) \(target) HTTP/1.1\r\nHost: a\r\n\r\n")?.method == method)
    }

    @Test(arguments: RequestCorpus.accepted + RequestCorpus.refused.map(\.0))
    func answersTheSameHoweverTheBytesAreCut(request: String) {
        let bytes = [UInt8](request.utf8)
        let whole = description(of: HeadParser.parse(bytes))
        for cut in 0...bytes.count {
            #expect(description(of: parse(bytes, cutAt: [cut])) == whole, "cut at \(cut)")
        }
        #expect(description(of: parse(bytes, cutAt: Array(0...bytes.count))) == whole, "dripped")
    }

    @Test(arguments: RequestCorpus.accepted)
    func needsMoreUntilTheLastByte(request: String) {
        let bytes = [UInt8](request.utf8)
        for end in 0..<bytes.count {
            #expect(description(of: HeadParser.parse([UInt8](bytes[..<end]))) == "needs more", "after \(end)")
        }
    }

    @Test(arguments: RequestCorpus.refusedAtLastByte)
    func refusesAtTheFirstWrongByte(request: String) {
        let bytes = [UInt8](request.utf8)
        #expect(description(of: HeadParser.parse([UInt8](bytes.dropLast()))) == "needs more")
        #expect(refusal(bytes) != nil)
    }

    @Test(arguments: RequestCorpus.accepted)
    func leavesTheNextRequestAlone(request: String) {
        let first = [UInt8](request.utf8)
        for next in RequestCorpus.accepted {
            let both = first + next.utf8
            var parser = HeadParser(limits: CodecLimits())
            let one = both.withUnsafeBytes { parser.parse($0) }
            parser.reset()
            let two = both[first.count...].withUnsafeBytes { parser.parse($0) }
            #expect(description(of: one) == description(of: HeadParser.parse(first)))
            #expect(description(of: two) == description(of: HeadParser.parse([UInt8](next.utf8))))
        }
    }

    @Test func refusalTextsNeverHoldBytesOfTheClient() {
        for (request, _) in RequestCorpus.refused {
            let marked = request.replacing("a", with: "Zq9")
            guard case .refused(let error) = HeadParser.parse([UInt8](marked.utf8)) else { continue }
            #expect(!"\(error)".contains("Zq9"))
        }
    }
}

@Suite struct HeadParserLimitTests {
    private static let limits = CodecLimits(headSize: 200, fieldCount: 3, targetSize: 20, bodySize: 10)

    private static func request(target: Int = 1, value: Int = 0, fields: Int = 2) -> [UInt8] {
        var text = "GET /" + String(repeating: "a", count: target - 1) + " HTTP/1.1\r\nHost: a\r\n"
        text += "X: " + String(repeating: "b", count: value) + "\r\n"
        for _ in 2..<fields { text += "Y:\r\n" }
        return [UInt8]((text + "\r\n").utf8)
    }

    @Test func theTargetMayHaveExactlyItsLimit() {
        #expect(refusal(Self.request(target: 20), limits: Self.limits) == nil)
        #expect(refusal(Self.request(target: 21), limits: Self.limits) == 414)
    }

    @Test func aLongTargetIsRefusedBeforeItsLineIsComplete() {
        let request = Self.request(target: 30)
        #expect(refusal([UInt8](request[..<24]), limits: Self.limits) == nil)
        #expect(refusal([UInt8](request[..<25]), limits: Self.limits) == 414)
    }

    @Test func theHeadMayHaveExactlyItsLimit() {
        let size = Self.request().count
        #expect(refusal(Self.request(value: 200 - size), limits: Self.limits) == nil)
        #expect(refusal(Self.request(value: 201 - size), limits: Self.limits) == 431)
    }

    @Test func anEndlessHeadIsRefusedAtItsLimit() {
        let request = Self.request(value: 1000)
        #expect(refusal([UInt8](request[..<199]), limits: Self.limits) == nil)
        #expect(refusal([UInt8](request[..<200]), limits: Self.limits) == 431)
        #expect(refusal(request, limits: Self.limits) == 431)
    }

    @Test func faultsBeyondTheLimitDoNotCount() {
        #expect(refusal(Self.request(value: 300) + [0, 0, 0], limits: Self.limits) == 431)
        #expect(refusal([UInt8](Self.request(value: 300)[..<200]) + [0], limits: Self.limits) == 431)
    }

    @Test func theFieldsMayHaveExactlyTheirLimit() {
        #expect(refusal(Self.request(fields: 3), limits: Self.limits) == nil)
        #expect(refusal(Self.request(fields: 4), limits: Self.limits) == 431)
    }

    @Test func theBodyMayHaveExactlyItsLimit() {
        #expect(
            refusal(
                [UInt8]("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n".utf8), limits: Self.limits)
                == nil)
        #expect(
            refusal(
                [UInt8]("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n".utf8), limits: Self.limits)
                == 413)
    }

    @Test func anUnknownMethodIsRefusedBeforeItsEnd() {
        #expect(refusal([UInt8](repeating: UInt8(ascii: "A"), count: 8), limits: Self.limits) == 501)
    }

    @Test func theDefaultsAreThoseOfTheService() {
        #expect(
            CodecLimits()
                == CodecLimits(headSize: 40_960, fieldCount: 100, targetSize: 32_768, bodySize: 65_536))
        let fields = String(repeating: "X: y\r\n", count: 99)
        #expect(refusal([UInt8]("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)) == nil)
        #expect(refusal([UInt8]("GET / HTTP/1.1\r\nHost: a\r\n\(fields)Y: z\r\n\r\n".utf8)) == 431)
    }
}
