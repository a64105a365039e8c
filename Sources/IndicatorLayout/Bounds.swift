/// The ranges in which what a client gives for a layout must lie; whoever lets values in checks them.
///
/// The layout itself does not: outside these ranges its frames mean nothing, but it does not trap.
public enum Bounds {
    /// A side, a space or an inset, in points.
    public static let side = 0.0...10_000
    /// The x or y of a frame, in points.
    public static let origin = -10_000.0...10_000
    /// Pixels per point.
    public static let scale = 0.25...10
    /// The size of a font, in points.
    public static let fontSize = 1.0...512
    /// The weight of a font; 400 is regular.
    public static let fontWeight = 1...1000
    /// The factor on a font's size.
    public static let fontScale = 0.25...4
    /// A delay of an indicator, in seconds.
    public static let seconds = 0.0...60
}
