import ActivityCore
import Testing

@testable import WireFormat

@Suite struct TimestampTextTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_796_068_053_120, "2026-11-30T19:47:33.120Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"), (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (4_107_456_000_000, "2100-02-28T00:00:00.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (2_147_483_647_001, "2038-01-19T03:14:07.001Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
            (253_402_300_800_000, "9999-12-31T23:59:59.999Z"), (.max, "9999-12-31T23:59:59.999Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"), (.min, "0000-01-01T00:00:00.000Z"),
            (86_399_007, "1970-01-01T23:59:59.007Z"),
        ] as [(Int64, String)])
    func writesKnownDates(_ milliseconds: Int64, _ expected: String) {
        var writer = JSONWriter(capacity: 32)
        writer.timestamp(Timestamp(milliseconds: milliseconds))
        #expect(text(writer.bytes) == "\"\(expected)\"")
    }

    @Test func everyDayOf800YearsFollowsTheDayBefore() {
        var date = CivilDate(daysSince1970: -135_140)
        #expect(date.year == 1600 && date.month == 1 && date.day == 1)
        let wrong = (-135_139...157_054 as ClosedRange<Int64>).first { day in
            date = dayAfter(date)
            return CivilDate(daysSince1970: day) != date
        }
        #expect(wrong == nil)
        #expect(date.year == 2400 && date.month == 1 && date.day == 1)
    }

    /// The calendar as it is taught.
    private func dayAfter(_ date: CivilDate) -> CivilDate {
        let isLeap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        var next = date
        next.day += 1
        if next.day > lengths[Int(date.month) - 1] { (next.day, next.month) = (1, date.month + 1) }
        if next.month > 12 { (next.month, next.year) = (1, date.year + 1) }
        return next
    }
}
