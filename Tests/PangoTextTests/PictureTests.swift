import IndicatorLayout
import Testing

@testable import PangoText

/// What pictures consist of, with the real font of the defaults.
struct PictureTests {
    private let measurer: PangoTextMeasurer
    private let typesetter: PangoTypesetter

    init() throws {
        measurer = try PangoTextMeasurer()
        typesetter = try PangoTypesetter()
    }

    private func frames(
        _ appearance: Appearance, isPending: Bool, title: String, in view: ViewGeometry = ViewGeometry()
    ) -> IndicatorFrames {
        IndicatorFrames(
            for: appearance, isPending: isPending, title: title, in: view, measuredBy: measurer)
    }

    private func marks(
        _ appearance: Appearance, isPending: Bool = true, title: String,
        in view: ViewGeometry = ViewGeometry()
    ) -> [Mark] {
        IndicatorDrawing(
            appearance: appearance, title: title, view: view, pixelsPerPoint: 2, typesetter: typesetter
        )
        .marks(of: frames(appearance, isPending: isPending, title: title, in: view))
    }

    private func svg(_ appearance: Appearance, title: String) throws -> String {
        let frames = frames(appearance, isPending: true, title: title)
        let painter = try IndicatorPainter()
        return String(
            decoding: painter.svg(frames, appearance: appearance, title: title, in: ViewGeometry()),
            as: UTF8.self)
    }

    // MARK: Places

    @Test(arguments: Arrangement.allCases, LayoutDirection.allCases)
    func titleAndSpinnerAreWhereTheFramesSay(
        arrangement: Arrangement, direction: LayoutDirection
    ) throws {
        var appearance = Appearance(regularTitle: "Chats", arrangement: arrangement, direction: direction)
        appearance.frame.width = 200
        guard case .navigationBar(let frames) = frames(appearance, isPending: true, title: "Updating…") else {
            Issue.record("another kind")
            return
        }
        let marks = marks(appearance, title: "Updating…")
        let label = try #require(frames.titleLabel)
        let ink = try #require(marks.compactMap(\.ink).first)
        // Ink begins and ends within a point of the box; the label is as wide as its text.
        #expect(abs(ink.x - label.x) < 2 && abs(ink.maxX - label.maxX) < 2)
        #expect(ink.y >= label.y && ink.maxY <= label.maxY)
        let spinner = try #require(frames.activityIndicator)
        #expect(marks.contains(.spinner(spinner, IndicatorDrawing.SystemColor.spinner)))
        #expect(marks.count == 2)
    }

    @Test(arguments: LayoutDirection.allCases)
    func aTruncatedTitleEndsInsideItsLabel(direction: LayoutDirection) throws {
        var appearance = Appearance(regularTitle: "", direction: direction)
        appearance.frame.width = 120
        let title = "Waiting for the network to come back"
        guard case .navigationBar(let frames) = frames(appearance, isPending: true, title: title) else {
            Issue.record("another kind")
            return
        }
        let label = try #require(frames.titleLabel)
        #expect(frames.isTruncated)
        let ink = try #require(marks(appearance, title: title).compactMap(\.ink).first)
        #expect(ink.x >= label.x - 1 && ink.maxX <= label.maxX + 1)
        #expect(ink.width > label.width / 2)
        // The ellipsis stands at its end: three dots low on the line.
        let whole = typesetter.line(of: title, in: appearance.titleFont, width: nil, pixelsPerPoint: 1)
        let cut = typesetter.line(of: title, in: appearance.titleFont, width: label.width, pixelsPerPoint: 1)
        let ellipsis = typesetter.line(of: "…", in: appearance.titleFont, width: nil, pixelsPerPoint: 1)
        #expect(cut.width <= label.width && whole.width > label.width)
        #expect(cut.outline.suffix(ellipsis.outline.count).count == ellipsis.outline.count)
        #expect(cut.outline.count < whole.outline.count)
    }

    @Test(arguments: LayoutDirection.allCases, [29.0, 31, 35])
    func whereNoEllipsisHasRoomNoTextIsDrawn(direction: LayoutDirection, width: Double) {
        var appearance = Appearance(regularTitle: "", direction: direction)
        appearance.frame.width = width
        let marks = marks(appearance, title: "Waiting for the network")
        #expect(marks.count == 1 && marks.allSatisfy { if case .spinner = $0 { true } else { false } })
    }

