@testable import ActivityCore
import PangoText
import Testing

@testable import ActivityService

@Suite struct MetricsTests {
    /// One line of the text format that is not a comment.
    private struct Sample {
        let name: String
        let labels: String
        let value: Double

        init(_ line: Substring) throws {
            let parts = try #require(line.wholeMatch(of: /([a-z_]+)(\{[^}]*\})? (-?[0-9.e+-]+)/))
            name = String(parts.1)
            labels = String(parts.2 ?? "")
            value = try #require(Double(String(parts.3)))
        }
    }

    private func lines(of metrics: ServiceMetrics) throws -> [Substring] {
        let statistics = try PangoTextMeasurer().statistics
        let bytes = metrics.exposition(connections: 3, layoutCache: statistics)
        #expect(bytes.last == UInt8(ascii: "\n"))
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    private func samples(of metrics: ServiceMetrics) throws -> [String: Double] {
        var samples: [String: Double] = [:]
        for line in try lines(of: metrics) where !line.hasPrefix("#") {
            let sample = try Sample(line)
            #expect(samples.updateValue(sample.value, forKey: sample.name + sample.labels) == nil)
        }
        return samples
    }

    /// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
    @Test func explainsEachFamilyOnceBeforeItsSamples() throws {
        let metrics = ServiceMetrics(loops: 2)
        metrics.loops[0].answered(route: RouteLabel.run.rawValue, status: 200)
        var family = ""
        var families: Set<String> = []
        for line in try lines(of: metrics) {
            if line.hasPrefix("# HELP ") {
                family = String(line.split(separator: " ")[2])
                #expect(families.insert(family).inserted)
            } else if line.hasPrefix("# TYPE ") {
                #expect(line.split(separator: " ")[2] == family)
                #expect(["counter", "gauge", "histogram"].contains(line.split(separator: " ")[3]))
            } else {
                let name = try Sample(line).name
                #expect(
                    name == family || ["_bucket", "_sum", "_count"].contains(name.dropFirst(family.count)))
            }
        }
    }

    @Test func hasEveryFamilyThatOperatorsNeed() throws {
        let text = try lines(of: ServiceMetrics(loops: 1)).joined(separator: "\n")
        for family in [
            "pending_build_info gauge", "pending_http_requests_total counter",
            "pending_http_connections gauge",
            "pending_streams gauge", "pending_long_polls gauge", "pending_runs gauge",
            "pending_journal_commit_seconds histogram", "pending_journal_failures_total counter",
            "pending_journal_bytes gauge", "pending_publish_to_write_seconds histogram",
            "pending_states_conflated_total counter", "pending_layout_cache_hits_total counter",
            "pending_layout_cache_misses_total counter",
        ] {
            #expect(text.contains("# TYPE \(family)\n"))
        }
    }

    @Test func addsUpWhatTheLoopsCount() throws {
        let metrics = ServiceMetrics(loops: 2)
        for loop in metrics.loops {
            loop.answered(route: RouteLabel.screen.rawValue, status: 304)
            loop.streamOpened()
            loop.parked()
        }
        metrics.loops[1].streamClosed()
        metrics.loops[0].conflated()
        let samples = try samples(of: metrics)
        #expect(samples["pending_http_requests_total{route=\"screen\",status=\"304\"}"] == 2)
        #expect(samples["pending_streams"] == 1)
        #expect(samples["pending_long_polls"] == 2)
        #expect(samples["pending_states_conflated_total"] == 1)
        #expect(samples["pending_http_connections"] == 3)
    }

    @Test(arguments: [-1, 0, 299, 600, 100_000])
    func countsStatusesThatItDoesNotKnowAsOther(_ status: Int) throws {
        let metrics = ServiceMetrics(loops: 1)
        metrics.loops[0].answered(route: RouteLabel.run.rawValue, status: status)
        #expect(try samples(of: metrics)["pending_http_requests_total{route=\"run\",status=\"other\"}"] == 1)
    }

    @Test func showsRunsByState() throws {
        let metrics = ServiceMetrics(loops: 1)
        var counts = RunCounts()
        (counts.running, counts.lost, counts.succeeded, counts.failed, counts.canceled) = (1, 2, 3, 4, 5)
        metrics.update(counts)
        metrics.update(journalBytes: 5_000_000_000)
        let samples = try samples(of: metrics)
        let byState = RunState.allCases.map { samples["pending_runs{state=\"\($0.rawValue)\"}"] }
        #expect(byState == [1, 2, 3, 4, 5])
        #expect(samples["pending_journal_bytes"] == 5_000_000_000)
    }

    @Test func putsEachDurationIntoItsBucketAndAllAbove() throws {
        let metrics = ServiceMetrics(loops: 1)
        for nanoseconds: UInt64 in [0, 100_000, 100_001, 1_000_000_000, 20_000_000_000] {
            metrics.committed(nanoseconds: nanoseconds)
        }
        let samples = try samples(of: metrics)
        func bucket(_ bound: String) -> Double? {
            samples["pending_journal_commit_seconds_bucket{le=\"\(bound)\"}"]
        }
        #expect(bucket("0.0001") == 2)
        #expect(bucket("0.00025") == 3)
        #expect(bucket("0.5") == 3)
        #expect(bucket("1.0") == 4)
        #expect(bucket("10.0") == 4)
        #expect(bucket("+Inf") == 5)
        #expect(samples["pending_journal_commit_seconds_count"] == 5)
        #expect(try abs(#require(samples["pending_journal_commit_seconds_sum"]) - 21.000200001) < 1e-9)
    }

    @Test func losesNoCountBetweenThreads() async {
        let counter = Counter()
        let histogram = DurationHistogram()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for number in 0..<10_000 {
                        counter.add()
                        histogram.observe(nanoseconds: UInt64(number) * 1_000)
                    }
                }
            }
        }
        #expect(counter.count == 40_000)
        #expect(histogram.counts.reduce(0, +) == 40_000)
    }
}
