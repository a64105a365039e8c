/// The leases of the running runs, by slot. Monotonic time only.
///
/// A renewal costs O(1): it moves the lease, but leaves the heap's entry where it is; only when that comes up is
/// it moved to where the lease ends by then. Deadlines are kept without the lateness that was added to all of
/// them, so that adding some costs O(1), too.
struct Leases: Sendable {
    private struct Lease {
        var renewedAt: Instant
        var recordedAt: Instant
        var ttl: Int64

        /// A run is lost `max(1 s, 5 %)` after its ttl.
        var deadline: Instant { renewedAt.advanced(byNanoseconds: ttl + max(1_000_000_000, ttl / 20)) }
    }

    private var leases: [Lease?] = []
    private var heap = DeadlineHeap()
    /// What was added to all deadlines so far, in nanoseconds.
    private var lateness: Int64 = 0

    /// Starts a lease of `ttl` seconds, or renews it.
    mutating func renew(_ slot: Int, ttl: Int, at instant: Instant, isRecorded: Bool) {
        while leases.count <= slot { leases.append(nil) }
        let now = instant.advanced(byNanoseconds: -lateness)
        let recordedAt = isRecorded ? now : leases[slot]?.recordedAt ?? now
        let lease = Lease(renewedAt: now, recordedAt: recordedAt, ttl: Int64(ttl) * 1_000_000_000)
        leases[slot] = lease
        let known = heap.deadline(of: slot)
        if known.map({ lease.deadline < $0 }) ?? true { heap.set(slot, to: lease.deadline) }
    }

    /// Ends a lease; nothing happens when there is none.
    mutating func end(_ slot: Int) {
        guard slot < leases.count, leases[slot] != nil else { return }
        leases[slot] = nil
        heap.set(slot, to: nil)
    }

    /// True when less than half the ttl is left of the last renewal that was recorded.
    func isRecordDue(_ slot: Int, at instant: Instant) -> Bool {
        guard let lease = lease(slot) else { return true }
        let age = instant.nanoseconds - lateness - lease.recordedAt.nanoseconds
        return age > lease.ttl / 2
    }

    /// The seconds left of the ttl, from 0 to the ttl, in whole milliseconds; nil without a lease.
    func remaining(_ slot: Int, at instant: Instant) -> Double? {
        guard let lease = lease(slot) else { return nil }
        let left = lease.renewedAt.nanoseconds + lease.ttl + lateness - instant.nanoseconds
        return Double(min(max(left, 0), lease.ttl) / 1_000_000) / 1_000
    }

    /// The earliest lease that has run out by `instant`, and when it did. It stays until it is ended.
    mutating func firstExpired(by instant: Instant) -> (slot: Int, deadline: Instant)? {
        let limit = instant.advanced(byNanoseconds: -lateness)
        while let (deadline, slot) = heap.first, deadline <= limit {
            guard let lease = lease(slot), lease.deadline > deadline else {
                return (slot, deadline.advanced(byNanoseconds: lateness))
            }
            heap.set(slot, to: lease.deadline)
        }
        return nil
    }

    /// When ``firstExpired(by:)`` is to be asked next; perhaps too early, never too late.
    var nextDeadline: Instant? { heap.first?.deadline.advanced(byNanoseconds: lateness) }

    /// Extends every lease, because the process was held up.
    mutating func postpone(byNanoseconds nanoseconds: Int64) { lateness += nanoseconds }

    private func lease(_ slot: Int) -> Lease? { slot < leases.count ? leases[slot] : nil }
}
