/// At most one deadline for each small number, the earliest first: a binary heap that knows where each number is.
struct DeadlineHeap: Sendable {
    private struct Entry {
        var deadline: Instant
        var id: Int

        /// Equal deadlines go by number, so that the order never depends on history.
        static func < (a: Entry, b: Entry) -> Bool { (a.deadline, a.id) < (b.deadline, b.id) }
    }

    private var entries: [Entry] = []
    /// The place of each number in `entries`; −1 for those without a deadline.
    private var places: [Int32] = []

    /// The earliest deadline; O(1).
    var first: (deadline: Instant, id: Int)? { entries.first.map { ($0.deadline, $0.id) } }

    /// The deadline of `id`; O(1).
    func deadline(of id: Int) -> Instant? {
        guard id < places.count, places[id] >= 0 else { return nil }
        return entries[Int(places[id])].deadline
    }

    /// Gives `id` a deadline, or takes it away; O(log n), and O(1) when it stays the same.
    mutating func set(_ id: Int, to deadline: Instant?) {
        guard let deadline else { return remove(id) }
        while places.count <= id { places.append(-1) }
        guard places[id] >= 0 else {
            entries.append(Entry(deadline: deadline, id: id))
            return rise(from: entries.count - 1)
        }
        let place = Int(places[id])
        let old = entries[place].deadline
        guard deadline != old else { return }
        entries[place].deadline = deadline
        if deadline < old { rise(from: place) } else { sink(from: place) }
    }

    private mutating func remove(_ id: Int) {
        guard id < places.count, places[id] >= 0 else { return }
        let place = Int(places[id])
        places[id] = -1
        let last = entries.removeLast()
        guard place < entries.count else { return }
        entries[place] = last
        rise(from: place)
        sink(from: Int(places[last.id]))
    }

    private mutating func rise(from start: Int) {
        var place = start
        let entry = entries[place]
        while place > 0, entry < entries[(place - 1) / 2] {
            move(from: (place - 1) / 2, to: place)
            place = (place - 1) / 2
        }
        put(entry, at: place)
    }

    private mutating func sink(from start: Int) {
        var place = start
        let entry = entries[place]
        while 2 * place + 1 < entries.count {
            var child = 2 * place + 1
            if child + 1 < entries.count, entries[child + 1] < entries[child] { child += 1 }
            guard entries[child] < entry else { break }
            move(from: child, to: place)
            place = child
        }
        put(entry, at: place)
    }

    private mutating func move(from: Int, to: Int) { put(entries[from], at: to) }

    private mutating func put(_ entry: Entry, at place: Int) {
        entries[place] = entry
        places[entry.id] = Int32(place)
    }
}
