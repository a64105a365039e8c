/// The frames of a title view. Points, in the view's space but `frameInBar`; nil frames are not drawn.
public struct NavigationBarFrames: Equatable, Sendable {
    /// The view itself: 0, 0, width (on the grid, clamped to the bar's free width), height.
    public var bounds: Rect
    /// The spinner; nil when it is not shown.
    public var activityIndicator: Rect?
    /// The title; nil when no room or no text is there.
    public var titleLabel: Rect?
    /// True when the title does not fit.
    public var isTruncated: Bool
    /// What the content would take if there were room.
    public var preferredSize: Size
    /// Where the view stands in its bar; nil without a `barWidth`.
    public var frameInBar: Rect?
    /// The families of the measured text, in the order of a CSS `font-family`; none for an empty text.
    public var fonts: [String]

    /// Frames with all their members.
    public init(
        bounds: Rect, activityIndicator: Rect?, titleLabel: Rect?, isTruncated: Bool, preferredSize: Size,
        frameInBar: Rect?, fonts: [String]
    ) {
        self.bounds = bounds
        self.activityIndicator = activityIndicator
        self.titleLabel = titleLabel
        self.isTruncated = isTruncated
        self.preferredSize = preferredSize
        self.frameInBar = frameInBar
        self.fonts = fonts
    }
}

/// What the left view of a search field shows.
public enum LeftViewContent: String, Sendable {
    case icon, activityIndicator
}

/// The frames of a search bar. Points, in the bar's space; nil frames are not drawn.
public struct SearchBarFrames: Equatable, Sendable {
    /// The bar itself: 0, 0, width, height.
    public var bounds: Rect
    /// The rounded field.
    public var field: Rect
    /// The icon's box; nil if the field is too narrow.
    public var leftView: Rect?
    /// What the left view shows.
    public var content: LeftViewContent
    /// The icon's configured name, whatever is shown.
    public var icon: String
    /// The spinner; nil when it is not shown.
    public var activityIndicator: Rect?
    /// Where text is typed; nil if its width is 0. The same whether anything is pending or not.
    public var textField: Rect?

    /// Frames with all their members.
    public init(
        bounds: Rect, field: Rect, leftView: Rect?, content: LeftViewContent, icon: String,
        activityIndicator: Rect?, textField: Rect?
    ) {
        self.bounds = bounds
        self.field = field
        self.leftView = leftView
        self.content = content
        self.icon = icon
        self.activityIndicator = activityIndicator
        self.textField = textField
    }
}

/// The frames of either indicator.
public enum IndicatorFrames: Equatable, Sendable {
    case navigationBar(NavigationBarFrames)
    case searchBar(SearchBarFrames)

    /// The indicator itself: 0, 0, width, height.
    public var bounds: Rect {
        switch self {
        case .navigationBar(let frames): frames.bounds
        case .searchBar(let frames): frames.bounds
        }
    }

    /// The frames of the indicator that `appearance` describes, as they are in `view`.
    ///
    /// Equal input gives equal output to the last bit, as long as `measurer` does so too. Values must lie
    /// within `Bounds`.
    ///
    /// - Parameters:
    ///   - isPending: whether the spinner is to be shown.
    ///   - title: the text that is now shown; a search bar shows none, and measures none.
    ///   - view: what this viewer overrides of `appearance`.
    ///   - measurer: asked once for a title that is not empty.
    public init(
        for appearance: Appearance, isPending: Bool, title: String, in view: ViewGeometry,
        measuredBy measurer: some TextMeasurer
    ) {
        switch appearance.kind {
        case .navigationBar:
            self = .navigationBar(
                NavigationBarLayout(appearance, title: title, in: view, measuredBy: measurer)
                    .frames(isPending: isPending))
        case .searchBar:
            self = .searchBar(SearchBarLayout(appearance, in: view).frames(isPending: isPending))
        }
    }
}
