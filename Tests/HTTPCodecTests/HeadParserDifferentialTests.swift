import Testing

@testable import HTTPCodec

/// The parser against itself in other pieces, and against a slow reading of the same rules, on random requests.
@Suite struct HeadParserDifferentialTests {
    private static let pieces: [String] = [
        "GET", "POST", "OPTIONS", "CONNECT", "get", " ", " ", "/", "/a?b", "*", "http://", "a", "a:80",
        "[::1]", "#", "HTTP/1.1",
        "HTTP/1.0", "HTTP/2.0", "\r\n", "\r\n", "\r\n\r\n", "\r", "\n", ":", ": ", "\t", "Host: a", "Host",
        "Content-Length: 3",
        "Transfer-Encoding: chunked", "Connection: close", "Expect: 100-continue", "X: y", "\u{0}", "\u{7F}",
        "\u{E9}", ",",
    ]

    private static func randomRequest(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = [UInt8]((RequestCorpus.accepted.randomElement(using: &generator) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            let start = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...3, using: &generator))
            let piece = Bool.random(using: &generator) ? pieces.randomElement(using: &generator) ?? "" : ""
            bytes.replaceSubrange(start..<end, with: piece.utf8)
        }
        return bytes
    }

    @Test func answersTheSameInRandomPieces() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let limits = CodecLimits(headSize: 120, fieldCount: 3, targetSize: 30, bodySize: 10)
        for _ in 0..<4000 {
            let bytes = Self.randomRequest(&generator) + Self.randomRequest(&generator)
            let cuts = (0..<6).map { _ in Int.random(in: 0...bytes.count, using: &generator) }.sorted()
            let whole = description(of: HeadParser.parse(bytes, limits: limits))
            #expect(
                description(of: parse(bytes, cutAt: cuts, limits: limits)) == whole,
                "seed \(seed): \(text(bytes)) at \(cuts)")
        }
    }

    @Test func agreesWithASlowReadingOfTheRules() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<20_000 {
            let bytes = Self.randomRequest(&generator)
            let isAccepted = if case .head = HeadParser.parse(bytes) { true } else { false }
            #expect(isAccepted == SlowReading.accepts(bytes), "seed \(seed): \(text(bytes))")
        }
    }

    @Test func findsEveryByteByWordsAsOneByOne() {
        for byte in UInt8.min...UInt8.max {
            for position in 0..<18 {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 18)
                bytes[position] = byte
                #expect(Self.ends(bytes, from: 0) == Self.slowEnds(bytes, from: 0), "\(byte) at \(position)")
            }
        }
    }

    @Test func findsTheFirstOfManyBytesByWordsAsOneByOne() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let odd: [UInt8] = [
            0x00, 0x09, 0x0A, 0x0D, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x24, 0x7E, 0x7F, 0x80, 0xA3, 0xFF,
        ]
        for _ in 0..<5000 {
            var bytes = [UInt8](
                repeating: UInt8(ascii: "a"), count: Int.random(in: 0...40, using: &generator))
            for index in bytes.indices where Int.random(in: 0..<8, using: &generator) == 0 {
                bytes[index] = odd.randomElement(using: &generator) ?? 0
            }
            let start = Int.random(in: 0...bytes.count, using: &generator)
            #expect(
                Self.ends(bytes, from: start) == Self.slowEnds(bytes, from: start),
                "seed \(seed): \(bytes) from \(start)")
        }
    }

    private static func ends(_ bytes: [UInt8], from start: Int) -> [Int] {
        bytes.withUnsafeBytes { [$0.endOfFieldContent(from: start), $0.endOfTargetContent(from: start)] }
    }

    private static func slowEnds(_ bytes: [UInt8], from start: Int) -> [Int] {
        let rest = bytes[start...]
        return [
            rest.firstIndex { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F } ?? bytes.count,
            rest.firstIndex { $0 < 0x21 || $0 > 0x7E || $0 == 0x23 } ?? bytes.count,
        ]
    }
}

