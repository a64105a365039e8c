import ActivityCore
import HTTPCodec

/// A read that waits for another state than the caller has.
final class LongPoll: AgendaItem {
    /// How long a change of progress alone waits after parking, in nanoseconds.
    static let patience: UInt64 = 1_000_000_000

    let caller: Caller
    let request: ScreenRequest
    let screens: [ScreenName]
    /// What the caller has.
    let tags: EntityTags
    /// The seconds granted.
    let wait: Int
    let parkedAt: UInt64
    let deadline: UInt64
    /// What was shown when it was parked.
    let readings: [Reading]
    var isAnswered = false
    /// True while it waits to be looked at again.
    var isDue = false
    var agendaPlace: Int?

    init(
        caller: Caller, request: ScreenRequest, screens: [ScreenName], tags: EntityTags, wait: Int,
        parkedAt: UInt64,
        readings: [Reading]
    ) {
        self.caller = caller
        self.request = request
        self.screens = screens
        self.tags = tags
        self.wait = wait
        self.parkedAt = parkedAt
        deadline = parkedAt + UInt64(wait) * 1_000_000_000
        self.readings = readings
    }
}
