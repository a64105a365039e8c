import Synchronization

/// A number that goes up and down, or only up; read and written by any thread.
final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    var count: Int { value.load(ordering: .relaxed) }

    func add(_ amount: Int = 1) { value.add(amount, ordering: .relaxed) }

    func set(_ amount: Int) { value.store(amount, ordering: .relaxed) }
}

/// How long things took, in buckets from 100 µs to 10 s. One observation costs three atomic additions.
final class DurationHistogram: Sendable {
    /// The upper bounds of the buckets, in seconds.
    static let bounds: [Double] = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
    ]

    private static let boundsInNanoseconds = bounds.map { UInt64($0 * 1e9) }

    /// One per bound, and the rest.
    private let buckets = (0...bounds.count).map { _ in Counter() }
    private let total = Atomic<UInt64>(0)

    /// The observations per bucket, the last being those above every bound.
    var counts: [Int] { buckets.map(\.count) }
    /// The sum of all observations in seconds.
    var seconds: Double { Double(total.load(ordering: .relaxed)) / 1e9 }

    func observe(nanoseconds: UInt64) {
        let bucket = Self.boundsInNanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.bounds.count
        buckets[bucket].add()
        total.add(nanoseconds, ordering: .relaxed)
    }
}

/// The text format of Prometheus, version 0.0.4
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
struct Exposition {
    private(set) var text = ""

    /// One family with its samples: pairs of labels (`{a="b"}` or nothing) and value.
    mutating func family(
        _ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: Int)]
    ) {
        begin(name, type, help)
        for sample in samples { text += "\(name)\(sample.labels) \(sample.value)\n" }
    }

    /// A family of one sample without labels.
    mutating func family(_ name: String, _ type: String, _ help: String, _ value: Int) {
        family(name, type, help, [("", value)])
    }

    /// A histogram of seconds, summed over `parts`.
    mutating func histogram(_ name: String, _ help: String, _ parts: [DurationHistogram]) {
        begin(name, "histogram", help)
        var sum = 0
        let counts = parts.map(\.counts)
        for (index, bound) in DurationHistogram.bounds.enumerated() {
            sum += counts.reduce(0) { $0 + $1[index] }
            text += "\(name)_bucket{le=\"\(bound)\"} \(sum)\n"
        }
        sum += counts.reduce(0) { $0 + ($1.last ?? 0) }
        text += "\(name)_bucket{le=\"+Inf\"} \(sum)\n"
        text += "\(name)_sum \(parts.reduce(0) { $0 + $1.seconds })\n"
        text += "\(name)_count \(sum)\n"
    }

    private mutating func begin(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }
}
