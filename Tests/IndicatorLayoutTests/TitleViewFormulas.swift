import IndicatorLayout

/// The formulas of a title view as they are written down, in points and without a thought for rounding:
/// what the layout, which calculates in pixels, is compared with.
struct TitleViewFormulas {
    private(set) var spinner: Rect?
    private(set) var label: Rect?
    let isTruncated: Bool

    init(_ layout: RandomLayout) {
        let appearance = layout.appearance
        let isPending = layout.isPending
        let k = layout.scale
        func floorPx(_ v: Double) -> Double { k.map { (v * $0 + 1.0 / 1024).rounded(.down) / $0 } ?? v }
        func ceilPx(_ v: Double) -> Double { k.map { (v * $0 - 1.0 / 1024).rounded(.up) / $0 } ?? v }

        var free = 20_000.0
        if let bar = layout.view.barWidth {
            free = max(bar - (layout.view.leadingInset ?? 0) - (layout.view.trailingInset ?? 0), 0)
        }
        let w = floorPx(min(layout.view.width ?? appearance.frame.width, free))
        let h = layout.view.height ?? appearance.frame.height
        let i = ceilPx(appearance.activityStyle.side)
        let s = ceilPx(appearance.interItemSpace)
        let tw = layout.text.width
        let th = ceilPx(layout.text.height)
        let available = max(0, w - (isPending ? i + s : 0))
        let overflows = tw > available + 1.0 / 1024
        let t = overflows ? floorPx(available) : min(ceilPx(tw), available)
        // Room that is only left by the rounding of sums is none.
        let hasLabel = t > 1e-9
        isTruncated = overflows || !hasLabel
        guard !isPending || w >= i - 1e-9 else { return }

        let group = isPending ? (hasLabel ? i + s + t : i) : t
        let x0 = floorPx(max(0, (w - group) / 2))
        var spinner = Rect(x: 0, y: 0, width: i, height: i)
        var label = Rect(x: isPending ? i + s : floorPx((w - t) / 2), y: 0, width: t, height: th)
        switch appearance.arrangement {
        case .leading:
            label.y = floorPx((i - th) / 2)
        case .centered:
            spinner.x = x0
            spinner.y = floorPx((h - i) / 2)
            label.x = isPending ? x0 + i + s : x0
            label.y = floorPx((h - th) / 2)
        }
        if layout.direction == .rtl {
            spinner = spinner.mirrored(in: w)
            label = label.mirrored(in: w)
        }
        self.spinner = isPending ? spinner : nil
        self.label = hasLabel ? label : nil
    }
}
