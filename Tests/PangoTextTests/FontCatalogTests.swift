import IndicatorLayout
import Testing

@testable import PangoText

/// With real fonts; Inter, the font of the defaults, must be installed.
struct FontCatalogTests {
    private let measurer: PangoTextMeasurer

    init() throws { measurer = try PangoTextMeasurer() }

    private func faces(_ text: String, _ font: TitleFont = TitleFont()) -> [FontFace] {
        let families = measurer.metrics(of: text, in: font).families
        return measurer.fonts.faces(families: families, weight: font.weight)
    }

    @Test func aMeasuredTextHasTheFaceThatAnswered() throws {
        let face = try #require(faces("Updating…").first)
        #expect(faces("Updating…").count == 1)
        #expect(face.family == "Inter")
        #expect(face.weights.contains(600))
        #expect(measurer.fonts.face(named: face.name) == face)
    }

    @Test func eachWeightHasItsOwnFace() {
        // Also where a variable font answers for all of them.
        for weight in [100, 400, 700, 900] {
            let faces = faces("Updating…", TitleFont(weight: weight))
            #expect(faces.count == 1 && faces[0].weights.contains(weight), "\(weight)")
        }
    }

    @Test func nothingIsThereBeforeItIsMeasured() {
        #expect(measurer.fonts.faces(families: ["Inter"], weight: 600) == [])
        _ = faces("Updating…", TitleFont(weight: 400))
        #expect(measurer.fonts.faces(families: ["Inter"], weight: 600) == [])
        #expect(measurer.fonts.faces(families: ["No Such Family"], weight: 400) == [])
    }

    @Test(arguments: ["更新中", "العربية", "हिन्दी", "ไทย", "😀", "Обновление"])
    func theFacesOfAMixedTextAreInTheOrderOfItsFamilies(foreign: String) {
        let text = foreign + " Chats"
        let families = measurer.metrics(of: text, in: TitleFont()).families
        let found = faces(text).map(\.family)
        #expect(found == families)
        #expect(faces(text).allSatisfy { FontFile($0) != nil })
    }

    @Test func anUnknownFamilyHasTheFaceOfWhatAnsweredForIt() throws {
        let font = TitleFont(family: "No Such Family")
        let face = try #require(faces("Chats", font).first)
        #expect(face.family != font.family)
    }

    @Test func aTextThatIsFoundInMemoryHasItsFaces() {
        let first = faces("Updating…")
        #expect(faces("Updating…") == first)
        #expect(measurer.statistics.hits == 1)
    }

    @Test(arguments: [
        "", ".otf", "Inter", "../../etc/passwd", "\u{0}", String(repeating: "a", count: 100_000),
    ])
    func otherTextNamesNoFace(name: String) {
        _ = faces("Updating…")
        #expect(measurer.fonts.face(named: name) == nil)
    }
}
