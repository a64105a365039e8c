/// A title view: a spinner beside one line of text. Lengths are in units of the pixel grid.
struct NavigationBarLayout {
    private let appearance: Appearance
    private let grid: PixelGrid
    private let direction: LayoutDirection
    private let bar: TitleBar?
    private let width: Double
    private let height: Double
    private let spinnerSide: Double
    /// Between spinner and label; 0 when there is no text to keep apart.
    private let space: Double
    private let hasText: Bool
    private let metrics: TextMetrics
    /// The text's sides, both ceiled to the grid.
    private let textWidth: Double
    private let textHeight: Double

    init(
        _ appearance: Appearance, title: String, in view: ViewGeometry, measuredBy measurer: some TextMeasurer
    ) {
        self.appearance = appearance
        grid = PixelGrid(scale: view.scale ?? appearance.scale)
        direction = view.direction ?? appearance.direction
        bar = TitleBar(of: view, on: grid)

        let wantedWidth = grid.units(max(view.width ?? appearance.frame.width, 0))
        width = grid.floor(min(wantedWidth, bar?.freeWidth ?? wantedWidth))
        height = grid.units(max(view.height ?? appearance.frame.height, 0))
        spinnerSide = grid.ceil(grid.units(appearance.activityStyle.side))

        hasText = !title.isEmpty
        space = hasText ? grid.ceil(grid.units(appearance.interItemSpace)) : 0
        metrics =
            hasText
            ? measurer.metrics(of: title, in: appearance.titleFont.scaled(by: view.fontScale ?? 1))
            : TextMetrics(width: 0, height: 0, families: [])
        textWidth = grid.ceil(grid.units(metrics.width))
        textHeight = grid.ceil(grid.units(metrics.height))
    }

    func frames(isPending: Bool) -> NavigationBarFrames {
        let textStart = isPending ? spinnerSide + space : 0
        let available = max(width - textStart, 0)
        let overflows = metrics.width > grid.points(available) + 1.0 / 1024
        // On a grid both are whole pixels, so a truncated label needs no rounding of its own.
        let labelWidth = min(textWidth, available)

        let hasSpinner = isPending && width >= spinnerSide
        let hasLabel = labelWidth > 0
        let contentWidth = hasLabel ? textStart + labelWidth : spinnerSide
        let origins = origins(isPending: isPending, textStart: textStart, contentWidth: contentWidth)
        let spinner = Rect(
            x: origins.spinner.x, y: origins.spinner.y, width: spinnerSide, height: spinnerSide)
        let label = Rect(x: origins.label.x, y: origins.label.y, width: labelWidth, height: textHeight)

        return NavigationBarFrames(
            bounds: grid.points(Rect(x: 0, y: 0, width: width, height: height)),
            activityIndicator: hasSpinner ? placed(spinner) : nil,
            titleLabel: hasLabel ? placed(label) : nil,
            isTruncated: hasText && (overflows || !hasLabel),
            preferredSize: preferredSize(isPending: isPending),
            frameInBar: bar.map(frame(in:)),
            fonts: metrics.families)
    }

    /// What the content would take if there were room, in points.
    private func preferredSize(isPending: Bool) -> Size {
        guard isPending else {
            return Size(width: grid.points(textWidth), height: grid.points(textHeight))
        }
        return Size(
            width: grid.points(spinnerSide + space + textWidth),
            height: grid.points(max(spinnerSide, textHeight)))
    }

    private typealias Origin = (x: Double, y: Double)

    /// Where spinner and label begin, read from left to right.
    private func origins(
        isPending: Bool, textStart: Double, contentWidth: Double
    ) -> (spinner: Origin, label: Origin) {
        let middle = grid.floor(max((width - contentWidth) / 2, 0))
        switch appearance.arrangement {
        case .leading:
            // The text is centred on the spinner, not in the view, so that it keeps its line when the
            // spinner goes.
            let line = grid.floor((spinnerSide - textHeight) / 2)
            return (spinner: (0, 0), label: (isPending ? textStart : middle, line))
        case .centered:
            return (
                spinner: (middle, grid.floor((height - spinnerSide) / 2)),
                label: (middle + textStart, grid.floor((height - textHeight) / 2))
            )
        }
    }

    /// `rect` in points, mirrored if the text runs from right to left.
    private func placed(_ rect: Rect) -> Rect {
        grid.points(direction == .rtl ? rect.mirrored(in: width) : rect)
    }

    /// The view's frame in `bar`, in points.
    private func frame(in bar: TitleBar) -> Rect {
        let x = bar.x(ofWidth: width, direction: direction, on: grid)
        let y = grid.floor(grid.units(appearance.frame.y))
        return grid.points(Rect(x: x, y: y, width: width, height: height))
    }
}

extension TitleFont {
    fileprivate func scaled(by factor: Double) -> TitleFont {
        TitleFont(family: family, size: size * factor, weight: weight)
    }
}
