import IndicatorLayout
import Testing

/// One row of the table of worked examples, in one arrangement.
struct TitleViewExample: Sendable, CustomTestStringConvertible {
    let name: String
    let isPending: Bool
    let appearance: Appearance
    let text: Size
    let spinner: Rect?
    let label: Rect?
    let isTruncated: Bool
    let preferred: Size

    var testDescription: String { name }

    /// A view of `width` × `height` points with `space` between a spinner of the `style` and a `text`.
    init(
        _ name: String, _ width: Double, _ height: Double, space: Double = 8, text: (Double, Double),
        style: ActivityStyle = .gray, isPending: Bool = true, _ arrangement: Arrangement,
        scale: Double? = nil,
        spinner: (Double, Double)?, label: (Double, Double)?, labelWidth: Double? = nil,
        isTruncated: Bool = false, preferred: (Double, Double)
    ) {
        self.name = name
        self.isPending = isPending
        appearance = Appearance(
            regularTitle: "title", activityStyle: style,
            frame: Rect(x: 0, y: 0, width: width, height: height),
            interItemSpace: space, arrangement: arrangement, scale: scale)
        self.text = Size(width: text.0, height: text.1)
        self.spinner = spinner.map { Rect(x: $0.0, y: $0.1, width: style.side, height: style.side) }
        self.label = label.map { Rect(x: $0.0, y: $0.1, width: labelWidth ?? text.0, height: text.1) }
        self.isTruncated = isTruncated
        self.preferred = Size(width: preferred.0, height: preferred.1)
    }

    func frames(_ direction: LayoutDirection = .ltr) throws -> NavigationBarFrames {
        var view = ViewGeometry()
        view.direction = direction
        return try titleFrames(appearance, isPending, in: view, text: text)
    }

    private static let updating = (87.5, 20.5)

    static let leading = [
        TitleViewExample(
            "E1", 200, 20, text: updating, .leading, spinner: (0, 0), label: (28, -0.25),
            preferred: (115.5, 20.5)),
        TitleViewExample(
            "E2", 120, 20, text: updating, .leading, spinner: (0, 0), label: (28, -0.25),
            preferred: (115.5, 20.5)),
        TitleViewExample(
            "E3", 200, 20, text: (52, 20.5), isPending: false, .leading, spinner: nil, label: (74, -0.25),
            preferred: (52, 20.5)),
        TitleViewExample(
            "E4a", 120, 20, text: (160.5, 20.5), .leading, spinner: (0, 0), label: (28, -0.25),
            labelWidth: 92, isTruncated: true, preferred: (188.5, 20.5)),
        TitleViewExample(
            "E4b", 120, 20, text: (160.5, 20.5), isPending: false, .leading, spinner: nil, label: (0, -0.25),
            labelWidth: 120, isTruncated: true, preferred: (160.5, 20.5)),
        TitleViewExample(
            "E5", 0, 20, text: updating, .leading, spinner: nil, label: nil, isTruncated: true,
            preferred: (115.5, 20.5)),
        TitleViewExample(
            "E6", 120, 20, space: 0, text: updating, .leading, spinner: (0, 0), label: (20, -0.25),
            preferred: (107.5, 20.5)),
        TitleViewExample(
            "E7", 220, 44, text: (144, 33.5), .leading, spinner: (0, 0), label: (28, -6.75),
            preferred: (172, 33.5)),
        TitleViewExample(
            "E8a", 200, 44, text: updating, style: .large, .leading, spinner: (0, 0), label: (45, 8.25),
            preferred: (132.5, 37)),
        TitleViewExample(
            "E8b", 200, 44, text: (52, 20.5), style: .large, isPending: false, .leading, spinner: nil,
            label: (74, 8.25), preferred: (52, 20.5)),
        TitleViewExample(
            "E9", 120, 20, text: (60, 20.5), style: .whiteLarge, .leading, spinner: (0, 0), label: (45, 8.25),
            preferred: (105, 37)),
        TitleViewExample(
            "E10", 120, 20, text: (263.0 / 3, 61.0 / 3), .leading, scale: 3, spinner: (0, 0),
            label: (28, -1.0 / 3), preferred: (347.0 / 3, 61.0 / 3)),
    ]

