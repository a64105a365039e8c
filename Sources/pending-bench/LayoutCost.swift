import IndicatorLayout
import PangoText

/// What one layout costs, in this process.
enum LayoutCost {
    /// Gives the same size at once: what is left is the layout itself.
    private struct ConstantMeasurer: TextMeasurer {
        func metrics(of text: String, in font: TitleFont) -> TextMetrics {
            TextMetrics(width: 89.5, height: 21, families: [])
        }
    }

    static func run(_ context: Context, _ report: inout Report) throws(BenchError) {
        let count = context.size(1_000_000, quick: 10_000)
        let pango: PangoTextMeasurer
        do throws(PangoTextError) {
            pango = try PangoTextMeasurer()
        } catch {
            throw .daemon("text cannot be measured: \(error)")
        }
        for kind in [IndicatorKind.navigationBar, .searchBar] {
            let variant = "\(kind)"
            report.add(variant, "one layout, cached width", time(count, kind, pango), "ns")
            report.add(variant, "one layout, constant width", time(count, kind, ConstantMeasurer()), "ns")
        }
    }

    /// Nanoseconds of CPU per layout.
    private static func time(_ count: Int, _ kind: IndicatorKind, _ measurer: some TextMeasurer) -> Double {
        var appearance = Appearance(regularTitle: "Chats")
        appearance.kind = kind
        var geometry = ViewGeometry()
        var sum = 0.0
        let begin = Clock.thread
        for index in 0..<count {
            geometry.width = Double(200 + index % 64)
            let frames = IndicatorFrames(
                for: appearance, isPending: true, title: "Updating…", in: geometry, measuredBy: measurer)
            sum += frames.firstEdge
        }
        let time = Double(Clock.thread - begin) / Double(count)
        // The sum is looked at, so that no layout can be left out.
        precondition(sum.isFinite, "A frame has finite edges.")
        return time
    }
}

extension IndicatorFrames {
    fileprivate var firstEdge: Double {
        switch self {
        case .navigationBar(let frames): frames.titleLabel?.x ?? 0
        case .searchBar(let frames): frames.textField?.x ?? 0
        }
    }
}
