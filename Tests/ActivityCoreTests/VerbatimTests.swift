import Testing

@testable import ActivityCore

/// "é" as one scalar, and as "e" with a combining accent: equal to Swift's strings, not to those who read bytes.
private let composed = "Caf\u{e9}"
private let decomposed = "Cafe\u{301}"

@Suite struct VerbatimTests {
    @Test func tellsTextsApartThatOnlyLookTheSame() {
        #expect(composed == decomposed)
        #expect(RunDeclaration(title: composed) != RunDeclaration(title: decomposed))
        #expect(RunDeclaration(title: composed) == RunDeclaration(title: "Caf" + "\u{e9}"))
        #expect(RunDeclaration(title: nil) != RunDeclaration(title: ""))
        #expect(RunDeclaration(reason: composed) != RunDeclaration(reason: decomposed))
    }

    @Test func recordsAndPublishesATitleThatOnlyLooksTheSame() throws {
        var registry = Registry()
        let now = Moment(instant: Instant(milliseconds: 0), wall: Timestamp(milliseconds: 0))
        registry.start(at: now)
        let key = RunKey(
            scope: .root, task: try #require(TaskName("cafe")), run: try #require(RunID("1")))
        var published: [[UInt8]] = []
        for title in [composed, decomposed] {
            _ = registry.evaluate(.put(key, RunDeclaration(title: title)), at: now) { _ in true }
            #expect(registry.uncommitted.count == 1)
            registry.commit(at: now)
            _ = registry.advance(to: now, askedFor: nil)
            let title = registry.takeChanges().screens.first?.1?.title ?? "nothing"
            published.append(Array(title.utf8))
        }
        #expect(published == [Array(composed.utf8), Array(decomposed.utf8)])
    }
}
