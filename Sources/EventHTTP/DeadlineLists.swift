/// What a connection is waited for.
enum Deadline: Int, CaseIterable {
    case head, body, idle, stalled, linger
}

/// Connections, by their slots, in the order in which they are given up.
///
/// One list for each kind of deadline: within a kind all wait equally long, so who joins last is due last, and joining,
/// leaving and finding who is due cost O(1), without a timer per connection.
struct DeadlineLists {
    private struct Place {
        var kind: Deadline?
        var due: UInt64 = 0
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private struct List {
        var first: Int32 = -1
        var last: Int32 = -1
        let duration: UInt64
    }

    private var lists: [List]
    private var places: [Place] = []

    init(_ limits: ServerLimits) {
        lists = Deadline.allCases.map { kind in
            switch kind {
            case .head: List(duration: limits.headDeadline.nanoseconds)
            case .body: List(duration: limits.bodyDeadline.nanoseconds)
            case .idle: List(duration: limits.idle.nanoseconds)
            case .stalled: List(duration: limits.stallDeadline.nanoseconds)
            case .linger: List(duration: limits.linger.nanoseconds)
            }
        }
    }

    /// The deadline that `slot` has.
    func kind(of slot: Int32) -> Deadline? {
        Int(slot) < places.count ? places[Int(slot)].kind : nil
    }

    /// The deadline of `slot` starts at `now`, which never goes back; one that it had before is forgotten.
    mutating func start(_ kind: Deadline, of slot: Int32, at now: UInt64) {
        while places.count <= Int(slot) { places.append(Place()) }
        cancel(slot)
        let last = lists[kind.rawValue].last
        places[Int(slot)] = Place(kind: kind, due: now + lists[kind.rawValue].duration, previous: last)
        lists[kind.rawValue].last = slot
        if last < 0 { lists[kind.rawValue].first = slot } else { places[Int(last)].next = slot }
    }

    /// `slot` has no deadline any more.
    mutating func cancel(_ slot: Int32) {
        guard let kind = kind(of: slot) else { return }
        let (previous, next) = (places[Int(slot)].previous, places[Int(slot)].next)
        places[Int(slot)] = Place()
        if previous < 0 { lists[kind.rawValue].first = next } else { places[Int(previous)].next = next }
        if next < 0 { lists[kind.rawValue].last = previous } else { places[Int(next)].previous = previous }
    }

    /// All deadlines are so many nanoseconds later. O(slots).
    mutating func postpone(by delay: UInt64) {
        for slot in places.indices where places[slot].kind != nil { places[slot].due += delay }
    }

    /// Takes one slot whose deadline has passed out of its list; nil if there is none.
    mutating func takeDue(at now: UInt64) -> (slot: Int32, kind: Deadline)? {
        for kind in Deadline.allCases {
            let slot = lists[kind.rawValue].first
            guard slot >= 0, places[Int(slot)].due <= now else { continue }
            cancel(slot)
            return (slot, kind)
        }
        return nil
    }
}
