import IndicatorLayout
import Testing

struct DefaultsTests {
    @Test func navigationBarHasTheDocumentedDefaults() {
        let appearance = Appearance(regularTitle: "Chats")
        #expect(appearance.kind == .navigationBar)
        #expect(appearance.pendingTitle == "Updating…")
        #expect(appearance.activityStyle == .gray)
        #expect(appearance.frame == Rect(x: 0, y: 0, width: 120, height: 20))
        #expect(appearance.interItemSpace == 8)
        #expect(appearance.titleColor == "#1c1c1e")
        #expect(appearance.titleFont == TitleFont(family: "Inter", size: 17, weight: 600))
        #expect(appearance.arrangement == .leading)
        #expect(appearance.direction == .ltr)
        #expect(appearance.scale == nil)
        #expect(appearance.icon == "magnifyingglass")
        #expect(appearance.iconSize == Size(width: 14, height: 14))
    }

    @Test func searchBarHasAFrameOfItsOwn() {
        let frame = Appearance(kind: .searchBar, regularTitle: "").frame
        #expect(frame == Rect(x: 0, y: 0, width: 320, height: 56))
    }

    @Test func defaultsLieWithinTheBounds() {
        let appearance = Appearance(regularTitle: "")
        #expect(Bounds.side.contains(appearance.frame.width))
        #expect(Bounds.side.contains(appearance.interItemSpace))
        #expect(Bounds.origin.contains(appearance.frame.x))
        #expect(Bounds.fontSize.contains(appearance.titleFont.size))
        #expect(Bounds.fontWeight.contains(appearance.titleFont.weight))
    }

    @Test func boundsAreThoseOfTheContract() {
        #expect(Bounds.side == 0...10_000)
        #expect(Bounds.origin == -10_000...10_000)
        #expect(Bounds.scale == 0.25...10)
        #expect(Bounds.fontSize == 1...512)
        #expect(Bounds.fontWeight == 1...1000)
        #expect(Bounds.fontScale == 0.25...4)
        #expect(Bounds.seconds == 0...60)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, -1, .greatestFiniteMagnitude])
    func valuesOutsideTheBoundsDoNotTrap(value: Double) {
        for kind in IndicatorKind.allCases {
            let appearance = Appearance(
                kind: kind, regularTitle: "", frame: Rect(x: value, y: value, width: value, height: value),
                interItemSpace: value, scale: value, iconSize: Size(width: value, height: value))
            var view = ViewGeometry()
            view.barWidth = value
            view.leadingInset = value
            view.fontScale = value
            let text = TableMeasurer(sizes: ["title": Size(width: value, height: value)])
            let frames = IndicatorFrames(
                for: appearance, isPending: true, title: "title", in: view, measuredBy: text)
            switch (kind, frames) {
            case (.navigationBar, .navigationBar), (.searchBar, .searchBar): break
            default: Issue.record("\(kind) is laid out as \(frames)")
            }
        }
    }
}
