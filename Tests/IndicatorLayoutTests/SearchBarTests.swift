import IndicatorLayout
import Testing

struct SearchBarTests {
    private func appearance(
        width: Double = 320, style: ActivityStyle = .gray, icon: Size = Size(width: 14, height: 14)
    ) -> Appearance {
        Appearance(
            kind: .searchBar, regularTitle: "title", activityStyle: style,
            frame: Rect(x: 0, y: 0, width: width, height: 56), iconSize: icon)
    }

    private let example = SearchBarFrames(
        bounds: Rect(x: 0, y: 0, width: 320, height: 56), field: Rect(x: 8, y: 10, width: 304, height: 36),
        leftView: Rect(x: 18, y: 21, width: 14, height: 14), content: .activityIndicator,
        icon: "magnifyingglass", activityIndicator: Rect(x: 15, y: 18, width: 20, height: 20),
        textField: Rect(x: 42, y: 10, width: 236, height: 36))

    @Test func defaultSearchBarIsTheExample() throws {
        let appearance = Appearance(kind: .searchBar, regularTitle: "search")
        #expect(try searchFrames(appearance, true) == example)
    }

    @Test func idleShowsTheIconInTheSamePlace() throws {
        var idle = example
        idle.content = .icon
        idle.activityIndicator = nil
        #expect(try searchFrames(appearance(), false) == idle)
    }

    @Test func iconComesBackHoweverOftenLoadingWasSet() throws {
        let icon = try [true, true, false].map { try searchFrames(appearance(), $0) }.last
        #expect(icon?.content == .icon)
        #expect(icon?.icon == "magnifyingglass")
        #expect(icon?.leftView == example.leftView)
    }

    @Test(arguments: ActivityStyle.allCases, [Size(width: 14, height: 14), Size(width: 31, height: 9)])
    func spinnerIsCentredOnTheIcon(style: ActivityStyle, icon: Size) throws {
        let frames = try searchFrames(appearance(style: style, icon: icon), true)
        let spinner = try #require(frames.activityIndicator)
        let leftView = try #require(frames.leftView)
        #expect(spinner.x + spinner.maxX == leftView.x + leftView.maxX)
        #expect(spinner.y + spinner.maxY == leftView.y + leftView.maxY)
        #expect(spinner.width == style.side)
    }

    @Test(arguments: [true, false])
    func textKeepsClearOfALargeSpinnerInBothStates(isPending: Bool) throws {
        // The middle of the icon is at 25; half of the spinner and 4 points on are 47.5.
        let frames = try searchFrames(appearance(style: .large), isPending)
        #expect(frames.textField == Rect(x: 47.5, y: 10, width: 230.5, height: 36))
    }

    @Test func rightToLeftMirrors() throws {
        var view = ViewGeometry()
        view.direction = .rtl
        let frames = try searchFrames(appearance(), true, in: view)
        #expect(frames.field.x == 8)
        #expect(frames.leftView?.x == 288)
        #expect(frames.activityIndicator?.x == 285)
        #expect(frames.textField?.x == 42)
    }

    @Test func everyEdgeIsFlooredToTheGrid() throws {
        var view = ViewGeometry()
        view.scale = 2.75
        view.width = 320.3
        view.height = 56.1
        func pixels(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> Rect {
            Rect(x: x / 2.75, y: y / 2.75, width: width / 2.75, height: height / 2.75)
        }
        let frames = try searchFrames(appearance(), true, in: view)
        #expect(frames.bounds == pixels(0, 0, 880, 154))
        #expect(frames.field == pixels(22, 27, 836, 99))
        #expect(frames.leftView == pixels(49, 57, 39, 39))
        #expect(frames.activityIndicator == pixels(41, 49, 55, 55))
        #expect(frames.textField == pixels(115, 27, 650, 99))
    }

    @Test(arguments: ActivityStyle.allCases, [0.3, 1.1, 2.625, 3.5])
    func spinnerIsAsLargeAsThatOfATitleView(style: ActivityStyle, scale: Double) throws {
        var view = ViewGeometry()
        view.scale = scale
        let titleView = Appearance(regularTitle: "title", activityStyle: style)
        let text = Size(width: 50, height: 20)
        let expected = try #require(titleFrames(titleView, true, in: view, text: text).activityIndicator)
        let spinner = try #require(searchFrames(appearance(style: style), true, in: view).activityIndicator)
        #expect(spinner.width == expected.width)
        #expect(spinner.height == expected.height)
    }

    @Test func leftViewNeedsItsWidthAndMargin() throws {
        #expect(try searchFrames(appearance(width: 40), true).leftView?.x == 18)
        let narrower = try searchFrames(appearance(width: 39.5), true)
        #expect(narrower.leftView == nil)
        #expect(narrower.activityIndicator == nil)
        #expect(narrower.content == .activityIndicator)
        #expect(narrower.icon == "magnifyingglass")
    }

    @Test func textFieldVanishesWhenItsWidthIsZero() throws {
        #expect(try searchFrames(appearance(width: 84), true).textField == nil)
        #expect(try searchFrames(appearance(width: 84.5), true).textField?.width == 0.5)
    }

    @Test func narrowBarHasAnEmptyField() throws {
        let frames = try searchFrames(appearance(width: 0), true)
        #expect(frames.field == Rect(x: 8, y: 10, width: 0, height: 36))
        #expect(frames.leftView == nil)
        #expect(frames.textField == nil)
    }

    @Test func lowBarLetsTheFieldStandOut() throws {
        var view = ViewGeometry()
        view.height = 20
        #expect(try searchFrames(appearance(), true, in: view).field.y == -8)
    }

    @Test func rotationAndBackGivesIdenticalFrames() throws {
        let frames = try [120.0, 375, 120].map { width in
            var view = ViewGeometry()
            view.width = width
            return try searchFrames(appearance(), true, in: view)
        }
        #expect(frames[0] == frames[2])
        #expect(frames[0] != frames[1])
    }
}
