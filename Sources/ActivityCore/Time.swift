/// A reading of the monotonic clock, in nanoseconds. Leases and phases know no other clock.
public struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since an origin that means nothing.
    public var nanoseconds: Int64

    /// The instant `nanoseconds` after the origin.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
    /// The instant `milliseconds` after the origin.
    public init(milliseconds: Int64) { nanoseconds = milliseconds * 1_000_000 }

    /// Orders by time.
    public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The instant `nanoseconds` later.
    public func advanced(byNanoseconds nanoseconds: Int64) -> Instant {
        Instant(nanoseconds: self.nanoseconds + nanoseconds)
    }
    /// The instant `milliseconds` later.
    public func advanced(byMilliseconds milliseconds: Int64) -> Instant {
        advanced(byNanoseconds: milliseconds * 1_000_000)
    }
}

/// A reading of the wall clock, in milliseconds since 1970-01-01T00:00:00Z. Shown, never computed with.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public var milliseconds: Int64

    /// The timestamp `milliseconds` after 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Orders by time.
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}

/// One reading of both clocks: the instant of all events of a batch.
public struct Moment: Hashable, Sendable {
    /// The monotonic reading, for deadlines.
    public var instant: Instant
    /// The wall reading, for what people see.
    public var wall: Timestamp

    /// Both readings, taken together.
    public init(instant: Instant, wall: Timestamp) {
        self.instant = instant
        self.wall = wall
    }

    /// What the wall clock showed, by today's reading, at an instant near this one.
    public func wall(at other: Instant) -> Timestamp {
        Timestamp(milliseconds: wall.milliseconds + (other.nanoseconds - instant.nanoseconds) / 1_000_000)
    }
}
