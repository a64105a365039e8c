import ActivityCore
import Glibc

/// The machine's clocks.
enum Clock {
    /// Both clocks, read together.
    static func now() -> Moment {
        let wall = read(CLOCK_REALTIME)
        return Moment(
            instant: Instant(nanoseconds: Int64(monotonic())),
            wall: Timestamp(milliseconds: Int64(wall.tv_sec) * 1_000 + Int64(wall.tv_nsec) / 1_000_000))
    }

    /// The monotonic clock in nanoseconds.
    static func monotonic() -> UInt64 {
        let time = read(CLOCK_MONOTONIC)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
