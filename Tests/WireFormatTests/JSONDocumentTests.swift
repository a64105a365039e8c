import Testing

@testable import WireFormat

private func syntaxFault(of text: [UInt8]) -> String? {
    do {
        _ = try JSONDocument(text)
        return nil
    } catch .invalidJSON(let detail) {
        return detail
    } catch {
        return "\(error)"
    }
}

@Suite struct JSONDocumentTests {
    @Test(arguments: [
        ("", "it ends too early"), (" ", "it ends too early"), ("{", "it ends too early"),
        (#"{"a":1"#, "it ends too early"), (#"{"a"#, "it ends too early"),
        (#"{"a" 1}"#, "a : is expected"), ("{a:1}", "a member's name or } is expected"),
        (#"{"a":1,}"#, "a member's name or } is expected"), ("[1,]", "a value is expected"),
        ("[1 2]", "a , or ] is expected"), (#"{"a":1 "b":2}"#, "a , or } is expected"),
        ("{} x", "something follows the value"), ("{}}", "something follows the value"),
        ("{}\0", "something follows the value"), ("{}{}", "something follows the value"),
        ("{\"a\":\"\0\"}", "control character that is not escaped"),
        (#"{"a\u0000b":1}"#, "name holds a NUL"), (#"{"a":1,"a":2}"#, "named twice"),
        (#"{"a":1,"\u0061":2}"#, "named twice"), (#"{"b":{"a":1,"a":1}}"#, "named twice"),
        (#"{"a":"\ud800"}"#, "lone surrogate"), (#"{"a":"\ud800\u0041"}"#, "lone surrogate"),
        (#"{"a":"\udc00"}"#, "lone surrogate"), (#"{"a":"\ud800"#, "it ends too early"),
        ("\"a\nb\"", "line break that is not escaped"), ("\"a\tb\"", "control character that is not escaped"),
        (#""\x""#, "escape that JSON does not know"), (#""\u12g4""#, "escape that JSON does not know"),
        ("01", "is expected"), ("1.", "a value is expected"), ("+1", "a value is expected"),
        (".5", "a value is expected"), ("NaN", "a value is expected"), ("Infinity", "a value is expected"),
        ("'a'", "a value is expected"), ("// c\n{}", "a value is expected"), ("tru", "a value is expected"),
        ("True", "a value is expected"), ("\u{FEFF}{}", "a value is expected"),
        ("1e400", "a number is too large"),
        ("-1e400", "a number is too large"), (String(repeating: "9", count: 400), "a number is too large"),
    ])
    func refusesWhatIsNotJSON(_ json: String, _ reason: String) throws {
        let detail = try #require(syntaxFault(of: Array(json.utf8)))
        #expect(detail.contains(reason), "\(detail)")
        #expect(detail.contains("(near line "))
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82], [0xFF, 0x7B, 0x7D], [0x22, 0x80, 0x22],
            [0x7B, 0x22, 0xC3, 0x28, 0x22, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]])
    func refusesInvalidUTF8(_ json: [UInt8]) throws {
        #expect(try #require(syntaxFault(of: json)).contains("it is not valid UTF-8"))
    }

    @Test func tellsWhereTheFaultIsAndNothingOfTheText() throws {
        let detail = try #require(syntaxFault(of: Array("{\n \"a\": 1,\n \"b\": secret\n}".utf8)))
        #expect(detail.contains("line 3"))
        #expect(!detail.contains("secret"))
    }

    @Test func readsSixteenLevelsAndNoMore() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
            let levels = open.utf8.count { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "[") }
            #expect(syntaxFault(of: nested(16 / levels, open, close)) == nil)
            let detail = syntaxFault(of: nested(16 / levels + 1, open, close))
            #expect(detail == "The body is nested more than 16 levels deep.")
        }
        #expect(syntaxFault(of: nested(30_000, "[", "]")) == "The body is nested more than 16 levels deep.")
    }

    @Test func bracketsWithinStringsAreNoLevels() {
        let brackets = String(repeating: "[{", count: 50)
        #expect(syntaxFault(of: Array(#"{"a":"\#(brackets)","b\"\#(brackets)":"\\"}"#.utf8)) == nil)
        #expect(syntaxFault(of: Array(#"["\\",\#(String(repeating: "[", count: 16))"#.utf8)) != nil)
    }

    @Test(arguments: [
        "{}", "[]", #"{"a":"\u0000"}"#, " \r\n\t{} \n", #""😀""#, #""\ud83d\ude00""#, "null", "-0", "1E5",
        "1e-400",
    ])
    func takesEveryValue(_ json: String) {
        #expect(syntaxFault(of: Array(json.utf8)) == nil)
    }

    /// Bytes cut out, doubled and changed: no input traps, and what is refused has a text of ours.
    @Test func damagedTextIsRefusedOrRead() {
        var random = RandomValues()
        let sample = Array(
            #"{"title":"a\u00e9😀","progress":{"completed":3,"total":1e1},"x":[true,null]}"#.utf8)
        for _ in 0..<3_000 {
            var damaged = sample
            for _ in 0..<random.int(1...4) {
                let index = Int(random.int(0...Int64(damaged.count - 1)))
                switch random.next() % 3 {
                case 0: damaged[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: damaged.remove(at: index)
                default: damaged.insert(damaged[Int(random.int(0...Int64(index)))], at: index)
                }
            }
            if let detail = syntaxFault(of: damaged) {
                #expect(detail.hasPrefix("The body is ") && detail.utf8.count < 160, "seed \(random.seed)")
            }
        }
    }
}
