import Testing

@testable import ActivityCore

/// One character is 100 ms; `S` a start, `E` the last end, `#` both; `w` waiting, `s` shown, `l` lingering, `.` idle,
/// as it is at the end of that instant.
@Suite struct IndicatorPhaseTests {
    private func drawing(of work: String, G: Int64, M: Int64, C: Int64, skipsDelay: Bool = false) -> String {
        let timing = Timing(startDelay: G, minimumVisible: M, completionDelay: C)
        var phase = IndicatorPhase()
        var drawing = ""
        for (column, event) in work.enumerated() {
            let instant = Instant(milliseconds: Int64(column) * 100)
            if "S#".contains(event) { phase.start(at: instant, timing: timing, skipsDelay: skipsDelay) }
            if "E#".contains(event) { phase.end(at: instant) }
            phase.advance(through: instant)
            switch phase.visibility {
            case .shown: drawing += "s"
            case .lingering: drawing += "l"
            case nil: drawing += phase.isIdle ? "." : "w"
            }
        }
        return drawing
    }

    @Test func staysHiddenWhenWorkEndsBeforeTheStartDelay() {
        #expect(drawing(of: "S  E   ", G: 500, M: 500, C: 200) == "www....")
    }

    @Test func staysHiddenWhenWorkEndsAtTheStartDelay() {
        #expect(drawing(of: "S    E  ", G: 500, M: 500, C: 200) == "wwwww...")
    }

    @Test func staysForTheMinimumTime() {
        #expect(drawing(of: "S     E     ", G: 500, M: 500, C: 200) == "wwwwwsllll..")
    }

    @Test func staysForTheCompletionDelay() {
        #expect(drawing(of: "S         E   ", G: 500, M: 500, C: 200) == "wwwwwsssssll..")
    }

    @Test func staysWhenWorkGoesOnInTime() {
        #expect(drawing(of: "S     E   S    E   ", G: 500, M: 500, C: 200) == "wwwwwsllllsssssll..")
    }

    @Test func showsAtOnceWithoutDelay() {
        #expect(drawing(of: " S E ", G: 0, M: 0, C: 0) == ".ss..")
    }

    @Test func showsWorkOfNoLengthForTheMinimumTime() {
        #expect(drawing(of: "#   ", G: 0, M: 200, C: 0) == "ll..")
    }

    @Test func showsNoWorkOfNoLengthWithoutMinimumTime() {
        #expect(drawing(of: "#  ", G: 0, M: 0, C: 0) == "...")
    }

    @Test func skipsTheDelayWhenAsked() {
        #expect(drawing(of: "S  E   ", G: 500, M: 0, C: 200, skipsDelay: true) == "sssll..")
    }

    @Test func aStartThatSkipsTheDelayEndsTheWaiting() {
        var phase = IndicatorPhase()
        let timing = Timing(startDelay: 500)
        phase.start(at: Instant(milliseconds: 0), timing: timing)
        phase.start(at: Instant(milliseconds: 300), timing: timing, skipsDelay: true)
        #expect(phase.visibleSince == Instant(milliseconds: 300))
    }

    @Test func anEndWithoutAStartChangesNothing() {
        #expect(drawing(of: "EE S ", G: 0, M: 0, C: 0) == "...ss")
    }

    @Test func timingWaitsForTheNextIdleness() {
        var phase = IndicatorPhase()
        phase.start(at: Instant(milliseconds: 0), timing: Timing(completionDelay: 200))
        phase.end(at: Instant(milliseconds: 100))
        phase.start(at: Instant(milliseconds: 200), timing: Timing(completionDelay: 900))
        phase.end(at: Instant(milliseconds: 300))
        #expect(phase.nextChangeAt == Instant(milliseconds: 500))
    }

    @Test func takesItsOwnDeadlinesBeforeALaterEvent() {
        var phase = IndicatorPhase()
        phase.start(at: Instant(milliseconds: 0), timing: Timing(startDelay: 500, minimumVisible: 500))
        phase.end(at: Instant(milliseconds: 501))
        #expect(phase.visibility == .lingering)
        #expect(phase.nextChangeAt == Instant(milliseconds: 1000))
    }
}
