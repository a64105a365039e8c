/// What was asked for lately, by key: at most `limit` bytes of it, by what its owner says each value costs.
///
/// Two generations stand in for an exact order of use. New values enter the young one; when it is full it becomes
/// the old one, and what the old one still held is forgotten. A hit in the old generation takes the value back into
/// the young. So what is asked for again before others of `limit / 2` bytes were is never forgotten, however many
/// come only once, and each operation is O(1) but for freeing a generation at once.
struct BoundedCache<Key: Hashable, Value> {
    private struct Entry {
        let value: Value
        let size: Int
    }

    private let generationLimit: Int
    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngSize = 0
    private var oldSize = 0

    /// - Parameter limit: in bytes; a value of more than half of it is not remembered.
    init(limit: Int) { generationLimit = limit / 2 }

    /// What the remembered values cost, in bytes.
    var size: Int { youngSize + oldSize }

    /// How many values are remembered.
    var count: Int { young.count + old.count }

    /// What is remembered under `key`.
    mutating func value(for key: Key) -> Value? {
        if let entry = young[key] { return entry.value }
        guard let entry = old.removeValue(forKey: key) else { return nil }
        oldSize -= entry.size
        add(entry, for: key)
        return entry.value
    }

    /// Remembers `value` in the place of what was remembered under `key`.
    ///
    /// - Parameter size: what it costs together with the key, in bytes.
    mutating func remember(_ value: Value, for key: Key, size: Int) {
        if let replaced = young.removeValue(forKey: key) {
            youngSize -= replaced.size
        } else if let replaced = old.removeValue(forKey: key) {
            oldSize -= replaced.size
        }
        guard size <= generationLimit else { return }
        add(Entry(value: value, size: size), for: key)
    }

    /// Adds what is in neither generation.
    private mutating func add(_ entry: Entry, for key: Key) {
        if youngSize + entry.size > generationLimit {
            (old, oldSize) = (young, youngSize)
            (young, youngSize) = ([:], 0)
        }
        young[key] = entry
        youngSize += entry.size
    }
}
