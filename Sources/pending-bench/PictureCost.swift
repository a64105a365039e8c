import IndicatorLayout
import PangoText

/// What one picture costs, in this process.
enum PictureCost {
    static func run(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(200, quick: 5)
        do throws(PangoTextError) {
            let (measurer, painter) = (try PangoTextMeasurer(), try IndicatorPainter())
            for kind in [IndicatorKind.navigationBar, .searchBar] {
                let appearance = Appearance(kind: kind, regularTitle: "Chats")
                let (title, view) = ("Updating…", ViewGeometry())
                let frames = IndicatorFrames(
                    for: appearance, isPending: true, title: title, in: view, measuredBy: measurer)
                let svg = time(count) { painter.svg(frames, appearance: appearance, title: title, in: view) }
                report.add("\(kind)", "SVG", svg, "ms")
                for scale in [1.0, 2, 4] {
                    let png = time(count) {
                        painter.png(frames, appearance: appearance, title: title, in: view, scale: scale)
                            ?? []
                    }
                    report.add("\(kind)", "PNG, \(Int(scale)) pixels per point", png, "ms")
                }
            }
        } catch {
            throw .daemon("text cannot be set: \(error)")
        }
    }

    /// Milliseconds of CPU per picture.
    private static func time(_ count: Int, _ draw: () -> [UInt8]) -> Double {
        var bytes = 0
        let begin = Clock.thread
        for _ in 0..<count { bytes += draw().count }
        let time = Double(Clock.thread - begin) / Double(count) / 1e6
        precondition(bytes > 0, "A picture has bytes.")
        return time
    }
}
