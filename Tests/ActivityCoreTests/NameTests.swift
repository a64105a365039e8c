import Testing

@testable import ActivityCore

@Suite struct NameTests {
    static let longest = String(repeating: "a", count: 128)

    @Test(arguments: [
        "a", "A", "0", "a.b", "a..b", "a.", "photos.sync", "a-b_c.9", "1.2.3.4.5.6.7.8", longest,
    ])
    func takesTaskAndScreenNames(text: String) {
        #expect(TaskName(text)?.rawValue == text)
        #expect(ScreenName(text)?.rawValue == text)
    }

    @Test(arguments: [
        "", ".a", "_a", "-a", "a b", "a/b", "a*", "ä", "a\n", "a\0", "1.2.3.4.5.6.7.8.9", longest + "a",
        "a\u{301}", "１",
    ])
    func refusesOtherTaskAndScreenNames(text: String) {
        #expect(TaskName(text) == nil)
        #expect(ScreenName(text) == nil)
    }

    @Test(arguments: ["a", "-a", "_", "7f3a", "a.b", "a..", String(repeating: "a", count: 64)])
    func takesRunIDs(text: String) { #expect(RunID(text)?.rawValue == text) }

    @Test(arguments: ["", ".", ".a", "a b", "é", String(repeating: "a", count: 65)])
    func refusesOtherRunIDs(text: String) { #expect(RunID(text) == nil) }

    @Test(arguments: ["acme", "acme.u-42", "-", "a.b.c.d", String(repeating: "a", count: 64) + ".b"])
    func takesScopes(text: String) { #expect(Scope(text)?.rawValue == text) }

    @Test(arguments: ["", ".", "a.", ".a", "a..b", "a.b.c.d.e", "a b", String(repeating: "a", count: 65)])
    func refusesOtherScopes(text: String) { #expect(Scope(text) == nil) }

    @Test func aScopesChainLeadsToTheRoot() {
        #expect(scope("a.b.c").chain.map(\.rawValue) == ["a.b.c", "a.b", "a", ""])
        #expect(Scope.root.chain == [.root])
        #expect(Scope.root.parent == nil)
    }

    @Test(arguments: [
        ("chats", ["chats"], ["chats.a", "chat", "chatsx"]),
        ("chats.*", ["chats.a", "chats.", "chats.a.b"], ["chats", "chatsx.a"]),
        ("chats*", ["chats", "chatsx", "chats.a"], ["chat", "Chats"]),
        ("*", ["a", "chats.a"], []),
    ])
    func aPatternCovers(text: String, covered: [String], others: [String]) throws {
        let pattern = try #require(TaskPattern(text))
        #expect(pattern.text == text)
        #expect(covered.allSatisfy { pattern.matches(name($0)) })
        #expect(!others.contains { pattern.matches(name($0)) })
    }

    @Test(arguments: ["", "**", "a*b", "*a", ".*", "-*", "a b*", "1.2.3.4.5.6.7.8.*", longest + "a*"])
    func refusesOtherPatterns(text: String) { #expect(TaskPattern(text) == nil) }
}
