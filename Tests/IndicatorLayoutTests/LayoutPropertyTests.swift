import IndicatorLayout
import Testing

/// What holds of every layout.
struct LayoutPropertyTests {
    private static let pixel = 1.0 / 1024

    @Test(arguments: RandomLayout.seeds)
    func noSizeIsNegative(seed: UInt64) throws {
        try forEachFrames(of: seed) { layout, frames in
            let sides = frames.all.flatMap { [$0.width, $0.height] }
            #expect(sides.allSatisfy { $0 >= 0 }, "\(layout)")
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func titleViewKeepsInsideItsWidth(seed: UInt64) throws {
        try forEachTitleView(of: seed) { layout, frames in
            for frame in frames.content {
                #expect(frame.x >= -Self.pixel / (layout.scale ?? 1), "\(layout)")
                #expect(frame.maxX <= frames.bounds.maxX + Self.pixel / (layout.scale ?? 1), "\(layout)")
            }
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func titleViewKeepsInsideItsBar(seed: UInt64) throws {
        try forEachTitleView(of: seed) { layout, frames in
            guard let frame = frames.frameInBar, let barWidth = layout.view.barWidth else { return }
            #expect(frame.x >= 0, "\(layout)")
            #expect(frame.maxX <= barWidth + Self.pixel / (layout.scale ?? 1), "\(layout)")
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func searchFieldHoldsItsIconAndText(seed: UInt64) throws {
        try forEachSearchBar(of: seed) { layout, frames in
            for frame in [frames.leftView, frames.textField].compactMap({ $0 }) {
                #expect(frame.x >= frames.field.x - 1e-9, "\(layout)")
                #expect(frame.maxX <= frames.field.maxX + 1e-9, "\(layout)")
            }
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func spinnerIsNeverOverTheText(seed: UInt64) throws {
        try forEachFrames(of: seed) { layout, frames in
            guard let spinner = frames.spinner, let text = frames.text else { return }
            let areDisjoint = spinner.maxX <= text.x + 1e-9 || text.maxX <= spinner.x + 1e-9
            #expect(areDisjoint, "\(layout)")
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func mirroringTwiceGivesTheOriginal(seed: UInt64) throws {
        try forEachFrames(of: seed) { layout, frames in
            var other = layout
            other.view.direction = layout.direction == .ltr ? .rtl : .ltr
            let mirrored = try other.frames()
            let width = frames.bounds.width
            for (frame, image) in zip(frames.content, mirrored.content) {
                #expect(image.mirrored(in: width).isNear(frame), "\(layout)")
            }
            #expect(frames.content.count == mirrored.content.count, "\(layout)")
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func equalInputGivesEqualBits(seed: UInt64) throws {
        try forEachFrames(of: seed) { layout, frames in
            let again = try layout.frames()
            #expect(again == frames, "\(layout)")
            let bits = frames.all.flatMap(\.numbers).map(\.bitPattern)
            #expect(again.all.flatMap(\.numbers).map(\.bitPattern) == bits, "\(layout)")
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func everyEdgeIsOnTheGrid(seed: UInt64) throws {
        try forEachFrames(of: seed) { layout, frames in
            guard let scale = layout.scale else { return }
            var edges = frames.content.flatMap { [$0.x, $0.y, $0.maxX, $0.maxY] }
            edges += [frames.bounds.width, frames.inBar?.x ?? 0, frames.inBar?.width ?? 0]
            #expect(edges.allSatisfy { abs($0 * scale - ($0 * scale).rounded()) < 1e-6 }, "\(layout)")
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func noZeroIsNegative(seed: UInt64) throws {
        try forEachFrames(of: seed) { layout, frames in
            let zeros = frames.all.flatMap(\.numbers).filter { $0 == 0 }
            #expect(zeros.allSatisfy { $0.sign == .plus }, "\(layout)")
        }
    }

    @Test(arguments: RandomLayout.seeds)
    func titleViewFollowsTheFormulasOfTheDesign(seed: UInt64) throws {
        try forEachTitleView(of: seed) { layout, frames in
            let formulas = TitleViewFormulas(layout)
            expect(frames.activityIndicator, isNear: formulas.spinner, "\(layout)")
            expect(frames.titleLabel, isNear: formulas.label, "\(layout)")
            #expect(frames.isTruncated == formulas.isTruncated, "\(layout)")
        }
    }

    private func forEachFrames(
        of seed: UInt64, _ body: (RandomLayout, DrawnFrames) throws -> Void
    ) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<RandomLayout.count {
            let kind: IndicatorKind = Bool.random(using: &generator) ? .navigationBar : .searchBar
            let layout = RandomLayout(kind, using: &generator)
            try body(layout, layout.frames())
        }
    }

    private func forEachTitleView(
        of seed: UInt64, _ body: (RandomLayout, NavigationBarFrames) throws -> Void
    ) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<RandomLayout.count {
            let layout = RandomLayout(.navigationBar, using: &generator)
            try body(
                layout,
                titleFrames(layout.appearance, layout.isPending, in: layout.view, text: layout.text))
        }
    }

    private func forEachSearchBar(
        of seed: UInt64, _ body: (RandomLayout, SearchBarFrames) throws -> Void
    ) throws {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<RandomLayout.count {
            let layout = RandomLayout(.searchBar, using: &generator)
            try body(layout, searchFrames(layout.appearance, layout.isPending, in: layout.view))
        }
    }
}
