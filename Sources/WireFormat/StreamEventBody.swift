/// Why the service ends an event stream.
public enum StreamCloseReason: String, Hashable, Sendable, CaseIterable {
    case maxAge = "max-age"
    case shutdown, full, unauthenticated
}

/// The data of the small events of a stream.
public enum StreamEventBody {
    /// `{"within":18}`: the next heartbeat comes within so many seconds.
    public static func heartbeat(within seconds: Int) -> [UInt8] {
        var writer = JSONWriter(capacity: 24)
        writer.literal(#"{"within":"#)
        writer.integer(seconds)
        writer.literal("}")
        return writer.bytes
    }

    /// `{"reason":"max-age"}`.
    public static func close(_ reason: StreamCloseReason) -> [UInt8] {
        var writer = JSONWriter(capacity: 40)
        writer.literal(#"{"reason":"#)
        writer.name(reason.rawValue)
        writer.literal("}")
        return writer.bytes
    }
}
