/// The frames of a title view. Points, in the view's space; null frames are not drawn.
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
    /// The families of the measured text, in the order of a CSS `font-family`.
    public var fonts: [String]
}

/// What the left view of a search field shows.
public enum LeftViewContent: String, Sendable {
    case icon, activityIndicator
}

/// The frames of a search bar. Points, in the bar's space; null frames are not drawn.
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
    /// Where text is typed; nil if its width is 0.
    public var textField: Rect?
}

/// The frames of either indicator.
public enum IndicatorFrames: Equatable, Sendable {
    case navigationBar(NavigationBarFrames)
    case searchBar(SearchBarFrames)
}
