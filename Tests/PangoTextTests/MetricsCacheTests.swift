import IndicatorLayout
import Testing

@testable import PangoText

struct MetricsCacheTests {
    private func text(_ text: String) -> MeasuredText {
        MeasuredText(text: text, face: Face(family: "Inter", weight: 600))
    }

    private func metrics(_ width: Double) -> TextMetrics {
        TextMetrics(width: width, height: 20, families: ["Inter"])
    }

    @Test func storedTextIsFoundAndCounted() {
        var cache = MetricsCache(capacity: 4)
        #expect(cache.metrics(of: text("a")) == nil)
        cache.insert(metrics(1), for: text("a"))
        #expect(cache.metrics(of: text("a")) == metrics(1))
        #expect((cache.hits, cache.misses, cache.count) == (1, 1, 1))
    }

    @Test func everyPartOfTheQuestionCounts() {
        var cache = MetricsCache(capacity: 4)
        cache.insert(metrics(1), for: text("a"))
        #expect(cache.metrics(of: text("b")) == nil)
        #expect(cache.metrics(of: MeasuredText(text: "a", face: Face(family: "Other", weight: 600))) == nil)
        #expect(cache.metrics(of: MeasuredText(text: "a", face: Face(family: "Inter", weight: 400))) == nil)
    }

    @Test func canonicallyEqualTextsAreDifferentQuestions() {
        var cache = MetricsCache(capacity: 4)
        cache.insert(metrics(1), for: text("\u{E9}"))
        #expect(cache.metrics(of: text("e\u{301}")) == nil)
        #expect(cache.metrics(of: text("\u{E9}")) == metrics(1))
    }

    @Test func equalTextsHashAlikeHoweverTheyAreStored() {
        let whole = "Wird aktualisiert, bitte warten Sie einen Augenblick…"
        let pieces = whole.map(String.init).joined()
        #expect(text(whole) == text(pieces))
        #expect(text(whole).hashValue == text(pieces).hashValue)
    }

    @Test(arguments: [2, 3, 10, 101])
    func neverHoldsMoreThanItsCapacity(capacity: Int) {
        var cache = MetricsCache(capacity: capacity)
        for number in 0..<1000 {
            cache.insert(metrics(Double(number)), for: text("\(number)"))
            // Asking now and then moves texts between the generations.
            _ = cache.metrics(of: text("\(number / 2)"))
            #expect(cache.count <= capacity)
        }
        #expect(cache.misses == 1000)
    }

    @Test func remembersTheLastHalfOfItsCapacity() {
        var cache = MetricsCache(capacity: 10)
        for number in 0..<1000 {
            cache.insert(metrics(Double(number)), for: text("\(number)"))
            for back in 0..<min(5, number + 1) {
                #expect(cache.metrics(of: text("\(number - back)")) == metrics(Double(number - back)))
            }
        }
    }

    @Test func textInUseSurvivesAFloodOfOthers() {
        var cache = MetricsCache(capacity: 10)
        cache.insert(metrics(-1), for: text("title"))
        for number in 0..<1000 {
            cache.insert(metrics(Double(number)), for: text("\(number)"))
            #expect(cache.metrics(of: text("title")) == metrics(-1))
        }
    }

    @Test func forgottenTextIsMeasuredAgainWithTheSameResult() throws {
        let measurer = try PangoTextMeasurer(capacity: 2)
        let first = measurer.metrics(of: "Updating…", in: TitleFont())
        _ = measurer.metrics(of: "Chats", in: TitleFont())
        _ = measurer.metrics(of: "Connecting…", in: TitleFont())
        #expect(measurer.metrics(of: "Updating…", in: TitleFont()) == first)
        #expect(measurer.statistics == PangoTextMeasurer.Statistics(hits: 0, misses: 4, texts: 2))
    }

    @Test func oneMeasurementServesAllSizes() throws {
        let measurer = try PangoTextMeasurer()
        for size in 1...100 {
            _ = measurer.metrics(of: "Updating…", in: TitleFont(size: Double(size)))
        }
        #expect(measurer.statistics == PangoTextMeasurer.Statistics(hits: 99, misses: 1, texts: 1))
    }
}
