/// A journal that lives as long as its process: for trials and tests.
public final class MemoryJournal: JournalStore {
    private var entries: [String: (revision: Int64, value: [UInt8])] = [:]
    private var revision: Int64 = 0
    private var isClosed = false

    /// How many bytes the keys and values have.
    public private(set) var byteCount: Int64 = 0

    /// A journal without entries.
    public init() {}

    /// Takes the batch; fails only after ``close()``.
    public func append(_ batch: [JournalEntry]) throws(JournalError) {
        try probe()
        for entry in batch {
            revision += 1
            if let old = entries.removeValue(forKey: entry.key) {
                byteCount -= Int64(entry.key.utf8.count + old.value.count)
            }
            if let value = entry.value {
                entries[entry.key] = (revision, value)
                byteCount += Int64(entry.key.utf8.count + value.count)
            }
        }
    }

    /// Hands out the live entries in order. O(n log n).
    public func replay(_ body: (JournalEntry) throws(JournalError) -> Void) throws(JournalError) {
        try probe()
        for (key, entry) in entries.sorted(by: { $0.value.revision < $1.value.revision }) {
            try body(JournalEntry(key: key, value: entry.value))
        }
    }

    /// Fails only after ``close()``.
    public func probe() throws(JournalError) {
        guard !isClosed else { throw .failed("it is closed") }
    }

    /// Does nothing: removed entries leave nothing behind.
    public func maintain() {}

    /// Drops the entries.
    public func close() {
        isClosed = true
        entries = [:]
        byteCount = 0
    }
}
