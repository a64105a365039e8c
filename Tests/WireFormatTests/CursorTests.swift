import ActivityCore
import Testing

@testable import WireFormat

@Suite struct CursorTests {
    @Test func readsBackUnderItsOwnFilterOnly() throws {
        var random = RandomValues()
        let states: [RunState?] = RunState.allCases + [nil]
        for _ in 0..<200 {
            let key = random.key()
            let filter = random.maybe { $0.task() }
            let state = random.one(of: states)
            let cursor = Cursor.afterRun(
                key.run, of: key.task, scope: key.scope, taskFilter: filter, state: state)
            let read = Cursor.run(from: cursor, scope: key.scope, taskFilter: filter, state: state)
            #expect(read?.task == key.task && read?.run == key.run, "seed \(random.seed)")

            for other in states where other != state {
                #expect(Cursor.run(from: cursor, scope: key.scope, taskFilter: filter, state: other) == nil)
            }
            let otherFilter = filter == nil ? key.task : nil
            #expect(Cursor.run(from: cursor, scope: key.scope, taskFilter: otherFilter, state: state) == nil)
            let otherScope = key.scope == .root ? try #require(Scope("a")) : .root
            #expect(Cursor.run(from: cursor, scope: otherScope, taskFilter: filter, state: state) == nil)
            #expect(Cursor.screen(from: cursor, scope: key.scope) == nil)
        }
    }

    @Test func screensReadBackInTheirScopeOnly() throws {
        let scope = try #require(Scope("acme"))
        let screen = try sampleScreen("chats.list")
        let cursor = Cursor.afterScreen(screen, scope: scope)
        #expect(Cursor.screen(from: cursor, scope: scope) == screen)
        #expect(Cursor.screen(from: cursor, scope: .root) == nil)
        #expect(Cursor.run(from: cursor, scope: scope, taskFilter: nil, state: nil) == nil)
    }

    @Test func damagedCursorsAreRefused() throws {
        let cursor = Cursor.afterScreen(try sampleScreen(), scope: .root)
        #expect(cursor.utf8.allSatisfy { $0 < 0x7F && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "+") })
        for index in cursor.indices {
            var damaged = cursor
            damaged.replaceSubrange(index...index, with: cursor[index] == "A" ? "B" : "A")
            #expect(Cursor.screen(from: damaged, scope: .root) == nil)
            damaged.remove(at: index)
            #expect(Cursor.screen(from: damaged, scope: .root) == nil)
        }
        for text in ["", "A", "AAAAAAAAAAA", cursor + "A", cursor + "=", cursor + " ", "é", "\u{0}"] {
            #expect(Cursor.screen(from: text, scope: .root) == nil)
        }
    }
}

@Suite struct Base64URLTests {
    /// RFC 4648, section 10, without padding; and the two characters that differ from plain base64.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"), ("\u{FFFD}>?", "77-9Pj8"), ("a?>", "YT8-"), ("???", "Pz8_"),
    ])
    func writesAndReads(_ plain: String, _ encoded: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == encoded)
        #expect(Base64URL.decode(encoded) == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zm9vZ", "Zh", "Zm9", "Zg==", "Zm9+", "Zm9/", "Zm 8", "Zé"])
    func refusesWhatNobodyWouldWrite(_ encoded: String) {
        #expect(Base64URL.decode(encoded) == nil)
    }
}
