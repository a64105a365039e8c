import Glibc

/// Nanoseconds of `CLOCK_MONOTONIC`.
enum Clock {
    static var now: UInt64 { read(CLOCK_MONOTONIC) ?? 0 }

    /// Nanoseconds of CPU that this thread has used.
    static var thread: UInt64 { read(CLOCK_THREAD_CPUTIME_ID) ?? 0 }

    /// Seconds since `instant`.
    static func seconds(since instant: UInt64) -> Double { Double(now - instant) / 1e9 }

    static func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }

    /// Nil for a clock that is not there any more, such as that of an ended process.
    static func read(_ clock: clockid_t) -> UInt64? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The distribution of some measured values.
struct Spread {
    private let sorted: [Double]

    init(_ values: some Sequence<Double>) { sorted = values.sorted() }

    /// The value below which this share of all lies; 0 when there is none.
    func quantile(_ share: Double) -> Double {
        sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
    }

    var median: Double { quantile(0.5) }
    var maximum: Double { sorted.last ?? 0 }
    var minimum: Double { sorted.first ?? 0 }
}
