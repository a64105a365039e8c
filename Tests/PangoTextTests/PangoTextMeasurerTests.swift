import IndicatorLayout
import Testing

@testable import PangoText

/// Measures with real fonts; Inter, the font of the defaults, must be installed.
struct PangoTextMeasurerTests {
    private let measurer: PangoTextMeasurer

    init() throws { measurer = try PangoTextMeasurer() }

    private func metrics(of text: String, _ family: String = "Inter", size: Double = 17) -> TextMetrics {
        measurer.metrics(of: text, in: TitleFont(family: family, size: size, weight: 600))
    }

    @Test(
        arguments: [
            ("Updating…", 89.17), ("Chats", 48.48), ("Wird aktualisiert…", 148.95), ("Обновление…", 117.89),
        ])
    func widthsAreThoseOfABrowser(text: String, width: Double) {
        let metrics = metrics(of: text)
        #expect(abs(metrics.width - width) <= 0.05)
        #expect(abs(metrics.height - 20.57) <= 0.01)
        #expect(metrics.families == ["Inter"])
    }

    @Test(arguments: [1.0, 8.5, 34, 512, 2048])
    func sizeIsProportionalToTheFonts(size: Double) {
        let one = metrics(of: "Wird aktualisiert…", size: 1)
        let scaled = metrics(of: "Wird aktualisiert…", size: size)
        #expect(abs(scaled.width - one.width * size) < 1e-9 * size)
        #expect(abs(scaled.height - one.height * size) < 1e-9 * size)
    }

    @Test func heavierTextIsWider() {
        let widths = [1, 400, 600, 900, 1000].map {
            measurer.metrics(of: "Updating…", in: TitleFont(weight: $0)).width
        }
        #expect(widths == widths.sorted())
        #expect(Set(widths).count > 2)
    }

    @Test func equalQuestionsHaveEqualAnswersInEveryMeasurer() throws {
        let other = try PangoTextMeasurer()
        for text in ["Updating…", "Chats 更新中", "مرحبا", "👩‍👩‍👧"] {
            let first = metrics(of: text)
            #expect(metrics(of: text) == first)
            #expect(other.metrics(of: text, in: TitleFont()) == first)
        }
    }

    @Test func emptyTextHasNoWidthAndNoFamilies() {
        let metrics = metrics(of: "")
        #expect(metrics.width == 0)
        #expect(metrics.families == [])
    }

    @Test func longTextIsMeasuredWhole() {
        let one = metrics(of: "w").width
        #expect(abs(metrics(of: String(repeating: "w", count: 200)).width - 200 * one) < 0.1)
        #expect(metrics(of: String(repeating: "\u{FDFD}", count: 200), size: 512).width > 0)
    }

    @Test func combiningMarksAddNoWidth() {
        let marked = "e" + String(repeating: "\u{301}", count: 199)
        #expect(metrics(of: marked).width < 3 * metrics(of: "e").width)
        #expect(abs(metrics(of: "e\u{301}").width - metrics(of: "é").width) < 0.1)
    }

    @Test func lineBreakDoesNotBreakTheLine() {
        #expect(metrics(of: "Chats\nUpdating…").height < 1.5 * metrics(of: "Chats").height)
    }

    @Test(arguments: ["😀", "👩‍👩‍👧", "🇩🇪", "\u{10FFFD}", "\u{200D}", "\u{FFFD}", "\u{0}"])
    func oddTextHasASaneSize(text: String) {
        let metrics = metrics(of: text)
        #expect((0...200).contains(metrics.width))
        #expect((0...200).contains(metrics.height))
    }

    @Test func unknownFamilyIsReplacedByARealOne() {
        let metrics = metrics(of: "Chats", "No Such Family")
        #expect(metrics.width > 0)
        #expect(metrics.families.count == 1)
        #expect(!metrics.families.contains("No Such Family"))
    }

    @Test(arguments: [
        "", ",", "Inter 40", "Inter, Bold", "\u{0}", "\n", String(repeating: "x", count: 10_000),
    ])
    func oddFamilyHasASaneSize(family: String) {
        #expect((1...200).contains(metrics(of: "Chats", family).width))
    }

    @Test func familyIsFoundWhateverItsCase() {
        #expect(metrics(of: "Chats", "iNTER") == metrics(of: "Chats"))
    }

    @Test func widthsStayTheSameHoweverManyFamiliesAreAskedFor() throws {
        // At most two texts are remembered, so that every one of these is measured.
        let measurer = try PangoTextMeasurer(capacity: 2)
        let before = measurer.metrics(of: "Updating…", in: TitleFont())
        let unknown = measurer.metrics(of: "Updating…", in: TitleFont(family: "No Such Family"))
        for number in 0..<500 {
            let font = TitleFont(family: "No Such Family \(number)")
            #expect(measurer.metrics(of: "Updating…", in: font) == unknown)
        }
        #expect(measurer.metrics(of: "Updating…", in: TitleFont()) == before)
    }

    @Test func pangoIsAskedForFacesThatExistAndForNoMoreThanItHolds() {
        var installed = InstalledFaces()
        let unknown = (0..<500).map { number in
            installed.answer(to: Face(family: "No Such Family \(number)", weight: 600))
        }
        #expect(Set(unknown).count == 1)
        #expect(unknown[0].family != "No Such Family 0")
        let inter = Face(family: "Inter", weight: 600)
        #expect(installed.answer(to: inter) == inter)
        #expect(installed.answer(to: Face(family: "iNTER", weight: 590)) == inter)
        // Whatever weights are asked for, what is told to Pango stays within the bound.
        let answers = (1...1_000).flatMap { weight in
            ["Inter", "DejaVu Sans", "Nowhere"].map { installed.answer(to: Face(family: $0, weight: weight)) }
        }
        #expect(Set(answers).count <= InstalledFaces.limit)
    }

    @Test(arguments: ["更新中", "العربية", "हिन्दी", "ไทย", "😀"])
    func fallbackFamilyIsReportedAfterTheConfiguredOne(foreign: String) {
        // Which font has the script, if any does, is the machine's affair; that it is named is ours.
        let alone = metrics(of: foreign).families
        #expect(alone.count >= 1)
        let mixed = metrics(of: foreign + " Chats " + foreign).families
        #expect(mixed.first == "Inter")
        #expect(Set(mixed) == Set(alone).union(["Inter"]))
        #expect(mixed.count == Set(mixed).count)
    }

    @Test(arguments: ["更新中", "العربية", "हिन्दी", "ไทย", "😀", "Chats"])
    func reportedFamilyDrawsTheTextWhenItIsConfigured(text: String) throws {
        let family = try #require(metrics(of: text).families.first)
        #expect(metrics(of: text, family).families.first == family)
    }
}
