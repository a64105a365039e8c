/// A total order of entries, of which the newest of each key is kept.
///
/// Each entry holds the whole value of its key, so an older one is worth nothing once a newer one is there: files
/// and start-up follow the number of live keys, not of changes. Confined to one thread.
public protocol JournalStore: AnyObject {
    /// Writes `batch` behind everything written before, in its order, all of it or nothing.
    ///
    /// Durable when it returns. After an error nothing of the batch is there, and the journal may be used on; only
    /// if the storage failed while it confirmed the batch (``JournalError/failed(_:)``) may a crash right after
    /// bring the batch back, whole.
    func append(_ batch: [JournalEntry]) throws(JournalError)

    /// Hands each live key's entry to `body`, in the order in which the entries were written.
    ///
    /// The entries have values. An error of `body` ends the replay and is passed on; `body` throws
    /// ``JournalError/corrupt(_:)`` for a value that it cannot read. `body` may not call this journal.
    func replay(_ body: (JournalEntry) throws(JournalError) -> Void) throws(JournalError)

    /// How many bytes the journal takes up where it is stored.
    var byteCount: Int64 { get }

    /// Makes one small durable write that changes no entry: returns when writing works, for instance again.
    func probe() throws(JournalError)

    /// Gives back a bounded part of the space that removed entries left behind; call it when
    /// nobody waits for an answer, at most a few times a second. Takes milliseconds, or nothing when there is nothing to give back.
    func maintain()

    /// Releases what is held. Nothing is lost without it. Afterwards every other call fails.
    func close()
}

/// The newest value of one key, or that the key is gone.
public struct JournalEntry: Hashable, Sendable {
    /// The key's longest length in bytes.
    public static let longestKey = 1024

    /// 1 to 1 024 bytes of visible ASCII (0x21 to 0x7e), compared byte by byte.
    public let key: String
    /// The whole value of the key; nil removes the key.
    public let value: [UInt8]?

    /// The entry that gives `key` the value `value`, or removes it. A key that breaks its rule is a broken invariant.
    public init(key: String, value: [UInt8]?) {
        precondition(Self.isKey(key), "A journal key is 1 to 1 024 bytes of visible ASCII.")
        self.key = key
        self.value = value
    }

    static func isKey(_ text: String) -> Bool {
        let bytes = text.utf8
        return (1...longestKey).contains(bytes.count) && bytes.allSatisfy { (0x21...0x7e).contains($0) }
    }
}
