/// What every benchmark gets.
struct Context {
    let options: Options
    let folder: ScratchFolder

    /// `full`, or `quick` if only small sizes are wished.
    func size<Value>(_ full: Value, quick: Value) -> Value { options.isQuick ? quick : full }
}

/// One thing that is measured.
struct Benchmark: Sendable {
    let name: String
    let summary: String
    let run: @Sendable (Context, inout Report) throws(BenchError) -> Void

    static let all = [
        Benchmark(name: "layout", summary: "frames of one state, text width cached", run: LayoutCost.run),
        Benchmark(name: "pictures", summary: "SVG and PNG of one state", run: PictureCost.run),
        Benchmark(name: "start", summary: "start with an empty and a full journal", run: StartUp.run),
        Benchmark(name: "poll", summary: "GET of a screen, 200 and 304", run: Polls.run),
        Benchmark(name: "writes-memory", summary: "PUT of runs, memory journal", run: Writes.runMemory),
        Benchmark(name: "writes-durable", summary: "PUT of runs, SQLite journal", run: Writes.runDurable),
        Benchmark(name: "fan-out", summary: "changes to many subscribers of one screen", run: FanOut.run),
        Benchmark(
            name: "stalled", summary: "fan-out with and without a reader that stalls", run: FanOut.runStalled),
        Benchmark(name: "burst", summary: "more changes than can be delivered", run: Burst.run),
        Benchmark(name: "storm", summary: "all streams reconnect at once", run: Streams.runStorm),
        Benchmark(name: "idle", summary: "streams without events", run: Streams.runIdle),
        Benchmark(name: "scale-screens", summary: "1 to 10 000 screens", run: Scaling.runScreens),
        Benchmark(name: "scale-views", summary: "1 to 1 000 views of one screen", run: Scaling.runViews),
        Benchmark(name: "scale-runs", summary: "1 to 100 000 runs on one screen", run: Scaling.runRuns),
        Benchmark(
            name: "scale-scopes", summary: "viewers 0 to 4 scopes below the change", run: Scaling.runScopes),
    ]
}
