import Glibc
import Journal

/// The slow, obvious journal: the last entry of each live key, in order.
struct JournalModel {
    private var entries: [JournalEntry] = []

    mutating func append(_ batch: [JournalEntry]) {
        for entry in batch {
            entries.removeAll { $0.key == entry.key }
            if entry.value != nil { entries.append(entry) }
        }
    }

    /// As ``contents(of:)`` has it.
    var contents: [String] { entries.map(\.text) }
}

/// An entry of one byte, or a removal.
func entry(_ key: String, _ value: UInt8?) -> JournalEntry {
    JournalEntry(key: key, value: value.map { [$0] })
}

/// What a replay hands out, in order, as text.
func contents(of journal: any JournalStore) throws(JournalError) -> [String] {
    var entries: [String] = []
    try journal.replay { entries.append($0.text) }
    return entries
}

extension JournalEntry {
    var text: String { key + "=" + (value.map { $0.map { "\($0)" }.joined(separator: ",") } ?? "nil") }
}

/// A generator of random numbers that can be repeated: put the printed seed here.
///
/// SplitMix64, https://prng.di.unimi.it/splitmix64.c
struct SeededGenerator: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64 = .random(in: 0...UInt64.max)) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
