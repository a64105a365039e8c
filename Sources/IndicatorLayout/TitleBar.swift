/// The bar in which a title view stands between buttons. Lengths are in units of the pixel grid.
struct TitleBar {
    private let width: Double
    /// Where the free part starts and ends, read in the text's direction.
    private let start: Double
    private let end: Double

    /// The bar of `view`; nil when it has none. Insets that are wider than the bar leave a free width of 0.
    init?(of view: ViewGeometry, on grid: PixelGrid) {
        guard let barWidth = view.barWidth else { return nil }
        width = grid.units(barWidth)
        start = min(grid.units(view.leadingInset ?? 0), width)
        end = max(width - grid.units(view.trailingInset ?? 0), start)
    }

    var freeWidth: Double { end - start }

    /// The x of a view no wider than the free part: centred in the bar, against a button only if it must.
    func x(ofWidth viewWidth: Double, direction: LayoutDirection, on grid: PixelGrid) -> Double {
        let x = grid.floor(min(max((width - viewWidth) / 2, start), end - viewWidth))
        // The bar's own width may end between two pixels.
        return direction == .rtl ? grid.floor(width - x - viewWidth) : x
    }
}
