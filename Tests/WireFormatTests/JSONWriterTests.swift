import Testing

@testable import WireFormat

private func written(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(capacity: 0)
    write(&writer)
    return text(writer.bytes)
}

@Suite struct JSONWriterNumberTests {
    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-1, "-1"), (20, "20"), (0.5, "0.5"), (-0.5, "-0.5"),
            (-0.25, "-0.25"),
            (0.1 + 0.2, "0.30000000000000004"), (0.3, "0.3"), (89.5, "89.5"), (10_000, "10000"),
            (1.0 / 3, "0.3333333333333333"), (0.000001, "0.000001"), (1e-7, "1e-07"),
            (87.5478515625, "87.5478515625"),
            (9_007_199_254_740_992, "9007199254740992"), (1e15, "1000000000000000"), (1e300, "1e+300"),
            (.leastNonzeroMagnitude, "5e-324"), (-.greatestFiniteMagnitude, "-1.7976931348623157e+308"),
            (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)])
    func writesDoublesShort(_ value: Double, _ expected: String) {
        #expect(written { $0.number(value) } == expected)
    }

    @Test func doublesReadBackAndAreNoLongerThanTheShortestForm() throws {
        var random = RandomValues()
        for round in 0..<5_000 {
            let value =
                round % 2 == 0 ? random.double(-10_000...10_000) : Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let json = written { $0.number(value) }
            #expect(Double(json) == value, "seed \(random.seed)")
            let digits = json.prefix { $0 != "e" }.filter(\.isNumber)
            let shortest = value.description.prefix { $0 != "e" }.filter(\.isNumber)
            #expect(trimmed(digits) == trimmed(shortest), "seed \(random.seed): \(json)")
        }
    }

    /// The digits without the zeros that only place the point.
    private func trimmed(_ digits: String) -> String {
        let start = digits.drop { $0 == "0" }
        return String(start.reversed().drop { $0 == "0" }.reversed())
    }

    @Test(
        arguments: [
            (0, "0"), (9, "9"), (10, "10"), (-10, "-10"), (.max, "9223372036854775807"),
            (.min, "-9223372036854775808"),
        ] as [(Int64, String)])
    func writesIntegers(_ value: Int64, _ expected: String) {
        #expect(written { $0.integer(value) } == expected)
    }

    @Test(
        arguments: [
            (0, "0"), (1, "0.001"), (10, "0.01"), (300, "0.3"), (999, "0.999"), (1_000, "1"), (1_010, "1.01"),
            (-1_500, "-1.5"), (86_400_000, "86400"),
        ] as [(Int64, String)])
    func writesThousandths(_ value: Int64, _ expected: String) {
        #expect(written { $0.thousandths(value) } == expected)
    }
}

@Suite struct JSONWriterStringTests {
    @Test(arguments: [
        ("", #""""#), ("Updating…", #""Updating…""#), ("a/b", #""a/b""#), (#"a"b\c"#, #""a\"b\\c""#),
        ("\u{0}\u{1}\u{1F}", #""\u0000\u0001\u001f""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\u0008\u000c""#),
        ("\u{7F}\u{80}\u{9F}\u{A0}", "\"\\u007f\\u0080\\u009f\u{A0}\""),
        (
            "\u{2027}\u{2028}\u{2029}\u{202A}\u{202E}\u{202F}",
            "\"\u{2027}\\u2028\\u2029\\u202a\\u202e\u{202F}\""
        ),
        ("\u{2065}\u{2066}\u{2069}\u{206A}", "\"\u{2065}\\u2066\\u2069\u{206A}\""), ("😀é", "\"😀é\""),
    ])
    func escapesWhatIsNotPlain(_ value: String, _ expected: String) {
        #expect(written { $0.string(value) } == expected)
    }

    /// Every scalar below U+3000, and every 61st above.
    @Test func scalarsReadBack() throws {
        let codes =
            Array(1..<0x3000 as Range<UInt32>) + Array(stride(from: 0x3000, through: 0x10FFFF, by: 61))
        var value = ""
        value.unicodeScalars.append(contentsOf: codes.compactMap(Unicode.Scalar.init))
        let json = written { $0.string(value) }
        #expect(!json.utf8.contains { $0 < 0x20 || $0 == 0x7F })
        let read = try readDocument(Array(json.utf8)) { $0.string("a string") { $0 } }
        #expect(Array(read.utf8) == Array(value.utf8))
    }
}
