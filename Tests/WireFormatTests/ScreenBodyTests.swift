import ActivityCore
import IndicatorLayout
import Testing

@testable import WireFormat

private func body(
    kind: IndicatorKind = .navigationBar, _ state: IndicatorState = sampleState,
    _ frames: IndicatorFrames = .navigationBar(sampleFrames), scope: Scope = .root, view: String? = nil,
    tasks: [TaskPattern]? = nil, drawnWith drawing: DrawnAppearance? = nil
) throws -> (body: [UInt8], token: Token) {
    let configuration = ScreenConfiguration(
        appearance: Appearance(kind: kind, regularTitle: "Chats", pendingTitle: "Wait…"))
    return ScreenBody.encode(
        screen: try sampleScreen(), scope: scope, configuration: configuration, state: state, frames: frames,
        view: view, tasks: tasks, drawnWith: drawing)
}

/// The body without its `version`, which the test computes the slow way.
private func withoutVersion(_ body: [UInt8]) -> [UInt8] {
    Array(body.dropLast(#","version":"9f2c1b77a01d33e4"}"#.utf8.count)) + Array("}".utf8)
}

@Suite struct ScreenBodyTests {
    @Test func writesTheNavigationBarOfTheDesign() throws {
        let (body, token) = try body()
        #expect(
            text(body)
                == #"{"screen":"chats","scope":"","kind":"navigationBar","isPending":true,"title":"Updating…","#
                + #""fractionCompleted":0.3,"announcement":"Updating…","runCount":2,"#
                + #""pendingSince":"2026-11-30T19:47:33.120Z","layout":{"bounds":{"x":0,"y":0,"width":200,"#
                + #""height":20},"activityIndicator":{"x":0,"y":0,"width":20,"height":20},"titleLabel":{"x":28,"#
                + #""y":-0.5,"width":89.5,"height":21},"isTruncated":false,"preferredSize":{"width":117.5,"#
                + #""height":21},"fonts":["Inter"]},"version":"\#(text(token.hex))"}"#)
    }

    @Test func namesTheTasksOfWhoAsksForThem() throws {
        let patterns = try ["chats.*", "network"].map { try #require(TaskPattern($0)) }
        let (plain, token) = try body()
        let (body, otherToken) = try body(tasks: patterns)
        let added = Array(#","tasks":["chats.*","network"]}"#.utf8)
        #expect(withoutVersion(body) == withoutVersion(plain).dropLast() + added)
        #expect(token.hex != otherToken.hex)
    }

    @Test func writesTheSearchBarOfTheDesign() throws {
        let (body, token) = try body(kind: .searchBar, sampleState, .searchBar(sampleSearchFrames))
        #expect(
            text(body)
                == #"{"screen":"chats","scope":"","kind":"searchBar","isPending":true,"isLoading":true,"#
                + #""title":"Updating…","fractionCompleted":0.3,"announcement":"Updating…","runCount":2,"#
                + #""pendingSince":"2026-11-30T19:47:33.120Z","layout":{"bounds":{"x":0,"y":0,"width":320,"#
                + #""height":56},"field":{"x":8,"y":10,"width":304,"height":36},"leftView":{"x":18,"y":21,"#
                + #""width":14,"height":14,"content":"activityIndicator","icon":"magnifyingglass"},"#
                + #""activityIndicator":{"x":15,"y":18,"width":20,"height":20},"textField":{"x":42,"y":10,"#
                + #""width":236,"height":36}},"version":"\#(text(token.hex))"}"#)
    }

    @Test func addsWhatItIsDrawnWithAtItsEndAndIntoTheToken() throws {
        let drawing = DrawnAppearance(
            direction: .rtl, activityStyle: .whiteLarge, titleColor: "#ff3b30",
            titleFont: TitleFont(family: "A \"B\"", size: 25.5, weight: 600),
            fonts: [.init(family: "A \"B\"", weight: "100 900", source: "/fonts/0f.otf")])
        let (plain, plainToken) = try body()
        let (drawn, token) = try body(drawnWith: drawing)
        #expect(
            text(drawn)
                == text(Array(withoutVersion(plain).dropLast()))
                + ##","appearance":{"direction":"rtl","activityStyle":"whiteLarge","titleColor":"#ff3b30","##
                + ##""titleFont":{"family":"A \"B\"","size":25.5,"weight":600},"fonts":[{"family":"A \"B\"","##
                + #""weight":"100 900","src":"/fonts/0f.otf"}]},"version":"\#(text(token.hex))"}"#)
        #expect(token == Token(of: withoutVersion(drawn)))
        #expect(token != plainToken)
    }

    @Test func writesAnIdleSearchBarWithoutSpinner() throws {
        var frames = sampleSearchFrames
        (frames.content, frames.activityIndicator) = (.icon, nil)
        let idle = text(try body(kind: .searchBar, .idle, .searchBar(frames)).body)
        #expect(
            idle.contains(#""isPending":false,"isLoading":false,"title":"Chats","fractionCompleted":null,"#))
        #expect(idle.contains(#""announcement":"","runCount":0,"pendingSince":null,"#))
        #expect(idle.contains(#""content":"icon","icon":"magnifyingglass"},"activityIndicator":null,"#))
        (frames.leftView, frames.textField) = (nil, nil)
        let narrow = text(try body(kind: .searchBar, .idle, .searchBar(frames)).body)
        #expect(narrow.contains(#""leftView":null,"activityIndicator":null,"textField":null}"#))
    }

    @Test func writesWhatHasNoRoomAsNull() throws {
        var frames = sampleFrames
        (frames.activityIndicator, frames.titleLabel, frames.isTruncated) = (nil, nil, true)
        frames.frameInBar = Rect(x: 1.0 / 3, y: 0, width: 0, height: 20)
        frames.fonts = []
        #expect(
            text(try body(sampleState, .navigationBar(frames)).body).contains(
                #""activityIndicator":null,"titleLabel":null,"isTruncated":true,"#
                    + #""preferredSize":{"width":117.5,"height":21},"#
                    + #""frameInBar":{"x":0.3333333333333333,"y":0,"width":0,"height":20},"fonts":[]}"#))
    }

    @Test(
        arguments: [
            (true, "Sync", "Sync", "Sync"), (true, "", "", ""), (true, nil, "Wait…", "Wait…"),
            (false, nil, "Chats", ""),
        ] as [(Bool, String?, String, String)])
    func titlesThatTheStateLeavesOpenAreConfigured(
        _ isPending: Bool, _ title: String?, _ shown: String, _ announced: String
    ) throws {
        var state = sampleState
        (state.isPending, state.title) = (isPending, title)
        let body = text(try body(state).body)
        #expect(body.contains(#""title":"\#(shown)","fractionCompleted":0.3,"announcement":"\#(announced)""#))
    }

    @Test func standsAlwaysOnOneLine() throws {
        var state = sampleState
        state.title = "a\nb\r\u{2028}\u{85}\"version\":\"x\""
        let body = try body(state, view: "chats:390\n").body
        #expect(!body.contains { $0 < 0x20 })
        #expect(text(body).contains(#""title":"a\nb\r\u2028\u0085\"version\":\"x\"""#))
    }

    @Test func theViewStandsAfterTheScopeAndIsPartOfTheToken() throws {
        let scope = try #require(Scope("acme.u-42"))
        let plain = try body(scope: scope)
        let viewed = try body(scope: scope, view: "chats:390x44")
        #expect(
            text(viewed.body).hasPrefix(
                #"{"screen":"chats","scope":"acme.u-42","view":"chats:390x44","kind":"navigationBar","#))
        #expect(viewed.token != plain.token)
    }

    @Test func theTokenIsThatOfTheBodyWithoutItsVersion() throws {
        for view in [nil, "chats"] {
            let (body, token) = try body(view: view)
            #expect(token == Token(of: withoutVersion(body)))
        }
        var other = sampleState
        other.thousandths = 301
        #expect(try body(other).token != body().token)
        #expect(try body().token == body().token)
    }
}

@Suite struct SeveralScreensTests {
    @Test func eachKeepsItsOwnVersion() throws {
        let one = try body(view: "chats").body
        let two = try body(.idle, view: "chats:390").body
        let (several, token) = ScreenBody.several([one, two], next: nil)
        #expect(
            text(several) == #"{"screens":[\#(text(one)),\#(text(two))],"version":"\#(text(token.hex))"}"#)
        #expect(token == Token(of: withoutVersion(several)))
    }

    @Test func tellsTheNextPage() {
        let (several, token) = ScreenBody.several([], next: "abc_-")
        #expect(text(several) == #"{"screens":[],"next":"abc_-","version":"\#(text(token.hex))"}"#)
        #expect(token == Token(of: Array(#"{"screens":[],"next":"abc_-"}"#.utf8)))
    }
}

@Suite struct StreamEventBodyTests {
    @Test func writesTheDataOfTheDesign() {
        #expect(text(StreamEventBody.heartbeat(within: 18)) == #"{"within":18}"#)
        #expect(
            StreamCloseReason.allCases.map { text(StreamEventBody.close($0)) } == [
                #"{"reason":"max-age"}"#, #"{"reason":"shutdown"}"#, #"{"reason":"full"}"#,
                #"{"reason":"unauthenticated"}"#,
            ])
    }
}