/// The rules for a whole head at the beginning of some bytes, one after the other, without any speed.
private enum SlowReading {
    static func accepts(_ bytes: [UInt8]) -> Bool {
        let all = bytes.starts(with: "\r\n".utf8) ? [UInt8](bytes.dropFirst(2)) : bytes
        var lines: [[UInt8]] = []
        var rest = all[...]
        while true {
            guard let end = rest.firstIndex(of: 13), end + 1 < rest.endIndex, rest[end + 1] == 10 else {
                return false
            }
            let line = [UInt8](rest[..<end])
            rest = rest[(end + 2)...]
            guard !line.contains(10) else { return false }
            if line.isEmpty { break }
            lines.append(line)
        }
        guard let requestLine = lines.first else { return false }
        let parts = requestLine.split(separator: 32, omittingEmptySubsequences: false).map {
            $0.map(Character.init(byte:))
        }
        guard parts.count == 3, let method = Method(rawValue: String(parts[0])) else { return false }
        guard ["HTTP/1.0", "HTTP/1.1"].contains(String(parts[2])) else { return false }
        guard let fields = fields(lines.dropFirst()), isTarget(String(parts[1]), method) else { return false }
        return isFramed(fields, isOld: parts[2].last == "0", method)
    }

    private static func fields(_ lines: ArraySlice<[UInt8]>) -> [(name: String, value: String)]? {
        guard lines.count <= 100 else { return nil }
        var fields: [(String, String)] = []
        for line in lines {
            guard let colon = line.firstIndex(of: 58), colon > 0 else { return nil }
            let tokens = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
            guard line[..<colon].allSatisfy({ tokens.utf8.contains($0) }) else { return nil }
            let value = line[(colon + 1)...]
            let name = String(line[..<colon].map(Character.init(byte:))).lowercased()
            let isDelicate = ["content-length", "transfer-encoding", "connection", "proxy-connection"]
                .contains(name)
            guard !isDelicate || !value.contains(9) else { return nil }
            guard value.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else { return nil }
            var text = String(value.map(Character.init(byte:)))
            while text.first == " " || text.first == "\t" { text.removeFirst() }
            while text.last == " " || text.last == "\t" { text.removeLast() }
            fields.append((name, text))
        }
        return fields
    }

    private static func isTarget(_ target: String, _ method: Method) -> Bool {
        guard !target.isEmpty,
            target.unicodeScalars.allSatisfy({ (33...126).contains($0.value) && $0 != "#" })
        else { return false }
        if method == .connect { return HostField(slice(target))?.port != nil }
        if target.hasPrefix("/") || (target == "*" && method == .options) { return true }
        guard target.lowercased().hasPrefix("http://") else { return false }
        return HostField(slice(String(target.dropFirst(7).prefix { $0 != "/" && $0 != "?" }))) != nil
    }

    private static func isFramed(
        _ fields: [(name: String, value: String)], isOld: Bool, _ method: Method
    ) -> Bool {
        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        let (hosts, lengths, codings) = (
            values("host"), values("content-length"), values("transfer-encoding")
        )
        guard hosts.count == 1 || (isOld && hosts.isEmpty) else { return false }
        guard hosts.allSatisfy({ HostField(slice($0)) != nil }) else { return false }
        guard lengths.count + codings.count <= 1 else { return false }
        guard lengths.allSatisfy({ Int($0).map { (0...65_536).contains($0) } == true }) else { return false }
        guard lengths.allSatisfy({ !$0.hasPrefix("+") && !$0.hasPrefix("-") }) else { return false }
        guard codings.allSatisfy({ !isOld && $0.lowercased() == "chunked" }) else { return false }
        guard method != .connect || lengths + codings == [] || lengths.allSatisfy({ Int($0) == 0 }) else {
            return false
        }
        return values("expect").allSatisfy { $0.lowercased() == "100-continue" }
    }
}

extension Character {
    /// The character of this number in Latin-1.
    fileprivate init(byte: UInt8) { self.init(UnicodeScalar(byte)) }
}
