/// A search bar, whose icon gives way to a spinner. Lengths are in units of the pixel grid.
///
/// Loading only selects what the left view shows; nothing is taken away that would have to be put back.
struct SearchBarLayout {
    /// The measures of a search bar on iOS, in points.
    private enum Metric {
        static let fieldMargin = 8.0
        static let fieldHeight = 36.0
        static let iconMargin = 10.0
        static let textMargin = 10.0
        static let spinnerMargin = 4.0
        static let clearButton = 34.0
    }

    private let appearance: Appearance
    private let grid: PixelGrid
    private let direction: LayoutDirection
    private let width: Double
    private let height: Double
    private let field: Rect
    /// The icon's box, whether the field has room for it or not.
    private let iconBox: Rect
    private let spinnerSide: Double

    init(_ appearance: Appearance, in view: ViewGeometry) {
        self.appearance = appearance
        grid = PixelGrid(scale: view.scale ?? appearance.scale)
        direction = view.direction ?? appearance.direction
        width = grid.units(max(view.width ?? appearance.frame.width, 0))
        height = grid.units(max(view.height ?? appearance.frame.height, 0))

        let margin = grid.units(Metric.fieldMargin)
        let fieldHeight = grid.units(Metric.fieldHeight)
        field = Rect(
            x: margin, y: (height - fieldHeight) / 2, width: max(width - 2 * margin, 0), height: fieldHeight)
        let iconHeight = grid.units(appearance.iconSize.height)
        iconBox = Rect(
            x: margin + grid.units(Metric.iconMargin), y: field.y + (fieldHeight - iconHeight) / 2,
            width: grid.units(appearance.iconSize.width), height: iconHeight)
        spinnerSide = grid.ceil(grid.units(appearance.activityStyle.side))
    }

    func frames(isPending: Bool) -> SearchBarFrames {
        let hasLeftView = field.width >= grid.units(Metric.iconMargin) + iconBox.width
        return SearchBarFrames(
            bounds: placed(Rect(x: 0, y: 0, width: width, height: height)),
            field: placed(field),
            leftView: hasLeftView ? placed(iconBox) : nil,
            content: isPending ? .activityIndicator : .icon,
            icon: appearance.icon,
            activityIndicator: isPending && hasLeftView ? placed(spinner) : nil,
            textField: textField)
    }

    /// The spinner, centred on the icon's box.
    private var spinner: Rect {
        Rect(
            x: iconBox.x + (iconBox.width - spinnerSide) / 2,
            y: iconBox.y + (iconBox.height - spinnerSide) / 2, width: spinnerSide, height: spinnerSide)
    }

    /// The text's frame in points; it makes room for the spinner even while there is none, so that what is
    /// being typed does not jump.
    private var textField: Rect? {
        let start = max(
            iconBox.maxX + grid.units(Metric.textMargin), spinner.maxX + grid.units(Metric.spinnerMargin))
        let end = max(field.maxX - grid.units(Metric.clearButton), start)
        let frame = placed(Rect(x: start, y: field.y, width: end - start, height: field.height))
        return frame.width > 0 ? frame : nil
    }

    /// `rect` on the grid, mirrored if the text runs from right to left, in points.
    private func placed(_ rect: Rect) -> Rect {
        let rect = grid.floor(rect)
        return grid.points(direction == .rtl ? rect.mirrored(in: grid.floor(width)) : rect)
    }
}
