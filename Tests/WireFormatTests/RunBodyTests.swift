import ActivityCore
import Testing

@testable import WireFormat

@Suite struct RunBodyTests {
    @Test func writesTheRunOfTheDesign() throws {
        let body = RunBody.encode(try sampleKey(), sampleRun(), expiresIn: 60)
        #expect(
            text(body)
                == #"{"task":"chats.sync","run":"7f3a","scope":"","state":"running","title":"Updating…","#
                + #""progress":{"completed":3,"total":10},"priority":200,"ttl":60,"expiresIn":60,"#
                + #""cancelRequested":false,"isSilent":false,"reason":null,"isLate":false,"revivalCount":0,"#
                + #""startedAt":"2026-11-30T19:47:33.120Z","endedAt":null}"#)
    }
}
