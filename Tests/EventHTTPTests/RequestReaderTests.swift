import HTTPCodec
import Testing

@testable import EventHTTP

@Suite struct RequestReaderTests {
    /// However bytes are cut, the same requests come out.
    @Test func readsTheSameRequestsHoweverTheBytesAreCut() {
        let text =
            "GET /a HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
            + "PUT /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\n\r\n"
            + "\r\nGET /d HTTP/1.1\r\nHost: a\r\n\r\n"
        let bytes = Array(text.utf8)
        let expected = ["/a ", "/b hello", "/c abcde", "/d "]
        #expect(requests(in: [bytes[...]]) == expected)
        #expect(requests(in: bytes.indices.map { bytes[$0...$0] }) == expected)
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededRandom(seed)
        for _ in 0..<500 {
            var pieces: [ArraySlice<UInt8>] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Int.random(in: 1...40, using: &random))
                pieces.append(bytes[start..<end])
                start = end
            }
            #expect(requests(in: pieces) == expected, "seed \(seed)")
        }
    }

    @Test func keepsNothingBetweenRequests() {
        let reader = RequestReader(limits: CodecLimits())
        #expect(reader.isBetweenRequests)
        var found: [String] = []
        read(reader, Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)[...], into: &found)
        #expect(found == ["/ "])
        #expect(reader.isBetweenRequests)
        #expect(reader.kept.capacity == 0)
        read(reader, Array("GET".utf8)[...], into: &found)
        #expect(!reader.isBetweenRequests)
        #expect(reader.kept == Array("GET".utf8))
    }

    private func requests(in pieces: [ArraySlice<UInt8>]) -> [String] {
        let reader = RequestReader(limits: CodecLimits())
        var found: [String] = []
        for piece in pieces { read(reader, piece, into: &found) }
        return found
    }

    private func read(_ reader: RequestReader, _ piece: ArraySlice<UInt8>, into found: inout [String]) {
        piece.withUnsafeBytes { fresh in
            reader.withUnread(fresh) { unread in
                var used = 0
                while true {
                    let rest = UnsafeRawBufferPointer(rebasing: unread[used...])
                    switch reader.next(rest, used: &used) {
                    case .needsMore: return used
                    case .head(let head):
                        found.append(String(decoding: head.path, as: UTF8.self) + " ")
                        if head.bodyFraming != .none { reader.beginBody(head.bodyFraming) }
                    case .body(let body): found[found.count - 1] += String(decoding: body, as: UTF8.self)
                    case .refused(let error):
                        found.append("\(error)")
                        return used
                    }
                }
            }
        }
    }
}
