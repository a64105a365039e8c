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

    /// The points of `units`; a negative zero, which clients would see as `-0`, becomes zero.
    func points(_ units: Double) -> Double { units / unitsPerPoint + 0 }

    /// The pixel edge at or before `units`.
    func floor(_ units: Double) -> Double {
        isAligned ? (units + Self.tolerance).wholeBelow : units
    }

    /// The pixel edge at or after `units`.
    func ceil(_ units: Double) -> Double {
        isAligned ? -(Self.tolerance - units).wholeBelow : units
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

extension Double {
    /// The greatest whole number that is not greater.
    ///
    /// `rounded(.down)` calls the C library's `floor`, against which a program that imports nothing but this
    /// module is not linked.
    fileprivate var wholeBelow: Double {
        // From here on every number is whole. Infinities and NaN, too, have no Int64 and stay as they are.
        guard magnitude < 0x1p52 else { return self }
        let truncated = Double(Int64(self))
        return truncated > self ? truncated - 1 : truncated
    }
}

extension Rect {
    /// The rectangle as it is seen in a mirror that is `width` wide.
    func mirrored(in width: Double) -> Rect {
        Rect(x: width - x - self.width, y: y, width: self.width, height: height)
    }
}
