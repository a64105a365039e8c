/// Which of the two indicators a screen has.
public enum IndicatorKind: String, Hashable, Sendable, CaseIterable {
    /// A title view with a spinner beside the title.
    case navigationBar
    /// A search field whose icon gives way to a spinner.
    case searchBar
}

/// The spinner's style; it alone fixes the spinner's size.
public enum ActivityStyle: String, Hashable, Sendable, CaseIterable {
    case gray, white, medium, whiteLarge, large

    /// The side of the square spinner, in points: 20, or 37 for the large styles.
    public var side: Double {
        switch self {
        case .gray, .white, .medium: 20
        case .whiteLarge, .large: 37
        }
    }
}

/// Where the title view puts its content.
public enum Arrangement: String, Hashable, Sendable, CaseIterable {
    case leading, centered
}

/// The reading direction; `rtl` mirrors every frame.
public enum LayoutDirection: String, Hashable, Sendable, CaseIterable {
    case ltr, rtl
}

/// The font of a title.
public struct TitleFont: Hashable, Sendable {
    /// The family's name, such as `"Inter"`.
    public var family: String
    /// The size in points, 1…512.
    public var size: Double
    /// The weight, 1…1000; 400 is regular.
    public var weight: Int

    /// A font of `family` at `size` points.
    public init(family: String = "Inter", size: Double = 17, weight: Int = 600) {
        self.family = family
        self.size = size
        self.weight = weight
    }
}

/// How a screen's indicator looks: everything of a configuration but which tasks it shows, and when.
public struct Appearance: Hashable, Sendable {
    /// Which indicator it is.
    public var kind: IndicatorKind
    /// The title while nothing is pending.
    @Verbatim public var regularTitle: String
    /// The title of a pending run that has none of its own.
    @Verbatim public var pendingTitle: String
    /// The spinner's style.
    public var activityStyle: ActivityStyle
    /// The view's frame in points; x and y −10 000…10 000, width and height 0…10 000.
    public var frame: Rect
    /// The space between spinner and label, 0…10 000 points.
    public var interItemSpace: Double
    /// The title's colour, `#rrggbb` or `#rrggbbaa`.
    public var titleColor: String
    /// The title's font.
    public var titleFont: TitleFont
    /// Where the title view puts its content.
    public var arrangement: Arrangement
    /// The reading direction.
    public var direction: LayoutDirection
    /// Pixels per point, 0.25…10, to whose grid frames are aligned; nil for no grid.
    public var scale: Double?
    /// The name of the search field's icon.
    public var icon: String
    /// The size of the search field's icon, each side 0…10 000 points.
    public var iconSize: Size

    /// The appearance that a screen has before anything is configured.
    ///
    /// - Parameter frame: nil gives the kind's own: 0,0,120,20, or 0,0,320,56 for a search bar.
    public init(
        kind: IndicatorKind = .navigationBar, regularTitle: String, pendingTitle: String = "Updating…",
        activityStyle: ActivityStyle = .gray, frame: Rect? = nil, interItemSpace: Double = 8,
        titleColor: String = "#1c1c1e", titleFont: TitleFont = TitleFont(),
        arrangement: Arrangement = .leading, direction: LayoutDirection = .ltr, scale: Double? = nil,
        icon: String = "magnifyingglass", iconSize: Size = Size(width: 14, height: 14)
    ) {
        self.kind = kind
        self.regularTitle = regularTitle
        self.pendingTitle = pendingTitle
        self.activityStyle = activityStyle
        self.frame = frame ?? Self.defaultFrame(of: kind)
        self.interItemSpace = interItemSpace
        self.titleColor = titleColor
        self.titleFont = titleFont
        self.arrangement = arrangement
        self.direction = direction
        self.scale = scale
        self.icon = icon
        self.iconSize = iconSize
    }

    /// The frame of a `kind` that does not say: 0,0,120,20, or 0,0,320,56 for a search bar.
    public static func defaultFrame(of kind: IndicatorKind) -> Rect {
        switch kind {
        case .navigationBar: Rect(x: 0, y: 0, width: 120, height: 20)
        case .searchBar: Rect(x: 0, y: 0, width: 320, height: 56)
        }
    }
}

/// What one viewer overrides of an appearance; it changes the frames and nothing else.
public struct ViewGeometry: Hashable, Sendable {
    /// The view's width, 0…10 000 points; nil for the appearance's.
    public var width: Double?
    /// The view's height, 0…10 000 points; nil for the appearance's.
    public var height: Double?
    /// Pixels per point, 0.25…10; nil for the appearance's.
    public var scale: Double?
    /// The reading direction; nil for the appearance's.
    public var direction: LayoutDirection?
    /// Multiplies the font size only, 0.25…4; nil for 1.
    public var fontScale: Double?
    /// The width of the bar that holds a title view, 0…10 000 points; nil for no bar.
    public var barWidth: Double?
    /// What the bar's leading buttons occupy, 0…10 000 points; nil for 0.
    public var leadingInset: Double?
    /// What the bar's trailing buttons occupy, 0…10 000 points; nil for 0.
    public var trailingInset: Double?

    /// A view that overrides nothing.
    public init() {}
}
