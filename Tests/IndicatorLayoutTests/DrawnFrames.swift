import IndicatorLayout

/// What both indicators have in common.
struct DrawnFrames: Equatable {
    let bounds: Rect
    let spinner: Rect?
    let text: Rect?
    /// Everything inside the bounds that is drawn.
    let content: [Rect]
    let inBar: Rect?

    var all: [Rect] { [bounds] + content + [inBar].compactMap { $0 } }
}

extension NavigationBarFrames {
    var content: [Rect] { [activityIndicator, titleLabel].compactMap { $0 } }
}

extension RandomLayout {
    func frames() throws -> DrawnFrames {
        switch appearance.kind {
        case .navigationBar:
            let frames = try titleFrames(appearance, isPending, in: view, text: text)
            return DrawnFrames(
                bounds: frames.bounds, spinner: frames.activityIndicator, text: frames.titleLabel,
                content: frames.content, inBar: frames.frameInBar)
        case .searchBar:
            let frames = try searchFrames(appearance, isPending, in: view)
            return DrawnFrames(
                bounds: frames.bounds, spinner: frames.activityIndicator, text: frames.textField,
                content: [frames.field, frames.leftView, frames.activityIndicator, frames.textField]
                    .compactMap { $0 },
                inBar: nil)
        }
    }
}
