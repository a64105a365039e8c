import IndicatorLayout
import Testing

/// The frames of a title view whose title measures `text` at the table's font size.
func titleFrames(
    _ appearance: Appearance, _ isPending: Bool, in view: ViewGeometry = ViewGeometry(), text: Size
) throws -> NavigationBarFrames {
    let measurer = TableMeasurer(sizes: ["title": text])
    let frames = IndicatorFrames(
        for: appearance, isPending: isPending, title: "title", in: view, measuredBy: measurer)
    guard case .navigationBar(let titleView) = frames else { throw WrongKind() }
    return titleView
}

/// The frames of a search bar.
func searchFrames(
    _ appearance: Appearance, _ isPending: Bool, in view: ViewGeometry = ViewGeometry()
) throws -> SearchBarFrames {
    let frames = IndicatorFrames(
        for: appearance, isPending: isPending, title: "title", in: view, measuredBy: NoMeasurer())
    guard case .searchBar(let searchBar) = frames else { throw WrongKind() }
    return searchBar
}

struct WrongKind: Error {}

/// Proves that a layout measures nothing.
struct NoMeasurer: TextMeasurer {
    func metrics(of text: String, in font: TitleFont) -> TextMetrics {
        Issue.record("nothing is to be measured, but \(text) was")
        return TextMetrics(width: 0, height: 0, families: [])
    }
}

/// Expects both to be nil, or no number of them to differ by more than 1e-9 points.
func expect(
    _ rect: Rect?, isNear other: Rect?, _ context: @autoclosure () -> String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let isNear =
        switch (rect, other) {
        case (nil, nil): true
        case (let rect?, let other?): rect.isNear(other)
        default: false
        }
    guard !isNear else { return }
    Issue.record(
        "\(String(describing: rect)) is not \(String(describing: other)) \(context())",
        sourceLocation: sourceLocation)
}

extension Rect {
    var numbers: [Double] { [x, y, width, height] }

    func isNear(_ other: Rect) -> Bool {
        zip(numbers, other.numbers).allSatisfy { abs($0 - $1) <= 1e-9 }
    }

    /// The rectangle as it is seen in a mirror that is `width` wide.
    func mirrored(in width: Double) -> Rect {
        Rect(x: width - x - self.width, y: y, width: self.width, height: height)
    }
}
