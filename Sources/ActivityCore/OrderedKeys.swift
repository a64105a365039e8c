/// A set that is always in order: a list of sorted chunks.
///
/// Finding a place costs O(log n), walking on from it O(1) per key; inserting and removing move a chunk's worth of
/// keys, and seldom the list of chunks. That stays below a microsecond for the 200 000 keys it is made for.
struct OrderedKeys<Key: Comparable & Sendable>: Sendable {
    private static var chunkLimit: Int { 64 }
    /// None is empty.
    private(set) var chunks: [[Key]] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Key? { chunks.first?.first }

    /// Adds `key`; nothing changes when an equal one is there.
    mutating func insert(_ key: Key) {
        guard !chunks.isEmpty else {
            chunks = [[key]]
            count = 1
            return
        }
        let index = chunkIndex(of: key)
        let place = Self.lowerBound(of: key, in: chunks[index])
        if place < chunks[index].count, chunks[index][place] == key { return }
        chunks[index].insert(key, at: place)
        count += 1
        if chunks[index].count > Self.chunkLimit { split(index) }
    }

    /// Takes the key that equals `key` out, if there is one.
    mutating func remove(_ key: Key) {
        guard !chunks.isEmpty else { return }
        let index = chunkIndex(of: key)
        let place = Self.lowerBound(of: key, in: chunks[index])
        guard place < chunks[index].count, chunks[index][place] == key else { return }
        chunks[index].remove(at: place)
        count -= 1
        shrink(index)
    }

    /// Calls `body` for each key from `lower` (inclusive; nil: from the first) on, in order, until it returns false.
    func walk(from lower: Key?, _ body: (Key) -> Bool) {
        guard !chunks.isEmpty else { return }
        let start = lower.map { chunkIndex(of: $0) } ?? 0
        var place = lower.map { Self.lowerBound(of: $0, in: chunks[start]) } ?? 0
        for index in start..<chunks.count {
            for key in chunks[index][place...] where !body(key) { return }
            place = 0
        }
    }

    /// The last chunk that does not start behind `key`; the first one when all do.
    private func chunkIndex(of key: Key) -> Int {
        var low = 0
        var high = chunks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if key < chunks[middle][0] { high = middle } else { low = middle }
        }
        return low
    }

    private static func lowerBound(of key: Key, in chunk: [Key]) -> Int {
        var low = 0
        var high = chunk.count
        while low < high {
            let middle = (low + high) / 2
            if chunk[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func split(_ index: Int) {
        let half = chunks[index].count / 2
        let upper = Array(chunks[index][half...])
        chunks[index].removeSubrange(half...)
        chunks.insert(upper, at: index + 1)
    }

    /// Keeps removals from leaving many small chunks behind.
    private mutating func shrink(_ index: Int) {
        if chunks[index].isEmpty {
            chunks.remove(at: index)
        } else if chunks[index].count <= Self.chunkLimit / 4 {
            merge(index)
            if index > 0 { merge(index - 1) }
        }
    }

    /// Joins a chunk and the next one, when both together are small.
    private mutating func merge(_ index: Int) {
        guard index + 1 < chunks.count,
            chunks[index].count + chunks[index + 1].count <= Self.chunkLimit / 2
        else { return }
        chunks[index] += chunks.remove(at: index + 1)
    }
}
