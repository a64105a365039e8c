import IndicatorLayout
import Testing

@testable import PangoText

struct ConcurrencyTests {
    @Test func threadsThatShareAMeasurerGetTheAnswersOfOneThatDoesNot() async throws {
        let texts = (0..<60).map { "Updating \($0)… 更新 عربي" }
        let alone = try PangoTextMeasurer()
        let expected = texts.map { alone.metrics(of: $0, in: TitleFont()) }
        // Too small for all texts, so that hits, misses and forgetting happen side by side.
        let shared = try PangoTextMeasurer(capacity: 40)

        await withTaskGroup(of: Bool.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<texts.count).map { ($0 * 7 + task) % texts.count }.allSatisfy {
                        shared.metrics(of: texts[$0], in: TitleFont()) == expected[$0]
                    }
                }
            }
            for await areEqual in group { #expect(areEqual) }
        }

        let statistics = shared.statistics
        #expect(statistics.hits + statistics.misses == 8 * texts.count)
        #expect(statistics.texts <= 40)
    }

    @Test func textThatManyAskForAtOnceIsMeasuredOnce() async throws {
        let measurer = try PangoTextMeasurer()
        // Long enough for others to come while one measures.
        let long = String(repeating: "Updating… ", count: 19)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for number in 0..<200 { _ = measurer.metrics(of: long + "\(number)", in: TitleFont()) }
                }
            }
        }
        #expect(measurer.statistics == PangoTextMeasurer.Statistics(hits: 1400, misses: 200, texts: 200))
    }

    @Test func measurersOfDifferentThreadsDoNotDisturbEachOther() async throws {
        let expected = try PangoTextMeasurer().metrics(of: "Wird aktualisiert…", in: TitleFont())
        try await withThrowingTaskGroup(of: TextMetrics.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try PangoTextMeasurer().metrics(of: "Wird aktualisiert…", in: TitleFont())
                }
            }
            for try await metrics in group { #expect(metrics == expected) }
        }
    }
}
