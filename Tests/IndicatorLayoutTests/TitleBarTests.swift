import IndicatorLayout
import Testing

/// The title view in a bar between buttons.
struct TitleBarTests {
    private func frame(
        width: Double, bar: Double, leading: Double? = nil, trailing: Double? = nil,
        _ direction: LayoutDirection = .ltr, scale: Double? = nil, y: Double = 0
    ) throws -> Rect {
        let appearance = Appearance(
            regularTitle: "title", frame: Rect(x: 50, y: y, width: width, height: 20), scale: scale)
        var view = ViewGeometry()
        view.barWidth = bar
        view.leadingInset = leading
        view.trailingInset = trailing
        view.direction = direction
        let frames = try titleFrames(appearance, true, in: view, text: Size(width: 80, height: 20.5))
        let frame = try #require(frames.frameInBar)
        #expect(frames.bounds == Rect(x: 0, y: 0, width: frame.width, height: frame.height))
        return frame
    }

    @Test(arguments: [(140.0, 117.5, 140.0), (180, 110, 180), (250, 110, 221)])
    func viewIsCentredInTheBarUnlessAButtonIsInItsWay(width: Double, x: Double, shown: Double) throws {
        let frame = try frame(width: width, bar: 375, leading: 110, trailing: 44)
        #expect(frame == Rect(x: x, y: 0, width: shown, height: 20))
    }

    @Test(arguments: [(140.0, 117.5, 140.0), (180, 85, 180), (250, 44, 221)])
    func rightToLeftMirrorsTheBar(width: Double, x: Double, shown: Double) throws {
        let frame = try frame(width: width, bar: 375, leading: 110, trailing: 44, .rtl)
        #expect(frame == Rect(x: x, y: 0, width: shown, height: 20))
    }

    @Test func trailingButtonPushesToo() throws {
        let frame = try frame(width: 180, bar: 375, leading: 44, trailing: 110)
        #expect(frame.x == 85)
    }

    @Test func insetsDefaultToNone() throws {
        #expect(try frame(width: 120, bar: 375) == Rect(x: 127.5, y: 0, width: 120, height: 20))
        #expect(try frame(width: 500, bar: 375) == Rect(x: 0, y: 0, width: 375, height: 20))
    }

    @Test(arguments: LayoutDirection.allCases)
    func insetsWiderThanTheBarLeaveNoWidth(_ direction: LayoutDirection) throws {
        let crossing = try frame(width: 120, bar: 375, leading: 300, trailing: 200, direction)
        #expect(crossing.width == 0)
        let beyond = try frame(width: 120, bar: 375, leading: 10_000, trailing: 10_000, direction)
        #expect(beyond.width == 0)
        #expect((0...375).contains(beyond.x))
    }

    @Test func titleIsLaidOutInTheFreeWidth() throws {
        let appearance = Appearance(
            regularTitle: "title", frame: Rect(x: 0, y: 0, width: 250, height: 20), arrangement: .centered)
        var view = ViewGeometry()
        view.barWidth = 375
        view.leadingInset = 110
        view.trailingInset = 165
        let frames = try titleFrames(appearance, true, in: view, text: Size(width: 231, height: 20.5))
        #expect(frames.bounds.width == 100)
        #expect(frames.activityIndicator?.x == 0)
        #expect(frames.titleLabel?.maxX == 100)
        #expect(frames.isTruncated)
    }

    @Test func gridFloorsWidthAndX() throws {
        // 221 points at 1.1 are 243.1 pixels, 110 are 121; 375 are 412.5.
        let pushed = try frame(width: 250, bar: 375, leading: 110, trailing: 44, scale: 1.1)
        #expect(pushed.width == 243 / 1.1)
        #expect(pushed.x == 121 / 1.1)
        let mirrored = try frame(width: 250, bar: 375, leading: 110, trailing: 44, .rtl, scale: 1.1)
        #expect(mirrored.x == 48 / 1.1)
    }

    @Test func yIsThatOfTheConfiguredFrame() throws {
        #expect(try frame(width: 120, bar: 375, y: 12.3).y == 12.3)
        #expect(try frame(width: 120, bar: 375, scale: 2, y: 12.3).y == 12)
    }
}
