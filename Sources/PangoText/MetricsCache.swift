import IndicatorLayout

/// The sizes of the texts that were asked for lately; at most `capacity`.
///
/// Two generations stand in for an exact order of use. New texts enter the young one; when it is full it
/// becomes the old one, and what the old one still held is forgotten. A hit in the old generation takes the
/// text back into the young. So whatever is among the last `capacity / 2` texts is never forgotten, and each
/// operation is O(1) but for freeing a generation at once.
struct MetricsCache {
    private let generationSize: Int
    private var young: [MeasuredText: TextMetrics] = [:]
    private var old: [MeasuredText: TextMetrics] = [:]
    private(set) var hits = 0
    private(set) var misses = 0

    init(capacity: Int) {
        precondition(capacity >= 2, "a cache of two generations holds at least two texts")
        generationSize = capacity / 2
    }

    var count: Int { young.count + old.count }

    /// The stored size of `text`, which counts as a hit; nil counts nothing.
    mutating func metrics(of text: MeasuredText) -> TextMetrics? {
        if let metrics = young[text] {
            hits += 1
            return metrics
        }
        guard let metrics = old.removeValue(forKey: text) else { return nil }
        hits += 1
        store(metrics, for: text)
        return metrics
    }

    /// Stores what had to be measured, which counts as a miss.
    mutating func insert(_ metrics: TextMetrics, for text: MeasuredText) {
        misses += 1
        store(metrics, for: text)
    }

    private mutating func store(_ metrics: TextMetrics, for text: MeasuredText) {
        if young.count >= generationSize {
            old = young
            young = [:]
        }
        young[text] = metrics
    }
}
