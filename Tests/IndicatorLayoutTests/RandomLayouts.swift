import IndicatorLayout

/// Repeatable random numbers: SplitMix64, https://doi.org/10.1145/2714064.2660195.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// One random question to the layout, often on the edge of something.
struct RandomLayout: CustomStringConvertible {
    /// Two that are always tried, and a new one that a failure prints.
    static let seeds: [UInt64] = [1, 1_600_000_000, .random(in: .min ... .max)]

    /// How many layouts are drawn of one seed.
    static let count = 5_000

    var appearance: Appearance
    var view = ViewGeometry()
    let isPending: Bool
    let text: Size

    var description: String { "\(appearance) \(view) \(isPending) \(text)" }

    var scale: Double? { view.scale ?? appearance.scale }
    var direction: LayoutDirection { view.direction ?? appearance.direction }

    init(_ kind: IndicatorKind, using generator: inout SplitMix64) {
        appearance = Appearance(
            kind: kind, regularTitle: "title",
            activityStyle: Self.pick(ActivityStyle.allCases, .gray, &generator),
            frame: Rect(
                x: .random(in: -100...100, using: &generator), y: .random(in: -100...100, using: &generator),
                width: Self.side(&generator), height: Self.side(&generator)),
            interItemSpace: Self.pick([0, 8, 0.3, 7.9, 30], 8, &generator),
            arrangement: Self.pick(Arrangement.allCases, .leading, &generator),
            direction: Self.pick(LayoutDirection.allCases, .ltr, &generator),
            scale: Self.scale(&generator),
            iconSize: Size(
                width: Self.pick([0, 14, 14.7, 60], 14, &generator),
                height: Self.pick([0, 14, 14.7, 60], 14, &generator)))
        isPending = Bool.random(using: &generator)
        text = Size(
            width: Bool.random(using: &generator)
                ? Self.side(&generator) : .random(in: 0...300, using: &generator),
            height: .random(in: 0...60, using: &generator))
        drawView(&generator)
    }

    private mutating func drawView(_ generator: inout SplitMix64) {
        if Bool.random(using: &generator) { view.width = Self.side(&generator) }
        if Bool.random(using: &generator) { view.height = Self.side(&generator) }
        if Bool.random(using: &generator) { view.scale = Self.scale(&generator) }
        guard Bool.random(using: &generator) else { return }
        view.barWidth = Self.side(&generator)
        if Bool.random(using: &generator) { view.leadingInset = Self.side(&generator) / 3 }
        if Bool.random(using: &generator) { view.trailingInset = Self.side(&generator) / 3 }
    }

    private static func pick<Value>(_ values: [Value], _ usual: Value, _ generator: inout SplitMix64) -> Value
    {
        values.randomElement(using: &generator) ?? usual
    }

    private static func scale(_ generator: inout SplitMix64) -> Double? {
        let scales = [
            nil, 0.25, 1, 1.1, 1.5, 2, 2.625, 2.75, 3, 3.5, 10, .random(in: 0.25...10, using: &generator),
        ]
        return pick(scales, nil, &generator)
    }

    /// Sides at which something begins to fit, and those between.
    private static func side(_ generator: inout SplitMix64) -> Double {
        let edges: [Double] = [0, 0.5, 8, 16, 20, 28, 37, 40, 45, 84, 120, 320, 375, 10_000]
        return Bool.random(using: &generator)
            ? pick(edges, 120, &generator) : .random(in: 0...400, using: &generator)
    }
}
