import ActivityCore
import IndicatorLayout
import Testing

@testable import WireFormat

/// Text of bytes, for comparison with what the design says.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// 2026-11-30T19:47:33.120Z.
let sampleTime = Timestamp(milliseconds: 1_796_068_053_120)

func sampleKey(scope: Scope = .root) throws -> RunKey {
    RunKey(scope: scope, task: try #require(TaskName("chats.sync")), run: try #require(RunID("7f3a")))
}

func sampleRun() -> Run {
    Run(
        declaration: RunDeclaration(
            title: "Updating…", progress: Progress(completed: 3, total: 10), priority: 200, ttl: 60),
        startedAt: sampleTime, ordinal: 1)
}

func sampleScreen(_ name: String = "chats") throws -> ScreenName { try #require(ScreenName(name)) }

let sampleState = IndicatorState(
    isPending: true, title: "Updating…", thousandths: 300, runCount: 2, pendingSince: sampleTime)

let sampleFrames = NavigationBarFrames(
    bounds: Rect(x: 0, y: 0, width: 200, height: 20),
    activityIndicator: Rect(x: 0, y: 0, width: 20, height: 20),
    titleLabel: Rect(x: 28, y: -0.5, width: 89.5, height: 21), isTruncated: false,
    preferredSize: Size(width: 117.5, height: 21), frameInBar: nil, fonts: ["Inter"])

let sampleSearchFrames = SearchBarFrames(
    bounds: Rect(x: 0, y: 0, width: 320, height: 56), field: Rect(x: 8, y: 10, width: 304, height: 36),
    leftView: Rect(x: 18, y: 21, width: 14, height: 14), content: .activityIndicator,
    icon: "magnifyingglass", activityIndicator: Rect(x: 15, y: 18, width: 20, height: 20),
    textField: Rect(x: 42, y: 10, width: 236, height: 36))

/// True when a body is refused with 400.
func isInvalidJSON(_ read: () throws -> Void) -> Bool {
    do {
        try read()
        return false
    } catch BodyError.invalidJSON {
        return true
    } catch {
        return false
    }
}

/// The faults of a body that must be refused with 422.
func faults(of read: () throws -> Void) -> [MemberFault] {
    do {
        try read()
        Issue.record("the body was accepted")
    } catch BodyError.invalidMembers(let faults) {
        return faults
    } catch {
        Issue.record("\(error)")
    }
    return []
}
