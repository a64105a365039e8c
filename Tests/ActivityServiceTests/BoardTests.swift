import ActivityCore
import IndicatorLayout
import Testing

@testable import ActivityService

@Suite struct BoardTests {
    private func screen(_ name: String) throws -> ScreenName { try #require(ScreenName(name)) }

    private func key(_ name: String, _ scope: String = "") throws -> ScreenKey {
        ScreenKey(scope: scope.isEmpty ? .root : try #require(Scope(scope)), screen: try screen(name))
    }

    private let shown = PhaseSnapshot(
        visibility: .shown, title: "Up", priority: 0, ordinal: 1, pendingSince: Timestamp(milliseconds: 5),
        thousandths: nil, runCount: 1)

    private func listed(_ board: Board, _ scope: String = "") throws -> [String] {
        board.listedScreens(in: try key("x", scope).scope.chain).map(\.rawValue)
    }

    @Test func showsAScreenToItsScopeAndTheScopesBelow() throws {
        let board = Board()
        board.publish(Publication(screens: [(try key("chats", "acme"), shown)]))
        for (scope, isPending) in [("", false), ("acme", true), ("acme.u-42", true), ("acme2", false)] {
            let reading = board.read(try screen("chats"), in: try key("chats", scope).scope.chain)
            #expect(reading.state.isPending == isPending, "\(scope)")
        }
    }

    @Test func forgetsAScreenThatIsIdleAgain() throws {
        let board = Board()
        board.publish(Publication(screens: [(try key("chats"), shown)]))
        board.publish(Publication(screens: [(try key("chats"), nil)]))
        #expect(board.read(try screen("chats"), in: [.root]).state == .idle)
        #expect(try listed(board) == [])
    }

    @Test func numbersRiseWithEveryPublication() throws {
        let board = Board()
        let before = board.read(try screen("chats"), in: [.root])
        board.publish(Publication(screens: [(try key("chats"), shown)]))
        let after = board.read(try screen("chats"), in: [.root])
        #expect(after.generation > before.generation)
        #expect(after.differsUrgently(from: before))
    }

    @Test func listsConfiguredAndSubscribedScreensAndTheFirstPartOfOtherTasks() throws {
        let board = Board()
        let inbox = ScreenConfiguration(
            tasks: [try #require(TaskPattern("mail.*"))], appearance: Appearance(regularTitle: "Inbox"))
        board.publish(
            Publication(
                screens: [
                    (try key("chats"), shown), (try key("chats.sync"), shown), (try key("mail"), shown),
                    (try key("mail.fetch"), shown), (try key("inbox"), shown),
                ],
                configurations: [(try screen("inbox"), inbox)]))
        board.subscribe(try key("search"))
        board.subscribe(try key("other", "acme"))
        // `mail.fetch` is shown by `inbox`; of `chats.sync` the first part stands for it.
        #expect(try listed(board) == ["chats", "inbox", "search"])
        board.unsubscribe(try key("search"))
        #expect(try listed(board) == ["chats", "inbox"])
        #expect(try listed(board, "acme") == ["chats", "inbox", "other"])
    }

    @Test func aRememberedListIsTheOneThatABoardWithoutMemoryMakes() throws {
        let seed = UInt64.random(in: .min ... .max)
        var numbers = SplitMix(state: seed)
        let (names, scopes) = (["a", "a.x", "b", "b.y", "c"], ["", "acme", "acme.u"])
        let board = Board()
        var steps: [(Board) -> Void] = []
        for _ in 0..<200 {
            let key = try key(names[numbers.below(5)], scopes[numbers.below(3)])
            let step: (Board) -> Void
            switch numbers.below(5) {
            case 0: step = { $0.subscribe(key) }
            case 1: step = { $0.unsubscribe(key) }
            case 2:
                let configuration = ScreenConfiguration(
                    tasks: [try #require(TaskPattern("\(names[numbers.below(5)]).*"))],
                    appearance: Appearance(regularTitle: "A"))
                let value = numbers.below(2) == 0 ? nil : configuration
                step = { $0.publish(Publication(configurations: [(key.screen, value)])) }
            default:
                let snapshot = numbers.below(2) == 0 ? nil : shown
                step = { $0.publish(Publication(screens: [(key, snapshot)])) }
            }
            steps.append(step)
            step(board)
            let fresh = Board()
            for step in steps { step(fresh) }
            for scope in scopes { #expect(try listed(board, scope) == listed(fresh, scope), "seed \(seed)") }
        }
    }
}

private struct SplitMix {
    var state: UInt64

    mutating func below(_ bound: UInt64) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((z ^ (z >> 31)) % bound)
    }
}
