import Testing

@testable import ActivityCore

/// The registry's own collections against slow, obvious ones on random input.
@Suite struct CollectionTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func orderedKeysHoldWhatASortedArrayHolds(seed: UInt64) {
        var chance = Chance(seed: seed)
        var keys = OrderedKeys<Int>()
        var expected = Set<Int>()
        let range = chance.one(of: [50, 2_000])
        for step in 0..<4_000 {
            let key = Int.random(in: 0..<range, using: &chance)
            // Mostly grows in the first half, mostly shrinks in the second.
            if chance.hits(step < 2_000 ? 80 : 20) {
                keys.insert(key)
                expected.insert(key)
            } else {
                keys.remove(key)
                expected.remove(key)
            }
        }
        var all: [Int] = []
        keys.walk(from: nil) { key in
            all.append(key)
            return true
        }
        let sorted = expected.sorted()
        #expect(all == sorted && keys.count == sorted.count && keys.first == sorted.first)
        for lower in stride(from: -1, through: range, by: range / 25) {
            var page: [Int] = []
            keys.walk(from: lower) { key in
                page.append(key)
                return page.count < 7
            }
            #expect(page == Array(sorted.filter { $0 >= lower }.prefix(7)))
        }
    }

    @Test func orderedKeysDoNotKeepManySmallChunks() {
        var keys = OrderedKeys<Int>()
        for key in 0..<20_000 { keys.insert(key) }
        for key in 0..<20_000 where key % 100 != 0 { keys.remove(key) }
        #expect(keys.count == 200)
        #expect(keys.chunks.count < 10)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func theHeapsFirstIsTheEarliest(seed: UInt64) {
        var chance = Chance(seed: seed)
        var heap = DeadlineHeap()
        var expected: [Int: Instant] = [:]
        for _ in 0..<2_000 {
            let id = Int.random(in: 0..<60, using: &chance)
            let deadline = chance.hits(70) ? Instant(nanoseconds: .random(in: 0..<40, using: &chance)) : nil
            heap.set(id, to: deadline)
            expected[id] = deadline
            let first = expected.min { ($0.value, $0.key) < ($1.value, $1.key) }
            #expect(heap.first?.id == first?.key && heap.first?.deadline == first?.value)
            #expect(heap.deadline(of: id) == deadline)
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func slotsCanBeTakenOutAnywhere(seed: UInt64) {
        var chance = Chance(seed: seed)
        var list = SlotList()
        var expected: [Int] = []
        for _ in 0..<1_000 {
            let slot = Int.random(in: 0..<40, using: &chance)
            if let place = expected.firstIndex(of: slot) {
                list.remove(slot)
                expected.remove(at: place)
            } else {
                let place = Int.random(in: 0...expected.count, using: &chance)
                list.insert(slot, after: place == 0 ? nil : expected[place - 1])
                expected.insert(slot, at: place)
            }
            var backwards: [Int] = []
            var next = list.last
            while let slot = next {
                backwards.append(slot)
                next = list.slot(before: slot)
            }
            #expect(backwards.reversed() == expected && list.first == expected.first)
        }
    }
}
