import Testing

@testable import ActivityCore

@Suite struct ProgressTests {
    private func interval(_ shares: [(Int64, Int64)?]) -> ProgressInterval {
        var interval = ProgressInterval()
        for share in shares {
            interval.join(share: share.map { Progress(completed: $0.0, total: $0.1).share })
        }
        return interval
    }

    @Test(
        arguments: [
            (0, 1, 0), (3, 10, 300_000), (1, 3, 333_333), (2, 3, 666_666), (10, 10, 1_000_000),
            (15, 10, 1_000_000),
            ((1 << 53) - 1, (1 << 53) - 1, 1_000_000), ((1 << 53) - 2, (1 << 53) - 1, 999_999),
            (1, (1 << 53) - 1, 0),
        ] as [(Int64, Int64, Int64)])
    func aShareIsRoundedDown(completed: Int64, total: Int64, share: Int64) {
        #expect(Progress(completed: completed, total: total).share == share)
    }

    @Test func theMeanIsRoundedDownToThousandths() {
        #expect(interval([(3, 10)]).thousandths == 300)
        #expect(interval([(1, 3), (1, 3), (0, 1)]).thousandths == 222)
        #expect(interval([(9_999, 10_000)]).thousandths == 999)
    }

    @Test func isIndeterminateWhileARunHasNoProgress() {
        var interval = interval([(1, 2), nil])
        #expect(interval.thousandths == nil)
        interval.change(from: nil, to: 0)
        #expect(interval.thousandths == 250)
        interval.change(from: 0, to: nil)
        #expect(interval.thousandths == nil)
    }

    @Test func nothingJoinedIsIndeterminate() { #expect(ProgressInterval().thousandths == nil) }

    @Test func neverFallsWhenARunJoins() {
        var interval = interval([(8, 10)])
        interval.hold()
        interval.join(share: 0)
        #expect(interval.thousandths == 800)
        interval.change(from: 0, to: 900_000)
        #expect(interval.thousandths == 850)
    }

    @Test func runsThatEndedCountOne() {
        var interval = interval([(1, 10), nil])
        interval.leave(share: nil)
        #expect(interval.thousandths == 550)
    }

    @Test func whatComesAndGoesInOneInstantCountsForNothing() {
        var interval = interval([(8, 10)])
        interval.join(share: 0)
        #expect(interval.thousandths == 400)
    }

    @Test func whatIsHiddenDoesNotRaiseTheFloor() {
        var interval = interval([nil, (9, 10)])
        interval.hold()
        interval.change(from: 900_000, to: 100_000)
        interval.change(from: nil, to: 0)
        #expect(interval.thousandths == 50)
    }

    @Test(
        arguments: [
            (5, 10, 10, 10, 10, 10), (4, 10, 5, 10, 5, 10), (4, 20, 5, 10, 4, 20), (0, 1, 0, 1, 0, 1),
        ]
            as [(Int64, Int64, Int64, Int64, Int64, Int64)])
    func aLowerCompletedOfTheSameTotalIsIgnored(
        newCompleted: Int64, newTotal: Int64, oldCompleted: Int64, oldTotal: Int64, completed: Int64,
        total: Int64
    ) {
        let new = Progress(completed: newCompleted, total: newTotal)
        let old = Progress(completed: oldCompleted, total: oldTotal)
        #expect(new.notFalling(below: old) == Progress(completed: completed, total: total))
    }
}
