import IndicatorLayout
import Testing

/// What the table of worked examples leaves open.
struct TitleViewTests {
    private let updating = Size(width: 87.5, height: 20.5)

    private func appearance(
        width: Double = 200, _ arrangement: Arrangement = .centered, scale: Double? = nil
    ) -> Appearance {
        Appearance(
            regularTitle: "title", frame: Rect(x: 0, y: 0, width: width, height: 20),
            arrangement: arrangement, scale: scale)
    }

    @Test(arguments: Arrangement.allCases)
    func emptyTitleMeasuresNothingAndLeavesTheSpinnerAlone(_ arrangement: Arrangement) {
        let frames = IndicatorFrames(
            for: appearance(arrangement), isPending: true, title: "", in: ViewGeometry(),
            measuredBy: NoMeasurer())

        let spinner = Rect(x: arrangement == .leading ? 0 : 90, y: 0, width: 20, height: 20)
        #expect(
            frames
                == .navigationBar(
                    NavigationBarFrames(
                        bounds: Rect(x: 0, y: 0, width: 200, height: 20), activityIndicator: spinner,
                        titleLabel: nil, isTruncated: false, preferredSize: Size(width: 20, height: 20),
                        frameInBar: nil, fonts: [])))
    }

    @Test(arguments: Arrangement.allCases)
    func emptyRegularTitleShowsNothing(_ arrangement: Arrangement) {
        let frames = IndicatorFrames(
            for: appearance(arrangement), isPending: false, title: "", in: ViewGeometry(),
            measuredBy: NoMeasurer())

        #expect(
            frames
                == .navigationBar(
                    NavigationBarFrames(
                        bounds: Rect(x: 0, y: 0, width: 200, height: 20), activityIndicator: nil,
                        titleLabel: nil, isTruncated: false, preferredSize: Size(width: 0, height: 0),
                        frameInBar: nil, fonts: [])))
    }

    @Test func spinnerWithoutRoomForTextIsCentredAlone() throws {
        let frames = try titleFrames(appearance(width: 28), true, text: updating)
        #expect(frames.activityIndicator == Rect(x: 4, y: 0, width: 20, height: 20))
        #expect(frames.titleLabel == nil)
        #expect(frames.isTruncated)
    }

    @Test(arguments: Arrangement.allCases)
    func viewAsWideAsTheSpinnerShowsItAndANarrowerOneDoesNot(_ arrangement: Arrangement) throws {
        let fitting = try titleFrames(appearance(width: 20, arrangement), true, text: updating)
        let narrower = try titleFrames(appearance(width: 19.5, arrangement), true, text: updating)
        #expect(fitting.activityIndicator == Rect(x: 0, y: 0, width: 20, height: 20))
        #expect(narrower.activityIndicator == nil)
        #expect(narrower.titleLabel == nil)
    }

    @Test func narrowViewStillShowsTheRegularTitle() throws {
        let frames = try titleFrames(appearance(width: 10), false, text: updating)
        #expect(frames.titleLabel?.width == 10)
        #expect(frames.isTruncated)
    }

    @Test func textThatFitsExactlyIsNotTruncated() throws {
        let frames = try titleFrames(appearance(width: 115.5), true, text: updating)
        #expect(!frames.isTruncated)
        #expect(frames.titleLabel?.width == 87.5)
    }

    @Test func textIsTruncatedOnlyBeyondTheTolerance() throws {
        let within = Size(width: 87.5 + 1.0 / 1024, height: 20.5)
        let beyond = Size(width: 87.5 + 2.0 / 1024, height: 20.5)
        #expect(try !titleFrames(appearance(width: 115.5), true, text: within).isTruncated)
        #expect(try titleFrames(appearance(width: 115.5), true, text: beyond).isTruncated)
    }

    @Test func textThatFitsUnroundedIsNotTruncatedByItsRounding() throws {
        // 174.0016 pixels of text are ceiled to 175, and 174 are free.
        let text = Size(width: 87.0008, height: 20.5)
        let frames = try titleFrames(appearance(width: 115, scale: 2), true, text: text)
        #expect(frames.titleLabel?.width == 87)
        #expect(!frames.isTruncated)
    }

    @Test func truncatedLabelEndsOnAPixelOfTheFlooredView() throws {
        // 115.4 points are 230.8 pixels; 230 less 56 for spinner and space are free.
        let text = Size(width: 87.2, height: 20.5)
        let frames = try titleFrames(appearance(width: 115.4, scale: 2), true, text: text)
        #expect(frames.bounds.width == 115)
        #expect(frames.titleLabel?.width == 87)
        #expect(frames.isTruncated)
        #expect(frames.preferredSize.width == 115.5)
    }

    @Test func textThatMeasuresNothingCountsAsTruncated() throws {
        let frames = try titleFrames(appearance(), false, text: Size(width: 0, height: 20.5))
        #expect(frames.titleLabel == nil)
        #expect(frames.isTruncated)
    }

    @Test func longTitleIsClampedBeforeItIsCentred() throws {
        // "Verbindung wird hergestellt…" pushed a centred title over the buttons, mastodon-ios#1139.
        let long = Size(width: 231, height: 20.5)
        let frames = try titleFrames(appearance(), true, text: long)
        #expect(frames.activityIndicator?.x == 0)
        #expect(frames.titleLabel == Rect(x: 28, y: -0.25, width: 172, height: 20.5))
        #expect(frames.isTruncated)
    }

    @Test(arguments: Arrangement.allCases)
    func spinnerIsNeverOverTheTextFromRightToLeft(_ arrangement: Arrangement) throws {
        var view = ViewGeometry()
        view.direction = .rtl
        let frames = try titleFrames(appearance(arrangement), true, in: view, text: updating)
        let spinner = try #require(frames.activityIndicator)
        let label = try #require(frames.titleLabel)
        #expect(label.maxX + 8 == spinner.x)
        #expect(spinner.maxX == (arrangement == .leading ? 200 : 157.75))
    }

    @Test(arguments: Arrangement.allCases)
    func rotationAndBackGivesIdenticalFrames(_ arrangement: Arrangement) throws {
        let frames = try [120.0, 375, 120].map { width in
            var view = ViewGeometry()
            view.width = width
            return try titleFrames(appearance(arrangement), true, in: view, text: updating)
        }
        #expect(frames[0] == frames[2])
        #expect(frames[0].bounds.width == 120)
        #expect(frames[1].bounds.width == 375)
    }

    @Test func fontScaleMultipliesTheFontOnly() throws {
        var view = ViewGeometry()
        view.fontScale = 2
        let frames = try titleFrames(appearance(width: 300, .leading), true, in: view, text: updating)
        #expect(frames.activityIndicator == Rect(x: 0, y: 0, width: 20, height: 20))
        #expect(frames.titleLabel == Rect(x: 28, y: -10.5, width: 175, height: 41))
    }

    @Test func viewOverridesTheAppearance() throws {
        var view = ViewGeometry()
        view.width = 120
        view.height = 44
        view.scale = 2
        view.direction = .rtl
        let frames = try titleFrames(appearance(), true, in: view, text: updating)
        #expect(frames.bounds == Rect(x: 0, y: 0, width: 120, height: 44))
        #expect(frames.activityIndicator == Rect(x: 98, y: 12, width: 20, height: 20))
        #expect(frames.titleLabel == Rect(x: 2.5, y: 11.5, width: 87.5, height: 20.5))
    }

    @Test func styleAloneFixesTheSpinnersSize() {
        #expect(ActivityStyle.allCases.map(\.side) == [20, 20, 20, 37, 37])
    }

    @Test func oddScaleCeilsSpinnerSpaceAndText() throws {
        // At 2.625: 52.5 → 53 pixels, 21 stay 21, 229.6875 → 230, 53.8125 → 54; 525 pixels are the view.
        let frames = try titleFrames(appearance(.leading, scale: 2.625), true, text: updating)
        #expect(frames.activityIndicator == Rect(x: 0, y: 0, width: 53 / 2.625, height: 53 / 2.625))
        #expect(
            frames.titleLabel
                == Rect(x: 74 / 2.625, y: -1 / 2.625, width: 230 / 2.625, height: 54 / 2.625))
        #expect(frames.preferredSize == Size(width: 304 / 2.625, height: 54 / 2.625))
    }

    @Test(arguments: Arrangement.allCases, [nil, 2.0])
    func zeroIsNeverNegative(_ arrangement: Arrangement, scale: Double?) throws {
        let nothing = Rect(x: -0.0, y: -0.0, width: -0.0, height: -0.0)
        let appearance = Appearance(
            regularTitle: "title", frame: nothing, interItemSpace: -0.0, arrangement: arrangement,
            scale: scale)
        var view = ViewGeometry()
        view.barWidth = -0.0
        view.leadingInset = -0.0
        view.trailingInset = -0.0
        let frames = try titleFrames(appearance, false, in: view, text: Size(width: -0.0, height: -0.0))
        let inBar = try #require(frames.frameInBar)
        let preferred = [frames.preferredSize.width, frames.preferredSize.height]
        #expect((frames.bounds.numbers + inBar.numbers + preferred).allSatisfy { $0.sign == .plus })
    }
}