    static let centered = [
        TitleViewExample(
            "E1", 200, 20, text: updating, .centered, scale: 2, spinner: (42, 0), label: (70, -0.5),
            preferred: (115.5, 20.5)),
        TitleViewExample(
            "E2", 120, 20, text: updating, .centered, scale: 2, spinner: (2, 0), label: (30, -0.5),
            preferred: (115.5, 20.5)),
        TitleViewExample(
            "E3", 200, 20, text: (52, 20.5), isPending: false, .centered, scale: 2, spinner: nil,
            label: (74, -0.5), preferred: (52, 20.5)),
        TitleViewExample(
            "E4a", 120, 20, text: (160.5, 20.5), .centered, scale: 2, spinner: (0, 0), label: (28, -0.5),
            labelWidth: 92, isTruncated: true, preferred: (188.5, 20.5)),
        TitleViewExample(
            "E4b", 120, 20, text: (160.5, 20.5), isPending: false, .centered, scale: 2, spinner: nil,
            label: (0, -0.5), labelWidth: 120, isTruncated: true, preferred: (160.5, 20.5)),
        TitleViewExample(
            "E5", 0, 20, text: updating, .centered, scale: 2, spinner: nil, label: nil, isTruncated: true,
            preferred: (115.5, 20.5)),
        TitleViewExample(
            "E6", 120, 20, space: 0, text: updating, .centered, scale: 2, spinner: (6, 0), label: (26, -0.5),
            preferred: (107.5, 20.5)),
        TitleViewExample(
            "E7", 220, 44, text: (144, 33.5), .centered, scale: 2, spinner: (24, 12), label: (52, 5),
            preferred: (172, 33.5)),
        TitleViewExample(
            "E8a", 200, 44, text: updating, style: .large, .centered, scale: 2, spinner: (33.5, 3.5),
            label: (78.5, 11.5), preferred: (132.5, 37)),
        TitleViewExample(
            "E8b", 200, 44, text: (52, 20.5), style: .large, isPending: false, .centered, scale: 2,
            spinner: nil, label: (74, 11.5), preferred: (52, 20.5)),
        TitleViewExample(
            "E9", 120, 20, text: (60, 20.5), style: .whiteLarge, .centered, scale: 2, spinner: (7.5, -8.5),
            label: (52.5, -0.5), preferred: (105, 37)),
        TitleViewExample(
            "E10", 120, 20, text: (263.0 / 3, 61.0 / 3), .centered, scale: 3, spinner: (2, 0),
            label: (30, -1.0 / 3), preferred: (347.0 / 3, 61.0 / 3)),
    ]
}

struct TitleViewExampleTests {
    @Test(arguments: TitleViewExample.leading)
    func leadingFramesAreThoseOfTheTable(_ example: TitleViewExample) throws {
        try expectFrames(of: example)
    }

    @Test(arguments: TitleViewExample.centered)
    func centeredFramesAreThoseOfTheTable(_ example: TitleViewExample) throws {
        try expectFrames(of: example)
    }

    @Test(arguments: TitleViewExample.leading + TitleViewExample.centered)
    func rightToLeftMirrorsXAndNothingElse(_ example: TitleViewExample) throws {
        let width = example.appearance.frame.width
        var expected = try example.frames()
        expected.activityIndicator?.x = width - (example.spinner?.maxX ?? 0)
        expected.titleLabel?.x = width - (example.label?.maxX ?? 0)

        let mirrored = try example.frames(.rtl)

        // Thirds are summed in another order here than in the layout.
        expect(mirrored.activityIndicator, isNear: expected.activityIndicator)
        expect(mirrored.titleLabel, isNear: expected.titleLabel)
        expected.activityIndicator = mirrored.activityIndicator
        expected.titleLabel = mirrored.titleLabel
        #expect(mirrored == expected)
    }

    @Test(arguments: [("E1", 138.0, 42.5), ("E2", 98.0, 2.5)])
    func rightToLeftStandsWhereTheTableSays(name: String, spinnerX: Double, labelX: Double) throws {
        let example = try #require(TitleViewExample.centered.first { $0.name == name })
        let frames = try example.frames(.rtl)
        #expect(frames.activityIndicator?.x == spinnerX)
        #expect(frames.titleLabel?.x == labelX)
    }

    private func expectFrames(of example: TitleViewExample) throws {
        let frames = try example.frames()
        #expect(frames.activityIndicator == example.spinner)
        #expect(frames.titleLabel == example.label)
        #expect(frames.isTruncated == example.isTruncated)
        #expect(frames.preferredSize == example.preferred)
        let frame = example.appearance.frame
        #expect(frames.bounds == Rect(x: 0, y: 0, width: frame.width, height: frame.height))
        #expect(frames.frameInBar == nil)
        #expect(frames.fonts == ["Inter"])
    }
}