    @Test(arguments: LayoutDirection.allCases)
    func aSearchFieldsTextBeginsAtItsLeadingEdge(direction: LayoutDirection) throws {
        let appearance = Appearance(kind: .searchBar, regularTitle: "Search", direction: direction)
        guard case .searchBar(let frames) = frames(appearance, isPending: true, title: "Search") else {
            Issue.record("another kind")
            return
        }
        let marks = marks(appearance, title: "Search")
        #expect(marks.first?.ink == frames.field)
        #expect(
            marks.last
                == .spinner(try #require(frames.activityIndicator), IndicatorDrawing.SystemColor.spinner))
        let (field, ink) = (try #require(frames.textField), try #require(marks.dropFirst().first?.ink))
        #expect(abs(direction == .rtl ? field.maxX - ink.maxX : ink.x - field.x) < 2)
        #expect(abs((ink.y + ink.maxY) / 2 - (field.y + field.maxY) / 2) < 2)
    }

    @Test func aHyphenIsARectangleAboveTheBaseline() throws {
        let font = TitleFont(size: 100)
        let line = typesetter.line(of: "-", in: font, width: nil, pixelsPerPoint: 1)
        let lines = line.outline.filter { if case .line = $0 { true } else { false } }
        guard case .move = line.outline.first else {
            Issue.record("an outline begins with a move")
            return
        }
        #expect((3...4).contains(lines.count) && line.outline.contains(.close) && line.bitmaps == [])
        let ink = try #require(Mark.fill(line.outline, IndicatorDrawing.SystemColor.white).ink)
        #expect(ink.width > 2 * ink.height && ink.x > 0 && ink.maxX < line.width)
        #expect(ink.y > line.height / 3 && ink.maxY < line.height * 0.7)
    }

    @Test(arguments: [
        "e" + String(repeating: "\u{301}", count: 199), String(repeating: "\u{301}", count: 200),
    ])
    func combiningMarksAreDrawnOnTheirLetter(title: String) {
        let line = typesetter.line(of: title, in: TitleFont(), width: nil, pixelsPerPoint: 1)
        #expect(line.width < 2_000 && !line.outline.isEmpty)
    }

    @Test func aSearchFieldShowsItsIconOrASpinner() throws {
        let appearance = Appearance(kind: .searchBar, regularTitle: "Search")
        let idle = marks(appearance, isPending: false, title: "Search")
        let pending = marks(appearance, isPending: true, title: "Search")
        #expect(idle.count { if case .stroke = $0 { true } else { false } } == 2, "lens and handle")
        #expect(
            pending.contains(
                .spinner(
                    Rect(x: 15, y: 18, width: 20, height: 20), IndicatorDrawing.SystemColor.spinner)))
        #expect(!pending.contains { if case .stroke = $0 { true } else { false } })
        let icon = idle.compactMap { mark -> Rect? in if case .stroke = mark { mark.ink } else { nil } }
        #expect(icon.allSatisfy { $0.x >= 18 && $0.maxX <= 32 && $0.y >= 21 && $0.maxY <= 35 })
    }

    @Test(arguments: ActivityStyle.allCases)
    func everyStyleHasItsSpinner(style: ActivityStyle) {
        var appearance = Appearance(regularTitle: "", activityStyle: style)
        appearance.frame = Rect(x: 0, y: 0, width: 100, height: 44)
        let spinners = marks(appearance, title: "").filter { if case .spinner = $0 { true } else { false } }
        let isWhite = style == .white || style == .whiteLarge
        let color = isWhite ? IndicatorDrawing.SystemColor.white : IndicatorDrawing.SystemColor.spinner
        let side = style.side
        #expect(spinners == [.spinner(Rect(x: 0, y: 0, width: side, height: side), color)])
    }

    @Test func theBrightestSpokeLeadsAndItsTrailFades() {
        let opacities = (0..<Spinner.count).map(Spinner.opacity)
        #expect(opacities[0] == 1)
        #expect(opacities[11] > opacities[10] && opacities[10] > opacities[9])
        #expect(opacities.min() == 0.25)
    }

    // MARK: Files

    @Test func aTitleIsTextWhateverItSays() throws {
        let appearance = Appearance(regularTitle: "")
        let text = try svg(appearance, title: "</title><script>&\"'\u{1F680}")
        #expect(text.contains("<title>&lt;/title&gt;&lt;script&gt;&amp;\"'\u{1F680}</title>"))
        #expect(!text.contains("<script"))
    }

    @Test(arguments: [
        ("\u{0}", "\u{FFFD}"), ("\u{8}\u{B}\u{C}\u{E}\u{1F}", String(repeating: "\u{FFFD}", count: 5)),
        ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"), ("\t\n", "\t\n"), ("\r", "&#13;"), ("]]>", "]]&gt;"),
        ("\u{FFFD}\u{E000}\u{10FFFD}", "\u{FFFD}\u{E000}\u{10FFFD}"),
    ])
    func whatXMLCannotSayIsReplaced(title: String, name: String) throws {
        var document = SVGDocument(bounds: Rect(x: 0, y: 0, width: 1, height: 1), name: title)
        document.add(.spinner(Rect(x: 0, y: 0, width: 1, height: 1), IndicatorDrawing.SystemColor.white))
        let text = String(decoding: document.finished(), as: UTF8.self)
        #expect(text.contains("<title>\(name)</title>"))
    }

    @Test(arguments: [
        (0.0, "0"), (-0.0004, "0"), (1.0005, "1.001"), (-0.5, "-0.5"), (12.34, "12.34"), (-10_000, "-10000"),
        (0.05, "0.05"),
    ])
    func numbersAreWrittenToTheThousandth(number: Double, text: String) {
        var document = SVGDocument(bounds: Rect(x: 0, y: 0, width: 1, height: 1), name: "")
        document.add(.fill([.move(number, 7)], IndicatorDrawing.SystemColor.white))
        #expect(String(decoding: document.finished(), as: UTF8.self).contains("d=\"M\(text) 7\"/>"))
    }

    @Test func anSVGSpinsByItselfAndSlowerForWhoWantsLessMotion() throws {
        let text = try svg(Appearance(regularTitle: ""), title: "Updating…")
        #expect(text.contains(#"dur="1s" repeatCount="indefinite""#))
        #expect(text.contains(#"class="slow" display="none""#) && text.contains(#"dur="8s""#))
        #expect(text.contains("prefers-reduced-motion"))
        #expect(
            text.hasPrefix(#"<svg xmlns="http://www.w3.org/2000/svg" role="img" width="120" height="20""#))
    }

    @Test(arguments: [(0.0, 0.0), (0, 44), (10_000, 0)])
    func aPictureWithoutASizeIsOnePixel(width: Double, height: Double) throws {
        var appearance = Appearance(regularTitle: "Chats")
        appearance.frame = Rect(x: 0, y: 0, width: width, height: height)
        let frames = frames(appearance, isPending: true, title: "Chats")
        let png = try #require(
            IndicatorPainter().png(
                frames, appearance: appearance, title: "Chats", in: ViewGeometry(), scale: 1))
        #expect(png.size == (max(1, Int(width)), max(1, Int(height))))
    }

    @Test(arguments: [1.0, 2, 2.5, 4])
    func aPNGHasSoManyPixelsPerPoint(scale: Double) throws {
        let appearance = Appearance(kind: .searchBar, regularTitle: "Search")
        let frames = frames(appearance, isPending: false, title: "Search")
        let png = try #require(
            IndicatorPainter().png(
                frames, appearance: appearance, title: "Search", in: ViewGeometry(), scale: scale))
        #expect(png.size == (Int(320 * scale), Int(56 * scale)))
    }

