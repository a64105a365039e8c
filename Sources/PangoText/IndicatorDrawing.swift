import IndicatorLayout

/// One thing that is drawn, in points of the view.
enum Mark: Equatable, Sendable {
    case fill([PathStep], PictureColor)
    /// A line with round ends.
    case stroke([PathStep], width: Double, PictureColor)
    case bitmap(Bitmap)
    /// Twelve spokes that turn clockwise.
    case spinner(Rect, PictureColor)
}

/// What an indicator looks like: marks from back to front, placed by its frames alone.
struct IndicatorDrawing {
    /// The system colours of iOS in light appearance, which search fields and spinners have.
    enum SystemColor {
        static let fieldFill = PictureColor(red: 118 / 255, green: 118 / 255, blue: 128 / 255, alpha: 0.12)
        static let fieldText = PictureColor(red: 60 / 255, green: 60 / 255, blue: 67 / 255, alpha: 0.6)
        static let spinner = PictureColor(red: 142 / 255, green: 142 / 255, blue: 147 / 255)
        static let white = PictureColor(red: 1, green: 1, blue: 1)
    }

    /// The corners of a search field, in points.
    private static let fieldRadius = 10.0

    let appearance: Appearance
    let title: String
    let view: ViewGeometry
    /// How fine glyphs are that have no outline.
    let pixelsPerPoint: Double
    let typesetter: PangoTypesetter

    /// The marks of the indicator with these frames.
    func marks(of frames: IndicatorFrames) -> [Mark] {
        switch frames {
        case .navigationBar(let frames): marks(of: frames)
        case .searchBar(let frames): marks(of: frames)
        }
    }

    private func marks(of frames: NavigationBarFrames) -> [Mark] {
        var marks: [Mark] = []
        if let label = frames.titleLabel {
            let color = PictureColor(appearance.titleColor) ?? SystemColor.fieldText
            let line = line(width: frames.isTruncated ? label.width : nil)
            marks += self.marks(of: line, in: label, color)
        }
        if let spinner = frames.activityIndicator { marks.append(.spinner(spinner, spinnerColor)) }
        return marks
    }

    private func marks(of frames: SearchBarFrames) -> [Mark] {
        var marks = [
            Mark.fill(.roundedRect(frames.field, radius: Self.fieldRadius), SystemColor.fieldFill)
        ]
        if let text = frames.textField {
            let line = line(width: text.width)
            let y = text.y + (text.height - line.height) / 2
            let box = Rect(x: text.x, y: y, width: text.width, height: line.height)
            marks += self.marks(of: line, in: box, SystemColor.fieldText)
        }
        if let box = frames.leftView, frames.content == .icon {
            marks += Self.magnifier(in: box, SystemColor.fieldText)
        }
        if let spinner = frames.activityIndicator { marks.append(.spinner(spinner, spinnerColor)) }
        return marks
    }

    /// The title in at most `width` points; empty where not even an ellipsis has room.
    private func line(width: Double?) -> SetLine {
        var font = appearance.titleFont
        font.size *= view.fontScale ?? 1
        let line = typesetter.line(of: title, in: font, width: width, pixelsPerPoint: pixelsPerPoint)
        guard let width, line.width > width + 1 / 1024 else { return line }
        return SetLine(width: 0, height: line.height)
    }

    private var spinnerColor: PictureColor {
        switch appearance.activityStyle {
        case .white, .whiteLarge: SystemColor.white
        case .gray, .medium, .large: SystemColor.spinner
        }
    }

    /// A line at the leading edge of its label.
    private func marks(of line: SetLine, in label: Rect, _ color: PictureColor) -> [Mark] {
        let direction = view.direction ?? appearance.direction
        let x = direction == .rtl ? label.maxX - line.width : label.x
        var marks = line.bitmaps.map { bitmap in
            var moved = bitmap
            moved.frame.x += x
            moved.frame.y += label.y
            return Mark.bitmap(moved)
        }
        if !line.outline.isEmpty { marks.insert(.fill(line.outline.moved(by: x, label.y), color), at: 0) }
        return marks
    }

    /// A lens with a handle, in the proportions of the system's icon.
    private static func magnifier(in box: Rect, _ color: PictureColor) -> [Mark] {
        let side = min(box.width, box.height)
        let (x, y) = (box.x + (box.width - side) / 2, box.y + (box.height - side) / 2)
        let width = side * 0.1
        let radius = side * 0.36
        let middle = side * 0.42
        let lens = [PathStep].circle(x + middle, y + middle, radius: radius)
        let start = middle + radius * 0.74
        let handle: [PathStep] = [
            .move(x + start, y + start), .line(x + side - width * 0.7, y + side - width * 0.7),
        ]
        return [.stroke(lens, width: width, color), .stroke(handle, width: width * 1.2, color)]
    }
}

/// The spokes of a spinner in a square of one unit, whose middle is the origin.
enum Spinner {
    static let count = 12
    static let inner = 0.25
    static let outer = 0.45
    static let width = 0.085

    /// How visible the spoke is that stands `index` places clockwise from the top: the brightest leads, and its
    /// trail fades behind it.
    static func opacity(_ index: Int) -> Double {
        let behind = (count - index) % count
        return max(0.25, 1 - Double(behind) * 0.085)
    }

    /// The spoke at the top.
    static let spoke: [PathStep] = [.move(0, -outer), .line(0, -inner)]
}

extension [PathStep] {
    /// How far the control points of a quarter of a circle are along its tangents.
    private static var roundness: Double { 0.552_284_75 }

    static func circle(_ x: Double, _ y: Double, radius: Double) -> [PathStep] {
        roundedRect(
            Rect(x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius), radius: radius)
    }

    static func roundedRect(_ rect: Rect, radius: Double) -> [PathStep] {
        let radius = Swift.min(radius, rect.width / 2, rect.height / 2)
        let near = radius * (1 - roundness)
        let (left, top, right, bottom) = (rect.x, rect.y, rect.maxX, rect.maxY)
        return [
            .move(left + radius, top), .line(right - radius, top),
            .curve(right - near, top, right, top + near, right, top + radius),
            .line(right, bottom - radius),
            .curve(right, bottom - near, right - near, bottom, right - radius, bottom),
            .line(left + radius, bottom),
            .curve(left + near, bottom, left, bottom - near, left, bottom - radius),
            .line(left, top + radius),
            .curve(left, top + near, left + near, top, left + radius, top), .close,
        ]
    }

    func scaled(by factor: Double) -> [PathStep] {
        map { step in
            switch step {
            case .move(let x, let y): .move(x * factor, y * factor)
            case .line(let x, let y): .line(x * factor, y * factor)
            case .curve(let a, let b, let c, let d, let x, let y):
                .curve(a * factor, b * factor, c * factor, d * factor, x * factor, y * factor)
            case .close: .close
            }
        }
    }

    func moved(by x: Double, _ y: Double) -> [PathStep] {
        map { step in
            switch step {
            case .move(let a, let b): .move(a + x, b + y)
            case .line(let a, let b): .line(a + x, b + y)
            case .curve(let a, let b, let c, let d, let e, let f):
                .curve(a + x, b + y, c + x, d + y, e + x, f + y)
            case .close: .close
            }
        }
    }
}
