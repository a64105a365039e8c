import ActivityCore
import Glibc
import Testing

@testable import ActivityService

@Suite struct LogTests {
    private static let time = Timestamp(milliseconds: 1_796_068_053_120)

    private func line(
        _ message: String, _ members: KeyValuePairs<String, String> = [:], dropped: Int = 0
    ) -> String {
        let line = LogLine(
            time: Self.time, level: .info, message: message, members: members, dropped: dropped)
        return String(decoding: line.bytes, as: UTF8.self)
    }

    @Test func writesTimeLevelMessageAndMembersInTheirOrder() {
        #expect(
            line("Listening", ["b": "1", "a": "2"])
                == #"{"time":"2026-11-30T19:47:33.120Z","level":"info","message":"Listening","b":"1","a":"2"}"#
                + "\n")
    }

    @Test func tellsHowManyLinesWereDropped() {
        #expect(line("x", dropped: 7).contains(#""level":"info","dropped":"7","message":"x""#))
    }

    @Test(arguments: [
        ("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\r", #"\u000d"#), ("\0", #"\u0000"#),
        ("\u{1b}", #"\u001b"#),
        ("\u{7f}", #"\u007f"#), ("\u{9b}", #"\u009b"#), ("\u{2028}", #"\u2028"#), ("\u{202e}", #"\u202e"#),
        ("é…😀", "é…😀"), ("/", "/"),
    ])
    func escapesWhatWouldBreakALineOrATerminal(_ text: String, _ escaped: String) {
        #expect(line("a\(text)b").contains("\"message\":\"a\(escaped)b\"}"))
    }

    @Test(arguments: [("a", 1), ("é", 2), ("…", 3), ("\u{1}", 6)])
    func staysWithinWhatAPipeTakesInOnePiece(_ character: String, _ width: Int) {
        for count in (3_950 / width)...(4_200 / width) {
            let line = line(String(repeating: character, count: count), ["reason": "why"])
            #expect(line.utf8.count <= LogLine.longest)
            #expect(line.hasSuffix("\"}\n"))
        }
    }

    @Test func writesOneWholeLinePerCallFromManyThreads() async throws {
        let pipe = try Pipe()
        let log = Log(level: .info, descriptor: pipe.input)
        await withTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask { for number in 0..<20 { log.info("line", ["number": "\(writer).\(number)"]) } }
            }
        }
        let lines = pipe.contents().split(separator: "\n")
        #expect(lines.count == 160)
        #expect(lines.allSatisfy { $0.hasPrefix("{\"time\":\"") && $0.hasSuffix("\"}") })
    }

    @Test func leavesOutWhatIsLessUrgentThanItsLevel() throws {
        let pipe = try Pipe()
        let log = Log(level: .warning, descriptor: pipe.input)
        log.info("a")
        log.warning("b")
        log.error("c")
        let lines = pipe.contents().split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""level":"warning","message":"b""#) == true)
    }

    @Test func dropsLinesRatherThanWaitForTheirReader() throws {
        let pipe = try Pipe()
        let log = Log(level: .info, descriptor: pipe.input)
        for _ in 0..<1_000 { log.info(String(repeating: "x", count: 1_000)) }
        let before = pipe.contents().split(separator: "\n")
        #expect(before.count < 1_000)
        log.info("after")
        let after = pipe.contents()
        #expect(after.contains("\"dropped\":\"\(1_000 - before.count)\",\"message\":\"after\""))
        log.info("later")
        #expect(!pipe.contents().contains("dropped"))
    }

    @Test func outlivesAReaderThatIsGone() throws {
        let pipe = try Pipe()
        pipe.closeOutput()
        Log(level: .info, descriptor: pipe.input).info("x")
    }
}

/// A pipe whose reader does not wait.
final class Pipe {
    let input: Int32
    private let output: Int32
    private var isOutputOpen = true

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        (output, input) = (ends[0], ends[1])
        try #require(fcntl(output, F_SETFL, O_NONBLOCK) == 0)
    }

    deinit {
        closeOutput()
        close(input)
    }

    func closeOutput() {
        if isOutputOpen { close(output) }
        isOutputOpen = false
    }

    /// Everything that is in it, taken out.
    func contents() -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output, &part, part.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += part[..<count]
        }
    }
}
