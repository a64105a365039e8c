import Testing

@testable import ActivityService

@Suite struct BoundedCacheTests {
    @Test func remembersWhatItWasGiven() {
        var cache = BoundedCache<Int, String>(limit: 100)
        #expect(cache.value(for: 1) == nil)
        cache.remember("one", for: 1, size: 10)
        #expect(cache.value(for: 1) == "one")
        #expect(cache.value(for: 2) == nil)
        #expect((cache.count, cache.size) == (1, 10))
    }

    @Test func countsAReplacedValueOnce() {
        var cache = BoundedCache<Int, Int>(limit: 100)
        for size in [10, 40, 5] { cache.remember(size, for: 1, size: size) }
        #expect(cache.value(for: 1) == 5)
        #expect((cache.count, cache.size) == (1, 5))
    }

    @Test func countsAValueThatIsReplacedInTheOldGenerationOnce() {
        var cache = BoundedCache<Int, Int>(limit: 100)
        for key in 1...6 { cache.remember(key, for: key, size: 10) }
        #expect((cache.count, cache.size) == (6, 60))
        cache.remember(100, for: 1, size: 20)
        #expect(cache.value(for: 1) == 100)
        #expect((cache.count, cache.size) == (6, 70))
    }

    @Test func forgetsWhatIsReplacedByAValueTooLargeToRemember() {
        var cache = BoundedCache<Int, Int>(limit: 100)
        cache.remember(1, for: 1, size: 50)
        cache.remember(2, for: 1, size: 51)
        #expect(cache.value(for: 1) == nil)
        #expect((cache.count, cache.size) == (0, 0))
    }

    @Test func aValueTooLargeToRememberDrivesNothingOut() {
        var cache = BoundedCache<Int, Int>(limit: 100)
        for key in 0..<5 { cache.remember(key, for: key, size: 10) }
        cache.remember(99, for: 99, size: 1_000)
        #expect((0..<5).allSatisfy { cache.value(for: $0) == $0 })
    }

    @Test func allOfHalfTheLimitAskedForInTurnIsNeverForgotten() {
        var cache = BoundedCache<Int, Int>(limit: 2_000)
        for key in 0..<100 { cache.remember(key, for: key, size: 10) }
        for round in 0..<10 {
            // Whatever came in between once must not begin to drive the others out.
            cache.remember(0, for: 1_000 + round, size: 10)
            for key in 0..<99 { #expect(cache.value(for: key) == key, "round \(round)") }
        }
    }

    @Test func whatIsAskedForMeanwhileSurvivesAScan() {
        var cache = BoundedCache<Int, Int>(limit: 1_000)
        cache.remember(-1, for: -1, size: 10)
        for key in 0..<10_000 {
            cache.remember(key, for: key, size: 10)
            if key % 40 == 0 { #expect(cache.value(for: -1) == -1, "after \(key)") }
        }
    }

    @Test func theOldestGenerationIsForgottenFirst() {
        var cache = BoundedCache<Int, Int>(limit: 100)
        for key in 0..<11 { cache.remember(key, for: key, size: 10) }
        #expect((0..<5).allSatisfy { cache.value(for: $0) == nil })
        #expect((5..<11).allSatisfy { cache.value(for: $0) == $0 })
    }

    /// Against the obvious model: what was remembered last under each key, and what that cost.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func boundHoldsAndNothingIsMadeUpUnderRandomUse(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        let limit = 50 + random(1_000)
        var cache = BoundedCache<Int, Int>(limit: limit)
        var model: [Int: (value: Int, size: Int)] = [:]
        for step in 0..<3_000 {
            let key = random(60)
            if random(2) == 0 {
                let size = 1 + random(limit * 3 / 4)
                cache.remember(step, for: key, size: size)
                model[key] = (step, size)
            } else if let found = cache.value(for: key) {
                #expect(found == model[key]?.value, "seed \(seed), step \(step)")
            }
            #expect(cache.size <= limit, "seed \(seed), step \(step)")
        }
        let held = (0..<60).filter { key in
            // A copy: looking must not change what is held.
            var copy = cache
            return copy.value(for: key) != nil
        }
        #expect(cache.count == held.count, "seed \(seed)")
        #expect(cache.size == held.reduce(0) { $0 + (model[$1]?.size ?? 0) }, "seed \(seed)")
    }
}
