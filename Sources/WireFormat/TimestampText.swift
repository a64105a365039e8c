import ActivityCore

extension JSONWriter {
    /// Appends a timestamp as `"2026-11-30T19:47:33.120Z"` (RFC 3339): UTC, milliseconds, in quotes.
    ///
    /// The years 0000 to 9999 can be said; a clock beyond them is shown as their first or last millisecond.
    mutating func timestamp(_ timestamp: Timestamp) {
        let clamped = min(max(timestamp.milliseconds, -62_167_219_200_000), 253_402_300_799_999)
        let (day, time) = clamped.flooredQuotientAndRemainder(dividingBy: 86_400_000)
        let date = CivilDate(daysSince1970: day)
        literal("\"")
        padded(date.year, to: 1000)
        literal("-")
        padded(date.month, to: 10)
        literal("-")
        padded(date.day, to: 10)
        literal("T")
        padded(time / 3_600_000, to: 10)
        literal(":")
        padded(time / 60_000 % 60, to: 10)
        literal(":")
        padded(time / 1_000 % 60, to: 10)
        literal(".")
        padded(time % 1_000, to: 100)
        literal("Z\"")
    }

    /// Appends decimal digits, the first worth `unit`.
    private mutating func padded(_ value: Int64, to unit: Int64) {
        var unit = unit
        while unit > 0 {
            digit(UInt8(value / unit % 10))
            unit /= 10
        }
    }
}

/// A date of the proleptic Gregorian calendar.
struct CivilDate: Hashable {
    var year: Int64
    /// 1…12.
    var month: Int64
    /// 1…31.
    var day: Int64

    /// The date `days` after 1970-01-01. https://howardhinnant.github.io/date_algorithms.html#civil_from_days
    init(daysSince1970 days: Int64) {
        // Years start in March here, so that the leap day is their last; an era is 400 of them.
        let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }
}

extension Int64 {
    /// The quotient rounded down, and the remainder 0..<`divisor`, which is positive.
    fileprivate func flooredQuotientAndRemainder(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
