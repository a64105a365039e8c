/// The size of one line of text, and the fonts that draw it.
public struct TextMetrics: Equatable, Sendable {
    /// The advance width in points, not rounded.
    public var width: Double
    /// The line's height in points, not rounded.
    public var height: Double
    /// The families that the glyphs really come from, the configured one first, each once.
    public var families: [String]

    /// Metrics of a line of `width` × `height` points.
    public init(width: Double, height: Double, families: [String]) {
        self.width = width
        self.height = height
        self.families = families
    }
}

/// Measures one line of text. Equal input gives equal output.
public protocol TextMeasurer {
    /// The unlimited size of `text` set in `font`, on one line.
    func metrics(of text: String, in font: TitleFont) -> TextMetrics
}
