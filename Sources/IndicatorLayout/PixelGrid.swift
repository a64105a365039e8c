/// The pixels of a screen, on which edges are placed; without a scale there is no grid, and nothing is rounded.
///
/// The layouts calculate in units: pixels where there is a grid, points where there is none. Sums of whole
/// pixels are exact, so only the last step, back to points, leaves the whole numbers.
struct PixelGrid {
    /// How far a value may lie beyond a pixel's edge and still count as on it, so that 1.1 · 10 is 11 pixels.
    private static let tolerance = 1.0 / 1024

    private let unitsPerPoint: Double
    private let isAligned: Bool

    /// The grid of `scale` pixels per point; nil for none.
    init(scale: Double?) {
        unitsPerPoint = scale ?? 1
        isAligned = scale != nil
    }

    func units(_ points: Double) -> Double { points * unitsPerPoint }

    func points(_ units: Double) -> Double { units / unitsPerPoint }

    /// The pixel edge at or before `units`.
    func floor(_ units: Double) -> Double {
        isAligned ? (units + Self.tolerance).rounded(.down) : units
    }

    /// The pixel edge at or after `units`.
    func ceil(_ units: Double) -> Double {
        // Adding 0 makes 0 of the -0 to which a length of 0 would be rounded.
        isAligned ? (units - Self.tolerance).rounded(.up) + 0 : units
    }

    /// `rect` with each of its edges on the pixel edge at or before it.
    func floor(_ rect: Rect) -> Rect {
        guard isAligned else { return rect }
        let x = floor(rect.x)
        let y = floor(rect.y)
        return Rect(x: x, y: y, width: floor(rect.maxX) - x, height: floor(rect.maxY) - y)
    }

    /// The rectangle in points of one in units.
    func points(_ rect: Rect) -> Rect {
        Rect(x: points(rect.x), y: points(rect.y), width: points(rect.width), height: points(rect.height))
    }
}

extension Rect {
    /// The rectangle as it is seen in a mirror that is `width` wide.
    func mirrored(in width: Double) -> Rect {
        Rect(x: width - x - self.width, y: y, width: self.width, height: height)
    }
}
