import Testing

@testable import HTTPCodec

/// What a decoder answers in the end, the body that it found, and how many bytes it consumed.
private struct Decoding: Equatable {
    var error: FramingError?
    var isComplete = false
    var body: [UInt8] = []
    var consumed = 0

    /// Feeds `bytes` as they would arrive when they are cut at `cuts`: what was not consumed comes again.
    init(
        _ bytes: [UInt8], _ framing: BodyFraming, cutAt cuts: [Int] = [], limits: CodecLimits = CodecLimits()
    ) {
        var decoder = BodyDecoder(framing: framing, limits: limits)
        for end in cuts + [bytes.count] {
            switch bytes[consumed..<end].withUnsafeBytes({ decoder.decode($0, into: &body) }) {
            case .needsMore(let count): consumed += count
            case .complete(let count):
                consumed += count
                isComplete = true
                return
            case .refused(let error):
                self.error = error
                body = []
                consumed = 0
                return
            }
        }
    }

    /// `decoding` of a chunked body, as a table shows it: the body, or the status of the refusal, or "…".
    static func chunked(_ text: String, limits: CodecLimits = CodecLimits()) -> String {
        let decoding = Decoding([UInt8](text.utf8), .chunked, limits: limits)
        if let error = decoding.error { return "\(error.status)" }
        guard decoding.isComplete else { return "…" }
        return HTTPCodecTests.text(decoding.body) + " +\(text.utf8.count - decoding.consumed)"
    }
}

@Suite struct BodyDecoderTests {
    @Test func noBodyIsCompleteAtOnce() {
        let decoding = Decoding([UInt8]("GET".utf8), .none)
        #expect(decoding.isComplete && decoding.consumed == 0 && decoding.body.isEmpty)
    }

