import IndicatorLayout

/// Looks sizes up in a table that is made for one point size, and scales them as a real font would.
struct TableMeasurer: TextMeasurer {
    /// The point size for which the table is made.
    static let size = 17.0

    let sizes: [String: Size]

    func metrics(of text: String, in font: TitleFont) -> TextMetrics {
        let size = sizes[text] ?? Size(width: 0, height: 0)
        let factor = font.size / Self.size
        return TextMetrics(
            width: size.width * factor, height: size.height * factor, families: [font.family])
    }
}
