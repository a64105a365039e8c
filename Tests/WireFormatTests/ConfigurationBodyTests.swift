import ActivityCore
import IndicatorLayout
import Testing

@testable import WireFormat

private func decoded(_ json: String) throws -> ScreenConfiguration {
    try ConfigurationBody.decode(Array(json.utf8), for: try sampleScreen())
}

@Suite struct ConfigurationReadingTests {
    @Test(arguments: [
        "", "{}",
        #"{"kind":null,"tasks":null,"regularTitle":null,"frame":null,"titleFont":null,"timing":null}"#,
        #"{"frame":{},"titleFont":{},"iconSize":{},"scale":null}"#,
        #"{"frame":{"x":null,"y":null,"width":null,"height":null},"titleFont":{"family":null,"size":null}}"#,
    ])
    func isStandardByDefault(_ json: String) throws {
        #expect(try decoded(json) == .standard(for: try sampleScreen()))
    }

    @Test func readsTheConfigurationOfTheDesign() throws {
        let json = #"""
            {"kind":"navigationBar","tasks":["chats.*","network.*"],"regularTitle":"Chats","pendingTitle":"Updating…",
             "activityStyle":"gray","frame":{"x":0,"y":0,"width":120,"height":20},"interItemSpace":8,
             "titleColor":"#1c1c1e","titleFont":{"family":"Inter","size":17,"weight":600},
             "arrangement":"leading","direction":"ltr","scale":null,
             "timing":{"startDelay":0.3,"minimumVisible":0.5,"completionDelay":0.2}}
            """#
        #expect(
            try decoded(json)
                == ScreenConfiguration(
                    tasks: [.prefix("chats."), .prefix("network.")],
                    timing: Timing(startDelay: 300, minimumVisible: 500, completionDelay: 200),
                    appearance: Appearance(regularTitle: "Chats")))
    }

    @Test func whatAnObjectLeavesOutHasItsDefault() throws {
        let json =
            #"{"frame":{"height":44},"kind":"searchBar","titleFont":{"weight":1},"iconSize":{"width":10}}"#
        let appearance = try decoded(json).appearance
        #expect(appearance.frame == Rect(x: 0, y: 0, width: 320, height: 44))
        #expect(appearance.titleFont == TitleFont(weight: 1))
        #expect(appearance.iconSize == Size(width: 10, height: 14))
    }

    @Test func whatATimingLeavesOutIsTheDaemonsDefault() throws {
        let timing = Timing(startDelay: 300, minimumVisible: 500, completionDelay: 200)
        let configuration = try ConfigurationBody.decode(
            Array(#"{"timing":{"minimumVisible":2}}"#.utf8), for: try sampleScreen(), defaultTiming: timing)
        #expect(configuration.timing == Timing(startDelay: 300, minimumVisible: 2_000, completionDelay: 200))
        #expect(
            try decoded(#"{"timing":{"minimumVisible":0.0006}}"#).timing
                == Timing(startDelay: 0, minimumVisible: 1, completionDelay: 0))
    }

    @Test func takesTheBounds() throws {
        let json = #"""
            {"frame":{"x":-10000,"y":10000,"width":0,"height":10000},"interItemSpace":10000,"scale":0.25,
             "titleFont":{"family":"A","size":512,"weight":1000},"iconSize":{"width":0,"height":10000},
             "timing":{"startDelay":60,"minimumVisible":0,"completionDelay":-0}, "regularTitle":"",
             "tasks":[],"titleColor":"#ABCdef80","icon":"a.B_9-"}
            """#
        let configuration = try decoded(json)
        #expect(configuration.tasks == [])
        #expect(configuration.timing == Timing(startDelay: 60_000, minimumVisible: 0, completionDelay: 0))
        #expect(configuration.appearance.frame == Rect(x: -10_000, y: 10_000, width: 0, height: 10_000))
        #expect(configuration.appearance.titleFont == TitleFont(family: "A", size: 512, weight: 1_000))
        #expect(configuration.appearance.titleColor == "#ABCdef80")
    }

    @Test(
        arguments: [
            ("[]", [""]), (#"{"kind":"toolbar"}"#, ["/kind"]), (#"{"tasks":"*"}"#, ["/tasks"]),
            (#"{"tasks":["a","b c",null,"","**","a*b",3]}"#, (1...6).map { "/tasks/\($0)" }),
            (#"{"tasks":["\#("\u{600}")*"]}"#, ["/tasks/0"]), (#"{"tasks":[".a*"]}"#, ["/tasks/0"]),
            (#"{"regularTitle":3,"pendingTitle":"\t"}"#, ["/regularTitle", "/pendingTitle"]),
            (#"{"activityStyle":"GRAY"}"#, ["/activityStyle"]),
            (
                #"{"frame":{"x":-10001,"y":10001,"width":-1,"height":10001}}"#,
                ["x", "y", "width", "height"].map { "/frame/\($0)" }
            ),
            (#"{"frame":[0,0,1,1]}"#, ["/frame"]), (#"{"frame":{"left":0}}"#, ["/frame/left"]),
            (#"{"interItemSpace":-0.5}"#, ["/interItemSpace"]),
            (#"{"interItemSpace":"8"}"#, ["/interItemSpace"]),
            (##"{"titleColor":"red"}"##, ["/titleColor"]), (##"{"titleColor":"#12345"}"##, ["/titleColor"]),
            (##"{"titleColor":"#1234567"}"##, ["/titleColor"]),
            (##"{"titleColor":"#12345g"}"##, ["/titleColor"]),
            (##"{"titleColor":"1c1c1e"}"##, ["/titleColor"]),
            (##"{"titleColor":"#１２３４５６"}"##, ["/titleColor"]),
            (
                #"{"titleFont":{"family":"","size":0.5,"weight":0}}"#,
                ["family", "size", "weight"].map { "/titleFont/\($0)" }
            ),
            (#"{"titleFont":{"weight":600.5}}"#, ["/titleFont/weight"]),
            (#"{"titleFont":{"family":"\#(String(repeating: "a", count: 101))"}}"#, ["/titleFont/family"]),
            (#"{"arrangement":"left"}"#, ["/arrangement"]), (#"{"direction":"auto"}"#, ["/direction"]),
            (#"{"scale":0.2}"#, ["/scale"]), (#"{"scale":10.5}"#, ["/scale"]), (#"{"icon":""}"#, ["/icon"]),
            (#"{"icon":"a/b"}"#, ["/icon"]), (#"{"icon":"a\u0000"}"#, ["/icon"]),
            (#"{"tasks":["a\u0000"]}"#, ["/tasks/0"]),
            (#"{"icon":"\#(String(repeating: "a", count: 65))"}"#, ["/icon"]),
            (
                #"{"timing":{"startDelay":-0.1,"minimumVisible":60.1,"completionDelay":"1"}}"#,
                ["startDelay", "minimumVisible", "completionDelay"].map { "/timing/\($0)" }
            ),
            (#"{"timing":0.3}"#, ["/timing"]), (#"{"timing":{"delay":1}}"#, ["/timing/delay"]),
            (#"{"iconSize":14,"theme":"dark","screen":"chats"}"#, ["/iconSize", "/theme", "/screen"]),
        ] as [(String, [String])])
    func refusesWhatBreaksARule(_ json: String, _ pointers: [String]) {
        #expect(faults { _ = try decoded(json) }.map(\.pointer) == pointers)
    }

    @Test func leavesTheNumberOfTasksToTheRegistryWithinReason() throws {
        func tasks(_ count: Int) -> String {
            #"{"tasks":[\#((0..<count).map { #""t\#($0)""# }.joined(separator: ","))]}"#
        }
        #expect(try decoded(tasks(65)).tasks?.count == 65)
        #expect(try decoded(tasks(1_024)).tasks?.count == 1_024)
        #expect(faults { _ = try decoded(tasks(1_025)) }.map(\.pointer) == ["/tasks"])
    }
}

@Suite struct ConfigurationWritingTests {
    @Test func getShowsEveryDefault() throws {
        let screen = try sampleScreen()
        let body = ConfigurationBody.encode(
            .standard(for: screen), for: screen,
            defaultTiming: Timing(startDelay: 300, minimumVisible: 500, completionDelay: 200))
        #expect(
            text(body)
                == #"{"kind":"navigationBar","tasks":["chats","chats.*"],"regularTitle":"chats","#
                + #""pendingTitle":"Updating…","activityStyle":"gray","#
                + ##""frame":{"x":0,"y":0,"width":120,"height":20},"interItemSpace":8,"titleColor":"#1c1c1e","##
                + #""titleFont":{"family":"Inter","size":17,"weight":600},"arrangement":"leading","#
                + #""direction":"ltr","scale":null,"timing":{"startDelay":0.3,"minimumVisible":0.5,"#
                + #""completionDelay":0.2},"icon":"magnifyingglass","iconSize":{"width":14,"height":14}}"#)
    }

    @Test func whatGetShowsCanBePut() throws {
        var random = RandomValues()
        for _ in 0..<300 {
            let screen = random.screen()
            let configuration = random.configuration()
            let timing = Timing(startDelay: random.int(0...60_000), minimumVisible: 0, completionDelay: 1)
            let body = ConfigurationBody.encode(configuration, for: screen, defaultTiming: timing)
            let read = try ConfigurationBody.decode(body, for: screen)
            #expect(read.appearance == configuration.appearance, "seed \(random.seed)")
            #expect(read.tasks == configuration.patterns(for: screen), "seed \(random.seed)")
            #expect(read.timing == configuration.timing ?? timing, "seed \(random.seed)")
            #expect(ConfigurationBody.encode(read, for: screen, defaultTiming: Timing()) == body)
        }
    }

    @Test(arguments: [String(repeating: "a", count: 128), "a.b.c.d.e.f.g.h"])
    func whatGetShowsOfTheLongestNamesCanBePut(_ name: String) throws {
        let screen = try sampleScreen(name)
        let body = ConfigurationBody.encode(.standard(for: screen), for: screen, defaultTiming: Timing())
        #expect(
            try ConfigurationBody.decode(body, for: screen).tasks == [.exact(try #require(TaskName(name)))])
    }

    @Test func everyDelayReadsBack() {
        let wrong = (0...60_000 as ClosedRange<Int64>).first { milliseconds in
            var writer = JSONWriter(capacity: 16)
            writer.thousandths(milliseconds)
            return Double(text(writer.bytes)).map { Int64(($0 * 1_000).rounded()) } != milliseconds
        }
        #expect(wrong == nil)
    }
}

@Suite struct ConfigurationFileTests {
    @Test func readsScreensInTheOrderOfTheFile() throws {
        let file = #"{"b":{"regularTitle":"B"},"a.x":{},"c":{"timing":{"startDelay":1}}}"#
        let timing = Timing(startDelay: 300, minimumVisible: 500, completionDelay: 200)
        let read = try ConfigurationBody.decodeFile(Array(file.utf8), defaultTiming: timing)
        #expect(read.map(\.0.rawValue) == ["b", "a.x", "c"])
        #expect(read.map(\.1.appearance.regularTitle) == ["B", "a.x", "c"])
        #expect(read.map(\.1.timing?.startDelay) == [nil, nil, 1_000])
        #expect(read.map(\.1.timing?.minimumVisible) == [nil, nil, 500])
        #expect(try ConfigurationBody.decodeFile(Array("{}".utf8)).isEmpty)
    }

    @Test(
        arguments: [
            ("[]", [""]), (#"{"chats":[]}"#, ["/chats"]), (#"{"chats":null}"#, ["/chats"]),
            (
                #"{"chats":{"timing":{"startDelay":61}},"b c":{},"a/b":{},"d":{"x":1,"tasks":["?"]}}"#,
                ["/chats/timing/startDelay", "/b c", "/a~1b", "/d/tasks/0", "/d/x"]
            ),
        ] as [(String, [String])])
    func namesEachFault(_ file: String, _ pointers: [String]) {
        #expect(faults { _ = try ConfigurationBody.decodeFile(Array(file.utf8)) }.map(\.pointer) == pointers)
    }

    @Test(arguments: ["", " ", #"{"a":{},"a":{}}"#, #"{"a":{"kind":"searchBar","kind":"searchBar"}}"#, "{}x"])
    func anEmptyOrBrokenFileIsNoFile(_ file: String) {
        #expect(isInvalidJSON { _ = try ConfigurationBody.decodeFile(Array(file.utf8)) })
    }
}