    @Test func aLengthEndsTheBodyAndLeavesTheNextRequest() {
        let bytes = [UInt8]("helloGET".utf8)
        for cut in 0...bytes.count {
            let decoding = Decoding(bytes, .length(5), cutAt: [cut])
            #expect(
                decoding.isComplete && decoding.consumed == 5 && text(decoding.body) == "hello",
                "cut at \(cut)")
        }
    }

    @Test func aLengthNeedsItsLastByte() {
        let decoding = Decoding([UInt8]("hell".utf8), .length(5))
        #expect(!decoding.isComplete && decoding.error == nil && decoding.consumed == 4)
    }

    static let accepted: [(String, String)] = [
        ("0\r\n\r\n", " +0"),
        ("5\r\nhello\r\n0\r\n\r\n", "hello +0"),
        ("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\nGET", "hello world +3"),
        ("a\r\n0123456789\r\n00000000\r\n\r\n", "0123456789 +0"),
        ("A\r\n0123456789\r\n000\r\n\r\n", "0123456789 +0"),
        ("0000000a\r\n0123456789\r\n0\r\n\r\n", "0123456789 +0"),
        ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n +0"),
        ("1;a=b\r\nx\r\n0;c\r\n\r\n", "x +0"),
        ("1;a=\"b;c\";d\r\nx\r\n0\r\n\r\n", "x +0"),
        ("1;a=\"\\\"\\\\\t \";b=!;c\r\nx\r\n0\r\n\r\n", "x +0"),
        ("1\r\nx\r\n0\r\nA: b\r\nContent-Lengths:\tc\r\nX:\r\n\r\nG", "x +1"),
    ]

    @Test(arguments: accepted)
    func joinsChunks(bytes: String, outcome: String) {
        #expect(Decoding.chunked(bytes) == outcome)
    }

    static let refused: [(String, String)] = [
        ("\r\n", "400"), ("\n", "400"), (" 5\r\nhello\r\n", "400"), ("5 \r\nhello\r\n", "400"),
        ("5\t;a\r\n", "400"),
        ("0x5\r\nhello\r\n", "400"), ("+5\r\nhello\r\n", "400"), ("-5\r\nhello\r\n", "400"), ("g\r\n", "400"),
        ("5_0\r\n", "400"), (";a\r\n", "400"), ("5\nhello\r\n", "400"), ("5\rhello\r\n", "400"),
        ("5\r\nhello0\r\n\r\n", "400"), ("5\r\nhello\n0\r\n\r\n", "400"), ("5\r\nhello\r0\r\n\r\n", "400"),
        ("5\r\nhello\r\n\r\n0\r\n\r\n", "400"), ("5\r\nhelloXX0\r\n\r\n", "400"),
        ("4\r\nhello\r\n0\r\n\r\n", "400"),
        ("000000001\r\n", "400"), ("5;a\nhello", "400"), ("5;a\rhello", "400"), ("5;a\u{0}\r\n", "400"),
        ("5;a\u{7F}\r\n", "400"), ("0\r\n\n", "400"), ("0\r\n\r\r", "400"), ("0\r\n: a\r\n", "400"),
        ("0\r\n A: b\r\n", "400"), ("0\r\nA : b\r\n", "400"), ("0\r\nA\r\n", "400"),
        ("0\r\nA: b\n\r\n", "400"),
        ("0\r\nA: b\r\r\n", "400"), ("0\r\nA: b\r\n c\r\n", "400"), ("0\r\nA: \u{0}\r\n", "400"),
        ("0\r\nGET / HTTP/1.1\r\n", "400"), ("1;\r\n", "400"), ("1;;a\r\n", "400"), ("1; a\r\n", "400"),
        ("1;a \r\n", "400"), ("1;a=\r\n", "400"), ("1;=a\r\n", "400"), ("1;a=b=c\r\n", "400"),
        ("1;a=\"b\r\n", "400"), ("1;a=\"b\"c\r\n", "400"), ("1;a=\"\\\r\n", "400"), ("1;\"a\"\r\n", "400"),
        ("0\r\nContent-Length: 1\r\n", "400"), ("0\r\nA:\r\ntransfer-encoding: x\r\n", "400"),
        ("0\r\nHost: a\r\n", "400"), ("0\r\nConnection: close\r\n", "400"),
        ("0\r\nProxy-Connection: close\r\n", "400"), ("0\r\nExpect: x\r\n", "400"),
        ("10001\r\n", "413"), ("ffffffff\r\n", "413"), ("7fffffff\r\n", "413"),
    ]

    @Test(arguments: refused)
    func refusesDamagedChunks(bytes: String, status: String) {
        #expect(Decoding.chunked(bytes) == status)
    }

    @Test(arguments: accepted.map(\.0))
    func chunksNeedTheirLastByte(bytes: String) {
        let end = bytes.utf8.count - Decoding([UInt8](bytes.utf8), .chunked).consumed
        for length in 0..<(bytes.utf8.count - end) {
            let decoding = Decoding([UInt8](bytes.utf8.prefix(length)), .chunked)
            #expect(
                !decoding.isComplete && decoding.error == nil && decoding.consumed == length,
                "after \(length)")
        }
    }

    @Test(arguments: accepted.map(\.0) + refused.map(\.0))
    func decodesTheSameHoweverTheBytesAreCut(chunks: String) {
        let bytes = [UInt8](chunks.utf8)
        let whole = Decoding(bytes, .chunked)
        for cut in 0...bytes.count {
            #expect(Decoding(bytes, .chunked, cutAt: [cut]) == whole, "cut at \(cut)")
        }
        #expect(Decoding(bytes, .chunked, cutAt: Array(0...bytes.count)) == whole, "dripped")
    }

    @Test func theBodyMayHaveExactlyItsLimit() {
        let limits = CodecLimits(bodySize: 6)
        #expect(Decoding.chunked("4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n", limits: limits) == "abcdef +0")
        #expect(Decoding.chunked("4\r\nabcd\r\n3\r\n", limits: limits) == "413")
        #expect(Decoding.chunked("7\r\n", limits: limits) == "413")
    }

    @Test func extensionsAreBoundedPerChunk() {
        let long = String(repeating: "a", count: ChunkedDecoder.extensionSize)
        #expect(Decoding.chunked("1;\(long)\r\nx\r\n0\r\n\r\n") == "x +0")
        #expect(Decoding.chunked("1;\(long)a") == "400")
    }

    @Test func extensionsAreBoundedInAll() {
        let chunk = "1;" + String(repeating: "a", count: ChunkedDecoder.extensionSize) + "\r\nx\r\n"
        let count = ChunkedDecoder.extensionsSize / ChunkedDecoder.extensionSize
        #expect(Decoding.chunked(String(repeating: chunk, count: count)) == "…")
        #expect(Decoding.chunked(String(repeating: chunk, count: count) + "1;a") == "400")
    }

    @Test func trailersAreBoundedInSize() {
        let value = String(repeating: "a", count: ChunkedDecoder.trailerSize - 6)
        #expect(Decoding.chunked("0\r\nA:\(value)a\r\n\r\n") == "431")
        #expect(Decoding.chunked("0\r\nA:\(value)\r\n\r\n") == " +0")
    }

    @Test func trailersAreBoundedInNumber() {
        let limits = CodecLimits(fieldCount: 2)
        #expect(Decoding.chunked("0\r\nA:\r\nB:\r\n\r\n", limits: limits) == " +0")
        #expect(Decoding.chunked("0\r\nA:\r\nB:\r\nC", limits: limits) == "431")
    }

    @Test func decodesRandomChunksInRandomPieces() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<1000 {
            let (bytes, body) = Self.randomChunks(&generator)
            let cuts = (0..<5).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
            let decoding = Decoding(bytes + [UInt8(ascii: "G")], .chunked, cutAt: cuts)
            #expect(
                decoding.isComplete && decoding.body == body && decoding.consumed == bytes.count,
                "seed \(seed)")
        }
    }

    @Test func refusesTheSameDamageInRandomPieces() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let odd = [UInt8]("\r\n0;:g \u{0}".utf8)
        for _ in 0..<3000 {
            var bytes = Self.randomChunks(&generator).bytes
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                odd.randomElement(using: &generator) ?? 0
            let cuts = (0..<5).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
            #expect(
                Decoding(bytes, .chunked, cutAt: cuts) == Decoding(bytes, .chunked),
                "seed \(seed): \(text(bytes)) at \(cuts)")
        }
    }

    private static func randomChunks(_ generator: inout SeededGenerator) -> (bytes: [UInt8], body: [UInt8]) {
        var bytes: [UInt8] = []
        var body: [UInt8] = []
        for _ in 0..<Int.random(in: 0...4, using: &generator) {
            let chunk = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            let size = String(chunk.count, radix: 16, uppercase: Bool.random(using: &generator))
            let more = ["", ";a=b", ";a=\"c d\""].randomElement(using: &generator) ?? ""
            bytes += [UInt8]("\(size)\(more)\r\n".utf8) + chunk + [UInt8]("\r\n".utf8)
            body += chunk
        }
        let trailers = ["", "A: b\r\n", "A:\r\nB: c d\r\n"].randomElement(using: &generator) ?? ""
        return (bytes + [UInt8]("0\r\n\(trailers)\r\n".utf8), body)
    }
}
