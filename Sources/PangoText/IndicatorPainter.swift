import CPango
import IndicatorLayout
import Synchronization

/// Draws indicators as their frames say, with the fonts that are installed.
///
/// May be shared by threads; one picture is drawn at a time.
public final class IndicatorPainter: Sendable {
    /// Pictures of glyphs in an SVG are so fine, to be enlarged.
    private static let bitmapScale = 4.0

    private let typesetter: Mutex<PangoTypesetter>

    /// - Throws: `PangoTextError.noFont` when no font is installed.
    public init() throws(PangoTextError) {
        typesetter = Mutex(try PangoTypesetter())
    }

    /// An SVG document that is as large as the indicator's bounds and spins by itself; slower for those who prefer
    /// reduced motion. Text is drawn as outlines, so it needs no font; it is there as the document's name, too.
    ///
    /// - Parameters:
    ///   - frames: as they were computed for `appearance` and `view`.
    ///   - title: what the indicator shows.
    public func svg(
        _ frames: IndicatorFrames, appearance: Appearance, title: String, in view: ViewGeometry
    ) -> [UInt8] {
        let marks = marks(of: frames, appearance, title, view, pixelsPerPoint: Self.bitmapScale)
        var document = SVGDocument(bounds: frames.bounds, name: title)
        for mark in marks { document.add(mark) }
        return document.finished()
    }

    /// A PNG picture of `scale` pixels per point, one frame of the spinner; nil when it is more than cairo can draw.
    public func png(
        _ frames: IndicatorFrames, appearance: Appearance, title: String, in view: ViewGeometry,
        scale: Double
    ) -> [UInt8]? {
        let width = (frames.bounds.width * scale).rounded(.up)
        let height = (frames.bounds.height * scale).rounded(.up)
        guard let canvas = Canvas(width: width, height: height) else { return nil }
        cairo_scale(canvas.cairo, scale, scale)
        for mark in marks(of: frames, appearance, title, view, pixelsPerPoint: scale) { canvas.add(mark) }
        return canvas.png
    }

    /// The font that answers for `font`: its family, and the path of its file. Nil when it is in no file.
    ///
    /// For characters that it lacks others answer.
    public func answer(to font: TitleFont) -> (family: String, path: String)? {
        typesetter.withLock { $0.answer(to: Face(family: font.family, weight: font.weight)) }
    }

    private func marks(
        of frames: IndicatorFrames, _ appearance: Appearance, _ title: String, _ view: ViewGeometry,
        pixelsPerPoint: Double
    ) -> [Mark] {
        typesetter.withLock { typesetter in
            IndicatorDrawing(
                appearance: appearance, title: title, view: view, pixelsPerPoint: pixelsPerPoint,
                typesetter: typesetter
            )
            .marks(of: frames)
        }
    }
}

extension Canvas {
    fileprivate func add(_ mark: Mark) {
        switch mark {
        case .fill(let path, let color): fill(path, color)
        case .stroke(let path, let width, let color): stroke(path, width: width, color)
        case .bitmap(let bitmap): draw(bitmap)
        case .spinner(let frame, let color):
            cairo_save(cairo)
            cairo_translate(cairo, frame.x + frame.width / 2, frame.y + frame.height / 2)
            cairo_scale(cairo, frame.width, frame.height)
            for index in 0..<Spinner.count {
                stroke(Spinner.spoke, width: Spinner.width, color.faded(to: Spinner.opacity(index)))
                cairo_rotate(cairo, 2 * .pi / Double(Spinner.count))
            }
            cairo_restore(cairo)
        }
    }
}
