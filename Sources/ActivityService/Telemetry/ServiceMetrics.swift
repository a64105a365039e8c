import ActivityCore
import PangoText

/// What one loop counts; written by it alone, read by whichever loop serves `/metrics`.
final class LoopMetrics: Sendable {
    /// The statuses that are counted by themselves; others count as the last.
    static let statuses = [
        200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 414, 415, 417, 421, 422, 429,
        431, 500,
        501, 503, 505,
    ]
    /// The place of each status below 600 among ``statuses``.
    private static let places: [Int] = (0..<600).map { status in
        statuses.firstIndex(of: status) ?? statuses.count
    }

    /// Responses by route and status, one row per route.
    private let responses = (0..<(RouteLabel.allCases.count * (statuses.count + 1))).map { _ in Counter() }
    let streams = Counter()
    let longPolls = Counter()
    let conflatedStates = Counter()
    let publishToWrite = DurationHistogram()

    func answered(route: Int, status: Int) {
        let place = (0..<600).contains(status) ? Self.places[status] : Self.statuses.count
        responses[route * (Self.statuses.count + 1) + place].add()
    }

    func responses(route: RouteLabel, place: Int) -> Int {
        responses[route.rawValue * (Self.statuses.count + 1) + place].count
    }

    func publishedToWritten(nanoseconds: UInt64) { publishToWrite.observe(nanoseconds: nanoseconds) }
    func conflated() { conflatedStates.add() }
    func parked() { longPolls.add() }
    func unparked() { longPolls.add(-1) }
    func streamOpened() { streams.add() }
    func streamClosed() { streams.add(-1) }
}

/// What the daemon counts. No label ever holds the name of a task, run, scope or screen: the number of series is
/// fixed.
final class ServiceMetrics: Sendable {
    let loops: [LoopMetrics]
    private let runs = RunState.allCases.map { _ in Counter() }
    private let remembered = Counter()
    private let journalBytes = Counter()
    private let commits = DurationHistogram()
    private let failedCommits = Counter()

    init(loops: Int) { self.loops = (0..<loops).map { _ in LoopMetrics() } }

    func committed(nanoseconds: UInt64) { commits.observe(nanoseconds: nanoseconds) }
    func commitFailed() { failedCommits.add() }

    func update(_ counts: RunCounts) {
        for (counter, state) in zip(runs, RunState.allCases) { counter.set(counts[state]) }
        remembered.set(counts.remembered)
    }

    func update(journalBytes: Int64) { self.journalBytes.set(Int(journalBytes)) }

    /// All of it, as Prometheus reads it.
    func exposition(connections: Int, layoutCache: PangoTextMeasurer.Statistics) -> [UInt8] {
        var out = Exposition()
        out.family(
            "pending_build_info", "gauge", "The running version.", [("{version=\"\(Version.text)\"}", 1)])
        out.family(
            "pending_http_requests_total", "counter", "Answered requests by route and status.",
            requestSamples())
        out.family("pending_http_connections", "gauge", "Open connections.", connections)
        out.family("pending_streams", "gauge", "Open event streams.", sum(\.streams))
        out.family("pending_long_polls", "gauge", "Parked long polls.", sum(\.longPolls))
        out.family(
            "pending_runs", "gauge", "Listed runs by state.",
            zip(runs, RunState.allCases).map { ("{state=\"\($1.rawValue)\"}", $0.count) })
        out.family(
            "pending_runs_remembered", "gauge", "Ended runs of which only the id and the end are kept.",
            remembered.count)
        out.histogram("pending_journal_commit_seconds", "Duration of commits to the journal.", [commits])
        out.family("pending_journal_failures_total", "counter", "Commits that failed.", failedCommits.count)
        out.family("pending_journal_bytes", "gauge", "Bytes that the journal takes up.", journalBytes.count)
        out.histogram(
            "pending_publish_to_write_seconds",
            "From a change's publication to the last write of its fan-out.",
            loops.map(\.publishToWrite))
        out.family(
            "pending_states_conflated_total", "counter",
            "States that a slow subscriber never got, since a newer one replaced them.",
            sum(\.conflatedStates))
        out.family(
            "pending_layout_cache_hits_total", "counter", "Texts whose width was known.", layoutCache.hits)
        out.family(
            "pending_layout_cache_misses_total", "counter", "Texts that had to be measured.",
            layoutCache.misses)
        return Array(out.text.utf8)
    }

    private func requestSamples() -> [(labels: String, value: Int)] {
        RouteLabel.allCases.flatMap { route in
            (0...LoopMetrics.statuses.count).compactMap { place in
                let count = loops.reduce(0) { $0 + $1.responses(route: route, place: place) }
                guard count > 0 else { return nil }
                let status = place < LoopMetrics.statuses.count ? "\(LoopMetrics.statuses[place])" : "other"
                return ("{route=\"\(route)\",status=\"\(status)\"}", count)
            }
        }
    }

    private func sum(_ counter: KeyPath<LoopMetrics, Counter>) -> Int {
        loops.reduce(0) { $0 + $1[keyPath: counter].count }
    }
}

extension RunCounts {
    /// How many runs are in `state`.
    fileprivate subscript(state: RunState) -> Int {
        switch state {
        case .running: running
        case .lost: lost
        case .succeeded: succeeded
        case .failed: failed
        case .canceled: canceled
        }
    }
}

/// The daemon's version.
public enum Version {
    /// As in a tag.
    public static let text = "0.1.0"
}
