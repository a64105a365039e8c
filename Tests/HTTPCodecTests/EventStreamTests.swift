import Testing

@testable import HTTPCodec

@Suite struct EventChunkTests {
    @Test(arguments: [
        (1, "1"), (15, "f"), (16, "10"), (255, "ff"), (500, "1f4"), (4095, "fff"), (4096, "1000"),
        (65_536, "10000"),
    ])
    func framesThePayloadAsOneChunk(size: Int, digits: String) {
        let payload = [UInt8](repeating: UInt8(ascii: "x"), count: size)
        let chunk = EventChunk(payload: payload)
        #expect(chunk.framed == [UInt8]("\(digits)\r\n".utf8) + payload + [UInt8]("\r\n".utf8))
        #expect([UInt8](chunk.framed[chunk.payload]) == payload)
    }

    @Test func joinsSegmentsInOneChunk() {
        let chunk = EventChunk(segments: [[UInt8]("ab".utf8), [], [UInt8]("c".utf8)])
        #expect(text(chunk.framed) == "3\r\nabc\r\n")
        #expect(chunk.payload == 3..<6)
        #expect(chunk == EventChunk(payload: "abc".utf8))
    }

    @Test func whatWeFrameOurDecoderReads() {
        let chunks = [
            EventChunk(payload: "event: a\n\n".utf8), EventChunk(payload: EventStreamFormat.comment),
        ]
        let bytes = chunks.flatMap(\.framed) + EventChunk.terminator
        var decoder = BodyDecoder(framing: .chunked, limits: CodecLimits())
        var body: [UInt8] = []
        #expect(bytes.withUnsafeBytes { decoder.decode($0, into: &body) } == .complete(consumed: bytes.count))
        #expect(text(body) == "event: a\n\n:\n")
    }

    @Test func anEmptyPayloadIsABrokenInvariant() async {
        await #expect(processExitsWith: .failure) { _ = EventChunk(payload: [UInt8]()) }
    }
}

@Suite struct EventStreamFormatTests {
    @Test func anEventHasNameIdAndDataAndEndsInABlankLine() {
        let event = EventStreamFormat.event(
            name: "state", id: [UInt8]("9f2c".utf8), data: [UInt8]("{\"a\":1}".utf8))
        #expect(text(event) == "event: state\nid: 9f2c\ndata: {\"a\":1}\n\n")
    }

    @Test func anEventWithoutIdHasNoIdLine() {
        let event = EventStreamFormat.event(name: "close", id: nil, data: [UInt8]("{}".utf8))
        #expect(text(event) == "event: close\ndata: {}\n\n")
    }

    @Test func dataMayHoldAnyTextOnOneLine() {
        let data = [UInt8]("\u{7F}\u{1}\t é\u{2028} 0123456789".utf8)
        #expect(
            EventStreamFormat.event(name: "a", id: nil, data: data).suffix(data.count + 2) == data + [10, 10])
    }

    @Test func retryAndCommentEndInOneLineFeed() {
        #expect(text(EventStreamFormat.retry(milliseconds: 2500)) == "retry: 2500\n")
        #expect(text(EventStreamFormat.comment) == ":\n")
    }

    @Test(arguments: [UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0])
    func aLineBreakInDataIsABrokenInvariant(byte: UInt8) async {
        await #expect(processExitsWith: .failure) { [byte] in
            _ = EventStreamFormat.event(
                name: "a", id: nil, data: [65, 65, 65, byte] + [UInt8](repeating: 65, count: 12))
        }
    }
}
