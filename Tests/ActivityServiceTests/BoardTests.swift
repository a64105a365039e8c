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
}
