/// An instant as HTTP writes it, `Sun, 06 Nov 1994 08:49:37 GMT` (IMF-fixdate, RFC 9110, section 5.6.7).
public struct HTTPDate: Hashable, Sendable {
    /// The 29 bytes.
    public let bytes: [UInt8]

    /// The date `seconds` after 1970-01-01T00:00:00Z. Precondition: within the years 1970 to 9999.
    public init(secondsSince1970 seconds: Int) {
        precondition((0..<253_402_300_800).contains(seconds), "An HTTP date has a year of four digits.")
        let (day, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = Self.civil(day)
        // 1970-01-01 was a Thursday.
        let weekday = (day + 4) % 7
        bytes = [UInt8](capacity: 29) { text in
            text.append(part(weekday, of: "SunMonTueWedThuFriSat"))
            text.append(", ")
            text.append(twoDigits: date.day)
            text.append(" ")
            text.append(part(date.month - 1, of: "JanFebMarAprMayJunJulAugSepOctNovDec"))
            text.append(" ")
            text.append(decimal: date.year)
            text.append(" ")
            text.append(twoDigits: second / 3600)
            text.append(":")
            text.append(twoDigits: second / 60 % 60)
            text.append(":")
            text.append(twoDigits: second % 60)
            text.append(" GMT")
        }
    }

    /// The date of a day counted from 1970-01-01 (H. Hinnant,
    /// [civil_from_days](https://howardhinnant.github.io/date_algorithms.html)).
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}

/// The name at `index` in `names`, of three letters each.
private func part(_ index: Int, of names: StaticString) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: names.utf8Start + index * 3, count: 3)
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(twoDigits number: Int) {
        append(Byte.zero + UInt8(truncatingIfNeeded: number / 10))
        append(Byte.zero + UInt8(truncatingIfNeeded: number % 10))
    }
}
