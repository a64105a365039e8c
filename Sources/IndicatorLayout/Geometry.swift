/// A size in points; no side is negative.
public struct Size: Hashable, Sendable {
    /// The horizontal side, in points.
    public var width: Double
    /// The vertical side, in points.
    public var height: Double

    /// A size of `width` × `height` points.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}

/// A rectangle in points, origin top left.
public struct Rect: Hashable, Sendable {
    /// The left edge, in points.
    public var x: Double
    /// The top edge, in points.
    public var y: Double
    /// The horizontal side, in points, never negative.
    public var width: Double
    /// The vertical side, in points, never negative.
    public var height: Double

    /// A rectangle whose top left corner is at (`x`, `y`).
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }

    /// The right edge, in points.
    public var maxX: Double { x + width }
    /// The bottom edge, in points.
    public var maxY: Double { y + height }
}