    @Test func whatCairoCannotHoldIsNoPicture() throws {
        var appearance = Appearance(regularTitle: "")
        appearance.frame.width = 10_000
        let frames = frames(appearance, isPending: true, title: "")
        #expect(
            try IndicatorPainter().png(
                frames, appearance: appearance, title: "", in: ViewGeometry(), scale: 4) == nil)
    }

    @Test(
        arguments: [
            ("#1c1c1e", PictureColor(red: 28 / 255, green: 28 / 255, blue: 30 / 255)),
            ("#FF000080", PictureColor(red: 1, green: 0, blue: 0, alpha: 128 / 255)), ("#fff", nil),
            ("1c1c1e1", nil), ("#1c1c1g", nil), ("#+c1c1e", nil), ("", nil),
        ] as [(String, PictureColor?)])
    func readsColours(text: String, color: PictureColor?) {
        #expect(PictureColor(text) == color)
    }

    @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
    func base64IsThatOfTheRFC(text: String, expected: String) {
        #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == expected)
    }
}

extension [UInt8] {
    /// Width and height of a PNG file, by its header; nil for another file.
    fileprivate var size: (Int, Int)? {
        guard count > 24, starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return nil }
        func number(_ start: Int) -> Int { self[start..<(start + 4)].reduce(0) { $0 << 8 | Int($1) } }
        return (number(16), number(20))
    }
}

extension Mark {
    /// The box around its points; nil for what has none of its own.
    fileprivate var ink: Rect? {
        let path: [PathStep]
        switch self {
        case .fill(let steps, _), .stroke(let steps, _, _): path = steps
        case .bitmap, .spinner: return nil
        }
        let points = path.flatMap { step -> [(Double, Double)] in
            switch step {
            case .move(let x, let y), .line(let x, let y): [(x, y)]
            case .curve(_, _, _, _, let x, let y): [(x, y)]
            case .close: []
            }
        }
        guard let left = points.map(\.0).min(), let right = points.map(\.0).max(),
            let top = points.map(\.1).min(), let bottom = points.map(\.1).max()
        else { return nil }
        return Rect(x: left, y: top, width: right - left, height: bottom - top)
    }
}

private func == (size: (Int, Int)?, expected: (Int, Int)) -> Bool {
    size.map { $0 == expected } ?? false
}
