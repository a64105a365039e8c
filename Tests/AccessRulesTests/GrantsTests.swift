import ActivityCore
import Testing

@testable import AccessRules

private func scope(_ text: String) throws -> Scope { text.isEmpty ? .root : try #require(Scope(text)) }
private func task(_ text: String) throws -> TaskName { try #require(TaskName(text)) }

@Suite struct ScopePatternTests {
    @Test(arguments: [
        ("", "", true), ("", "acme", false), (">", "", true), (">", "acme.u-42", true),
        ("acme", "acme", true),
        ("acme", "acme.u-42", false), ("acme.>", "acme", true), ("acme.>", "acme.u-42", true),
        ("acme.>", "acme.u-42.a.b", true), ("acme.>", "acme2", false), ("acme.>", "acme-x.u", false),
        ("acme.>", "", false), ("acme.u-42.>", "acme.u-421", false), ("acme.u-42.>", "acme", false),
        ("acme.u-42", "acme.u-421", false),
    ])
    func coversLabelByLabel(pattern: String, text: String, expected: Bool) throws {
        #expect(try #require(ScopePattern(pattern)).covers(scope(text)) == expected)
    }

    @Test(arguments: [
        ".>", ">.acme", "acme.*", "acme>", "acme..>", "a.b.c.d.e.>", "acme.>.x", ".", "*", " ", "acme.> ",
        "é",
    ])
    func refusesWhatIsNoPattern(text: String) { #expect(ScopePattern(text) == nil) }
}

@Suite struct GrantsTests {
    @Test func nothingIsAllowedWithoutAGrant() throws {
        let needs: [AccessNeed] = [
            .task(.writeTasks, try task("a"), in: .root), .everyTask(.readTasks, in: .root),
            .screens(in: .root),
            .configuration, .administration,
        ]
        for need in needs {
            #expect(!Grants().allow(need))
            #expect(!Grants([Grant(permissions: [], scope: .all)]).allow(need))
        }
    }

    @Test func noPermissionIncludesAnother() throws {
        for permission in Permission.allCases {
            let grants = Grants([Grant(permissions: [permission], scope: .all)])
            for other in [Permission.writeTasks, .readTasks, .cancelTasks] {
                #expect(grants.allow(.task(other, try task("a"), in: .root)) == (other == permission))
                #expect(grants.allow(.everyTask(other, in: .root)) == (other == permission))
            }
            #expect(grants.allow(.screens(in: .root)) == (permission == .readScreens))
            #expect(grants.allow(.configuration) == (permission == .writeScreens))
            #expect(grants.allow(.administration) == (permission == .admin))
        }
    }

    @Test(arguments: [("", true), (">", true), ("acme", false), ("acme.>", false)])
    func screensAreConfiguredOnlyByWhoIsGrantedTheRoot(pattern: String, expected: Bool) throws {
        let grant = Grant(permissions: [.writeScreens], scope: try #require(ScopePattern(pattern)))
        #expect(Grants([grant]).allow(.configuration) == expected)
    }

    @Test func aGrantForSomeTasksIsNoneForAll() throws {
        let chats = try #require(TaskPattern("chats.*"))
        let grants = Grants([Grant(permissions: [.readTasks, .writeTasks], scope: .all, tasks: [chats])])
        #expect(grants.allow(.task(.readTasks, try task("chats.sync"), in: .root)))
        #expect(!grants.allow(.task(.readTasks, try task("chat"), in: .root)))
        #expect(!grants.allow(.everyTask(.readTasks, in: .root)))
    }

    /// Two grants that each give a half do not make a whole.
    @Test func grantsAreNotMixed() throws {
        let own = try #require(ScopePattern("acme"))
        let grants = Grants([
            Grant(permissions: [.writeTasks], scope: own, tasks: []),
            Grant(permissions: [.readTasks], scope: .all),
        ])
        #expect(!grants.allow(.task(.writeTasks, try task("a"), in: try scope("acme"))))
        #expect(!grants.allow(.task(.writeTasks, try task("a"), in: .root)))
    }
}
