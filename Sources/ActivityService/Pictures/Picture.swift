import ActivityCore
import IndicatorLayout
import PangoText
import WireFormat

/// A picture of an indicator, to be drawn: everything that it depends on.
struct Picture: Sendable {
    enum Format: Hashable, Sendable {
        case svg
        /// So many pixels per point.
        case png(scale: Double)
    }

    /// The pixels per point that a PNG may have.
    static let scales = 1.0...4.0
    /// The most pixels of a PNG. So many take some 0.1 s and 8 MB to draw.
    static let mostPixels = 2_000_000.0

    /// Names the picture: its entity tag.
    let token: Token
    let format: Format
    private let frames: IndicatorFrames
    private let appearance: Appearance
    private let title: String
    private let view: ViewGeometry

    /// The picture of `indicator` in `view`.
    ///
    /// - Throws: `invalid-parameter` when it would be too large.
    init(of indicator: Indicator, in view: ViewGeometry, as format: ScreenFormat) throws(Problem) {
        frames = indicator.frames
        appearance = indicator.configuration.appearance
        title = indicator.title
        self.view = view
        if format == .png {
            let wished = view.scale ?? appearance.scale ?? 1
            let scale = min(max(wished, Self.scales.lowerBound), Self.scales.upperBound)
            let bounds = frames.bounds
            guard (bounds.width * scale + 1) * (bounds.height * scale + 1) <= Self.mostPixels else {
                throw Problem.invalidParameter(
                    "scale", "makes more than \(Int(Self.mostPixels)) pixels of this size")
            }
            self.format = .png(scale: scale)
        } else {
            self.format = .svg
        }
        let direction = view.direction ?? appearance.direction
        token = ScreenBody.pictureToken(
            title: title, appearance: appearance, frames: frames,
            variant: "\(self.format) \(direction) \(view.fontScale ?? 1)")
    }

    /// The file; empty only if cairo has no memory for it.
    func draw(with painter: IndicatorPainter) -> [UInt8] {
        switch format {
        case .svg: painter.svg(frames, appearance: appearance, title: title, in: view)
        case .png(let scale):
            painter.png(frames, appearance: appearance, title: title, in: view, scale: scale) ?? []
        }
    }
}
