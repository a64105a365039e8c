import ActivityCore
import Testing

@testable import WireFormat

private func declaration(_ json: String) throws -> RunDeclaration {
    try RunBody.declaration(from: Array(json.utf8))
}

private func patch(_ json: String) throws -> RunPatch { try RunBody.patch(from: Array(json.utf8)) }

@Suite struct RunDeclarationTests {
    @Test(arguments: [
        "", "{}", #"{"state":null,"title":null,"progress":null,"priority":null,"ttl":null,"isSilent":null}"#,
        #"{"reason":null}"#, #"{"state":"running","priority":0,"ttl":60,"isSilent":false}"#,
    ])
    func saysNothingByDefault(_ json: String) throws {
        #expect(try declaration(json) == RunDeclaration())
    }

    @Test func readsEveryMember() throws {
        let json = #"""
            {"state":"failed","title":"","progress":{"completed":12,"total":10},"priority":-1000,"ttl":86400,
            "isSilent":true,"reason":"disk full"}
            """#
        #expect(
            try declaration(json)
                == RunDeclaration(
                    state: .failed, title: "", progress: Progress(completed: 12, total: 10), priority: -1_000,
                    ttl: 86_400, isSilent: true, reason: "disk full"))
    }

    @Test(arguments: ["5.0", "5e0", "0.5e1", "50E-1"])
    func aNumberWithoutFractionIsWhole(_ number: String) throws {
        #expect(try declaration(#"{"ttl":\#(number)}"#).ttl == 5)
    }

    @Test func takesTheLargestProgress() throws {
        let json = #"{"progress":{"completed":0,"total":9007199254740991}}"#
        #expect(try declaration(json).progress == Progress(completed: 0, total: 9_007_199_254_740_991))
    }

    @Test(arguments: [
        ("[]", [""]), ("null", [""]), ("3", [""]), (#""x""#, [""]), ("true", [""]),
        (#"{"state":"lost"}"#, ["/state"]), (#"{"state":"Running"}"#, ["/state"]),
        (#"{"state":1}"#, ["/state"]),
        (#"{"state":""}"#, ["/state"]), (#"{"title":1}"#, ["/title"]), (#"{"title":["a"]}"#, ["/title"]),
        (#"{"title":"a\nb"}"#, ["/title"]), (#"{"title":"\u0000"}"#, ["/title"]),
        (#"{"state":"running\u0000"}"#, ["/state"]), (#"{"title":"\u202ea"}"#, ["/title"]),
        (#"{"reason":"\u2028"}"#, ["/reason"]), (#"{"reason":false}"#, ["/reason"]),
        (#"{"priority":1001}"#, ["/priority"]), (#"{"priority":-1001}"#, ["/priority"]),
        (#"{"priority":"1"}"#, ["/priority"]), (#"{"priority":0.5}"#, ["/priority"]),
        (#"{"ttl":4}"#, ["/ttl"]), (#"{"ttl":86401}"#, ["/ttl"]), (#"{"ttl":5.5}"#, ["/ttl"]),
        (#"{"ttl":99999999999999999999}"#, ["/ttl"]), (#"{"ttl":1e300}"#, ["/ttl"]),
        (#"{"ttl":true}"#, ["/ttl"]), (#"{"isSilent":1}"#, ["/isSilent"]),
        (#"{"isSilent":"true"}"#, ["/isSilent"]),
        (#"{"progress":5}"#, ["/progress"]), (#"{"progress":[1,2]}"#, ["/progress"]),
        (#"{"progress":{}}"#, ["/progress/completed", "/progress/total"]),
        (#"{"progress":{"completed":1}}"#, ["/progress/total"]),
        (#"{"progress":{"completed":1,"total":null}}"#, ["/progress/total"]),
        (#"{"progress":{"completed":1,"total":0}}"#, ["/progress/total"]),
        (#"{"progress":{"completed":-1,"total":1}}"#, ["/progress/completed"]),
        (#"{"progress":{"completed":9007199254740992,"total":1}}"#, ["/progress/completed"]),
        (#"{"progress":{"completed":9007199254740993,"total":1}}"#, ["/progress/completed"]),
        (#"{"progress":{"completed":1,"total":2,"unit":"MB"}}"#, ["/progress/unit"]),
        (#"{"titel":"x"}"#, ["/titel"]), (#"{"titel":null}"#, ["/titel"]), (#"{"a/b~c":1}"#, ["/a~1b~0c"]),
        (#"{"":1}"#, ["/"]), (#"{"Title":"x","ttl":5}"#, ["/Title"]),
        (#"{"cancelRequested":true}"#, ["/cancelRequested"]),
        (#"{"startedAt":"2026-11-30T00:00:00Z"}"#, ["/startedAt"]),
        (#"{"expiresIn":60,"task":"a"}"#, ["/expiresIn", "/task"]),
        (#"{"ttl":1,"x":1,"priority":1e9,"state":3}"#, ["/state", "/priority", "/ttl", "/x"]),
    ])
    func refusesWhatBreaksARule(_ json: String, _ pointers: [String]) {
        let faults = faults { _ = try declaration(json) }
        #expect(faults.map(\.pointer) == pointers)
        #expect(faults.allSatisfy { !$0.detail.isEmpty })
    }

    @Test func tellsTheRule() {
        let faults = faults {
            _ = try declaration(
                #"{"ttl":4,"title":"a\u0007","state":"lost","x":1,"endedAt":null,"cancelRequested":true}"#)
        }
        #expect(
            faults == [
                MemberFault(
                    pointer: "/state",
                    detail:
                        "must be running, succeeded, failed or canceled (only the service finds a run lost)"),
                MemberFault(
                    pointer: "/title",
                    detail: "must have no control characters, line separators or bidirectional overrides "
                        + "(there is one after 1 scalars)"),
                MemberFault(pointer: "/ttl", detail: "must be a whole number from 5 to 86400"),
                MemberFault(pointer: "/x", detail: "is not a member that is known here"),
                MemberFault(pointer: "/endedAt", detail: "is told by the service, and cannot be declared"),
                MemberFault(pointer: "/cancelRequested", detail: "is set by PATCH only"),
            ])
    }

    @Test(arguments: ["a", "ä", "…", "😀", "\u{0301}"])
    func countsTextInScalars(_ scalar: String) throws {
        let full = String(repeating: scalar, count: 200)
        #expect(try declaration(#"{"title":"\#(full)"}"#).title == full)
        let long = faults { _ = try declaration(#"{"title":"\#(full + scalar)"}"#) }
        #expect(long.map(\.detail) == ["must have 0 to 200 Unicode scalars, but has 201"])
        let reason = String(repeating: scalar, count: 2_000)
        #expect(try declaration(#"{"reason":"\#(reason)"}"#).reason == reason)
        #expect(
            faults { _ = try declaration(#"{"reason":"\#(reason + scalar)"}"#) }.map(\.pointer) == ["/reason"]
        )
    }

    @Test func textsHoldWhatIsHarmlessAndNothingElse() throws {
        var forbidden: Set<UInt32> = [0x2028, 0x2029]
        forbidden.formUnion(0...0x1F)
        forbidden.formUnion(0x7F...0x9F)
        forbidden.formUnion(0x202A...0x202E)
        forbidden.formUnion(0x2066...0x2069)
        for code in 0...0x3000 as ClosedRange<UInt32> {
            let scalar = try #require(Unicode.Scalar(code))
            var writer = JSONWriter(capacity: 32)
            writer.string("a\(scalar)b")
            let body = Array(#"{"title":"#.utf8) + writer.bytes + Array("}".utf8)
            let isAccepted = (try? RunBody.declaration(from: body))?.title == "a\(scalar)b"
            #expect(isAccepted != forbidden.contains(code), "U+\(String(code, radix: 16))")
        }
    }

    @Test func namesNoMoreThan32FaultsAndCutsLongNames() {
        let many = (0..<1_000).map { #""x\#($0)":1"# }.joined(separator: ",")
        let all = faults { _ = try declaration("{\(many)}") }
        #expect(all.map(\.pointer) == (0..<32).map { "/x\($0)" })
        let long = faults { _ = try declaration(#"{"\#(String(repeating: "é", count: 60_000))":1}"#) }
        #expect(long.map(\.pointer) == ["/" + String(repeating: "é", count: 64) + "…"])
    }

    @Test func readsBackWhatItWrote() throws {
        var random = RandomValues()
        for _ in 0..<500 {
            let declaration = random.declaration([.running, .succeeded, .failed, .canceled])
            #expect(
                try RunBody.declaration(from: body(of: declaration)) == declaration, "seed \(random.seed)")
        }
    }

    /// What a worker would send.
    private func body(of declaration: RunDeclaration) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.literal(#"{"reason":"#)
        writer.optional(declaration.reason) { $0.string($1) }
        writer.literal(#","progress":"#)
        writer.optional(declaration.progress) { $0.progress($1) }
        writer.literal(#","title":"#)
        writer.optional(declaration.title) { $0.string($1) }
        writer.literal(#","isSilent":"#)
        writer.boolean(declaration.isSilent)
        writer.literal(#","ttl":"#)
        writer.number(Double(declaration.ttl))
        writer.literal(#","priority":"#)
        writer.integer(declaration.priority)
        writer.literal(#","state":"#)
        writer.name(declaration.state.rawValue)
        writer.literal("}")
        return writer.bytes
    }
}

@Suite struct RunPatchTests {
    @Test(arguments: ["", "{}", " {} "])
    func anEmptyPatchOnlyRenews(_ json: String) throws {
        #expect(try patch(json) == RunPatch())
    }

    @Test func tellsAbsentNullAndValueApart() throws {
        var expected = RunPatch()
        expected.title = .null
        expected.priority = .value(7)
        expected.progress = .value(ProgressPatch(completed: .value(4)))
        #expect(try patch(#"{"title":null,"priority":7,"progress":{"completed":4}}"#) == expected)

        expected = RunPatch()
        (expected.state, expected.progress, expected.priority) = (.null, .null, .null)
        (expected.ttl, expected.isSilent, expected.reason) = (.null, .null, .null)
        #expect(
            try patch(
                #"{"state":null,"progress":null,"priority":null,"ttl":null,"isSilent":null,"reason":null}"#)
                == expected)

        expected = RunPatch()
        (expected.state, expected.ttl) = (.value(.succeeded), .value(5))
        (expected.isSilent, expected.reason, expected.requestsCancel) = (.value(true), .value("done"), true)
        expected.progress = .value(ProgressPatch(completed: .null, total: .value(1)))
        let json = #"""
            {"state":"succeeded","ttl":5,"isSilent":true,"reason":"done","cancelRequested":true,
            "progress":{"completed":null,"total":1}}
            """#
        #expect(try patch(json) == expected)
    }

    @Test(arguments: ["false", "null", "1", #""true""#])
    func aRequestToStopCannotBeWithdrawn(_ value: String) {
        let faults = faults { _ = try patch(#"{"cancelRequested":\#(value)}"#) }
        #expect(
            faults == [
                MemberFault(pointer: "/cancelRequested", detail: "must be true, which cannot be withdrawn")
            ])
    }

    @Test(arguments: [
        ("[]", [""]), ("null", [""]), (#"{"state":"lost"}"#, ["/state"]), (#"{"ttl":0}"#, ["/ttl"]),
        (#"{"progress":{"total":0}}"#, ["/progress/total"]), (#"{"progress":{"x":0}}"#, ["/progress/x"]),
        (#"{"progress":{"completed":-1,"total":"9"}}"#, ["/progress/completed", "/progress/total"]),
        (#"{"title":"\u0085","revivalCount":1}"#, ["/title", "/revivalCount"]),
    ])
    func refusesWhatBreaksARule(_ json: String, _ pointers: [String]) {
        #expect(faults { _ = try patch(json) }.map(\.pointer) == pointers)
    }

    @Test func brokenJSONIsAnotherError() {
        #expect(isInvalidJSON { _ = try patch(#"{"ttl":5,"ttl":6}"#) })
        #expect(isInvalidJSON { _ = try patch("{") })
        #expect(isInvalidJSON { _ = try declaration(" ") })
    }
}

@Suite struct RunEncodingTests {
    private let start =
        #"{"task":"chats.sync","run":"7f3a","scope":"","state":"running","title":"Updating…","#
        + #""progress":{"completed":3,"total":10},"priority":200,"ttl":60,"#
    private let end =
        #""cancelRequested":false,"isSilent":false,"reason":null,"isLate":false,"revivalCount":0,"#
        + #""startedAt":"2026-11-30T19:47:33.120Z","endedAt":null}"#

    @Test func writesTheRunOfTheDesign() throws {
        let key = try sampleKey()
        #expect(
            text(RunBody.encode(key, sampleRun(), expiresIn: 60).body) == start + #""expiresIn":60,"# + end)
        #expect(text(RunBody.encode(key, sampleRun())) == start + end)
        #expect(
            text(RunBody.encode(key, sampleRun(), expiresIn: nil).body) == start + #""expiresIn":null,"# + end
        )
    }

    @Test(
        arguments: [
            (0, "0"), (-3, "0"), (59.9994, "59.999"), (59.9996, "60"), (0.0004, "0"), (90_720, "90720"),
            (.infinity, "1000000000"),
        ] as [(Double, String)])
    func showsTheLeaseToTheMillisecond(_ seconds: Double, _ expected: String) throws {
        let body = text(RunBody.encode(try sampleKey(), sampleRun(), expiresIn: seconds).body)
        #expect(body.contains(#""ttl":60,"expiresIn":\#(expected),"#))
    }

    @Test func writesAnEndedRunOfAScope() throws {
        let scope = try #require(Scope("acme.u-42"))
        let declaration = RunDeclaration(state: .failed, isSilent: true, reason: "a \"b\"")
        let run = Run(
            declaration: declaration, cancelRequested: true, isLate: true, revivalCount: 2,
            startedAt: sampleTime,
            endedAt: Timestamp(milliseconds: 1_796_068_053_121), ordinal: 1, origin: .keyed(bodyHash: 3))
        #expect(
            text(RunBody.encode(try sampleKey(scope: scope), run))
                == #"{"task":"chats.sync","run":"7f3a","scope":"acme.u-42","state":"failed","title":null,"#
                + #""progress":null,"priority":0,"ttl":60,"cancelRequested":true,"isSilent":true,"#
                + #""reason":"a \"b\"","isLate":true,"revivalCount":2,"startedAt":"2026-11-30T19:47:33.120Z","#
                + #""endedAt":"2026-11-30T19:47:33.121Z"}"#)
    }

    @Test func theTokenIsThatOfTheGetBody() throws {
        let key = try sampleKey()
        #expect(RunBody.token(key, sampleRun()) == Token(of: RunBody.encode(key, sampleRun())))
        var other = sampleRun()
        other.ordinal = 99
        #expect(RunBody.token(key, other) == RunBody.token(key, sampleRun()))
        other.declaration.priority = 201
        #expect(RunBody.token(key, other) != RunBody.token(key, sampleRun()))
    }

    @Test func writesLists() throws {
        let key = try sampleKey()
        let item = text(RunBody.encode(key, sampleRun(), expiresIn: 1.5).body)
        #expect(text(RunBody.list([], next: nil)) == #"{"items":[]}"#)
        #expect(text(RunBody.list([(key, sampleRun(), 1.5)], next: nil)) == #"{"items":[\#(item)]}"#)
        let two = RunBody.list([(key, sampleRun(), 1.5), (key, sampleRun(), 1.5)], next: "abc")
        #expect(text(two) == #"{"items":[\#(item),\#(item)],"next":"abc"}"#)
    }

    @Test func everyRunIsValidJSON() throws {
        var random = RandomValues()
        for _ in 0..<500 {
            let run = random.run()
            let key = random.key()
            let (body, token) = RunBody.encode(
                key, run, expiresIn: random.maybe { $0.double(0...90_720) })
            #expect(token == RunBody.token(key, run))
            let names = try readDocument(body) { body in
                var names: [String] = []
                body.eachMember { name, _ in names.append(name) }
                return names
            }
            #expect(
                names == [
                    "task", "run", "scope", "state", "title", "progress", "priority", "ttl", "expiresIn",
                    "cancelRequested", "isSilent", "reason", "isLate", "revivalCount", "startedAt", "endedAt",
                ], "seed \(random.seed)")
        }
    }
}
