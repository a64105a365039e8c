import ActivityCore
import HTTPCodec
import IndicatorLayout
import PangoText
import Testing

@testable import ActivityService

/// What a loop remembers of reads: a dashboard's screens fit, whatever others ask for.
@Suite struct ScreenMemoryTests {
    private let screens = 10_000

    private func head(_ target: String, _ fields: String = "") throws -> RequestHead {
        let text = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
        guard case .head(let head, _) = HeadParser.parse(Array(text.utf8)) else {
            throw Failure.refused(target)
        }
        return head
    }

    private enum Failure: Error { case refused(String) }

    private func read(_ head: RequestHead, _ name: String) throws -> HotRead {
        let screen: ScreenName = try #require(ScreenName(name))
        return HotRead(try ScreenRequest(head, screen: screen, scope: .root, mostScreens: 256))
    }

    private func key(_ number: Int) throws -> ViewKey {
        let screen = try #require(ScreenName("department-\(number).orders"))
        return ViewKey(scope: .root, view: ViewRequest(screen: screen, geometry: ViewGeometry()))
    }

    @Test func targetsOfTenThousandScreensAreRemembered() throws {
        var memory = HotReads()
        let names = (0..<screens).map { "department-\($0).orders" }
        let heads = try names.map { try head("/v1/screens/\($0)?width=200") }
        let reads = try zip(heads, names).map(read)
        for (read, head) in zip(reads, heads) { memory.remember(read, head) }
        for round in 0..<3 {
            let missing = zip(reads, heads).count { memory.find($1) !== $0 }
            #expect(missing == 0, "round \(round)")
        }
    }

    @Test func targetsOfADashboardSurviveEndlessOthers() throws {
        var memory = HotReads()
        let own = try head("/v1/screens/chats")
        let read = try read(own, "chats")
        memory.remember(read, own)
        for number in 0..<50_000 {
            let other = try head("/v1/screens/chats?width=\(number % 10_000)&height=\(number / 10_000)")
            memory.remember(try self.read(other, "chats"), other)
            if number % 1_000 == 0 { #expect(memory.find(own) === read, "after \(number)") }
        }
    }

    @Test func aRequestThatSaysMoreThanItsTargetIsNotRemembered() throws {
        var memory = HotReads()
        let special = try head("/v1/screens/chats", "Accept: text/event-stream\r\n")
        memory.remember(try read(special, "chats"), special)
        #expect(memory.find(special) == nil)
        #expect(memory.find(try head("/v1/screens/chats")) == nil)
    }

    @Test func statesOfTenThousandScreensAreRemembered() throws {
        let renderer = Renderer(measurer: try PangoTextMeasurer())
        let idle = Reading(configuration: nil, state: .idle, generation: 1)
        let keys = try (0..<screens).map(key)
        let first = keys.map { renderer.render($0, idle) }
        for round in 0..<3 {
            let missing = zip(keys, first).count { renderer.render($0, idle) !== $1 }
            #expect(missing == 0, "round \(round)")
        }
    }

    @Test func aNewStateTakesThePlaceOfTheOld() throws {
        let renderer = Renderer(measurer: try PangoTextMeasurer())
        let idle = Reading(configuration: nil, state: .idle, generation: 1)
        let pending = Reading(
            configuration: nil,
            state: IndicatorState(
                isPending: true, title: "Up", thousandths: nil, runCount: 1,
                pendingSince: Timestamp(milliseconds: 5)),
            generation: 2)
        let first = renderer.render(try key(1), idle)
        let second = renderer.render(try key(1), pending)
        #expect(first.token != second.token)
        #expect(renderer.render(try key(1), pending) === second)
        #expect(renderer.event(try key(1), pending).token == second.token)
    }

    @Test func a304SaysTheSameAsA200ButItsType() throws {
        let renderer = Renderer(measurer: try PangoTextMeasurer())
        let rendered = renderer.render(
            try key(1), Reading(configuration: nil, state: .idle, generation: 1))
        let type = "Content-Type: application/json\r\n"
        #expect(
            String(decoding: rendered.fields, as: UTF8.self)
                == type + String(decoding: rendered.notModifiedFields, as: UTF8.self))
    }
}
