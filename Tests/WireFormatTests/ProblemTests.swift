import ActivityCore
import Testing

@testable import WireFormat

@Suite struct ProblemTests {
    @Test func hasTheStatusOfTheDesign() {
        let statuses = Problem.Kind.allCases.map { "\($0.rawValue) \($0.status)" }
        #expect(
            statuses == [
                "bad-request 400", "invalid-json 400", "invalid-name 400", "invalid-parameter 400",
                "invalid-member 422", "unauthenticated 401", "forbidden 403", "origin-not-allowed 403",
                "not-found 404", "method-not-allowed 405", "not-acceptable 406", "request-timeout 408",
                "run-ended 409", "run-exists 409", "precondition-failed 412", "too-large 413",
                "uri-too-long 414", "unsupported-media-type 415", "expectation-failed 417",
                "misdirected-request 421", "idempotency-key-reused 422", "quota-exceeded 429",
                "head-too-large 431", "internal 500", "not-implemented 501", "unavailable 503",
                "version-not-supported 505",
            ])
        #expect(Set(Problem.Kind.allCases.map(\.title)).count == Problem.Kind.allCases.count)
    }

    @Test func isAProblemDocument() {
        let problem = Problem(.notFound, "There is no run “7f3a”.")
        #expect(
            text(problem.encode())
                == #"{"type":"/problems/not-found","title":"Nothing is there","status":404,"#
                + #""detail":"There is no run “7f3a”."}"#)
    }

    @Test(
        arguments: [
            (.parameter("width"), #""parameter":"width""#), (.limit(65_536), #""limit":65536"#),
            (.state(.canceled), #""state":"canceled""#), (.endedAt(nil), #""endedAt":null"#),
            (.endedAt(sampleTime), #""endedAt":"2026-11-30T19:47:33.120Z""#),
            (.current(nil), #""current":null"#),
            (.current(Token(rawValue: 0x9f2c_1b77_a01d_33e4)), #""current":"9f2c1b77a01d33e4""#),
            (.requestID("a-1"), #""requestId":"a-1""#), (.allow([]), #""allow":[]"#),
            (.allow(["GET", "HEAD"]), #""allow":["GET","HEAD"]"#), (.errors([]), #""errors":[]"#),
            (
                .errors([MemberFault(pointer: "/a~1\"", detail: "x"), MemberFault(pointer: "", detail: "y")]),
                #""errors":[{"pointer":"/a~1\"","detail":"x"},{"pointer":"","detail":"y"}]"#
            ),
        ] as [(Problem.Member, String)])
    func writesWhatHelps(_ member: Problem.Member, _ json: String) {
        let problem = text(Problem(.internal, "d", [member, .limit(1)]).encode())
        #expect(
            problem
                == #"{"type":"/problems/internal","title":"The service failed","status":500,"detail":"d","#
                + json + #","limit":1}"#)
    }

    @Test func tellsAllFaultsOfABody() throws {
        do {
            _ = try RunBody.declaration(from: Array("{\"ttl\":1,\"\u{202E}x\":1}".utf8))
            Issue.record("the body was accepted")
        } catch {
            let problem = Problem(error)
            #expect(problem.status == 422)
            #expect(
                text(problem.encode()).hasSuffix(
                    #""errors":[{"pointer":"/ttl","detail":"must be a whole number from 5 to 86400"},"#
                        + #"{"pointer":"/\u202ex","detail":"is not a member that is known here"}]}"#))
        }
        #expect(Problem(BodyError.invalidJSON(detail: "d")) == Problem(.invalidJSON, "d"))
    }
}
