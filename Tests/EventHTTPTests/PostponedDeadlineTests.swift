import Testing

@testable import EventHTTP

@Suite struct PostponedDeadlineTests {
    let second: UInt64 = 1_000_000_000

    /// The slots that are due at `now`, in the order in which they are taken.
    private func due(_ lists: inout DeadlineLists, at now: UInt64) -> [Int32] {
        var slots: [Int32] = []
        while let (slot, _) = lists.takeDue(at: now) { slots.append(slot) }
        return slots
    }

    @Test func postponingMovesAllThatRunAndNoneThatStartLater() {
        var lists = DeadlineLists(ServerLimits())
        lists.start(.head, of: 2, at: 0)
        lists.start(.head, of: 0, at: second)
        lists.start(.idle, of: 1, at: 0)
        lists.postpone(by: 100 * second)
        lists.start(.head, of: 3, at: 101 * second)
        #expect(due(&lists, at: 110 * second - 1) == [])
        #expect(due(&lists, at: 111 * second) == [2, 0, 3])
        #expect(due(&lists, at: 175 * second - 1) == [])
        #expect(due(&lists, at: 175 * second) == [1])
    }

    @Test func aSlotThatWasFreeWhenPostponedStartsWithItsWholeTime() {
        var lists = DeadlineLists(ServerLimits())
        lists.start(.head, of: 0, at: 0)
        lists.cancel(0)
        lists.postpone(by: second)
        lists.start(.head, of: 0, at: second)
        #expect(due(&lists, at: 11 * second - 1) == [])
        #expect(due(&lists, at: 11 * second) == [0])
    }
}
