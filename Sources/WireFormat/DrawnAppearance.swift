import IndicatorLayout

/// What a client that draws an indicator itself needs beside its frames.
public struct DrawnAppearance: Sendable {
    /// A font file that the text was measured with.
    public struct Font: Sendable {
        /// The family's name, as `layout.fonts` has it.
        public let family: String
        /// Its weights, as CSS says it: `600`, or `100 900`.
        public let weight: String
        /// The path of the file's URL.
        public let source: String

        /// A font of `family` at `source`.
        public init(family: String, weight: String, source: String) {
            self.family = family
            self.weight = weight
            self.source = source
        }
    }

    /// The reading direction.
    public let direction: LayoutDirection
    /// The spinner's style.
    public let activityStyle: ActivityStyle
    /// The title's colour, `#rrggbb` or `#rrggbbaa`.
    public let titleColor: String
    /// The title's font, in the size in which it was measured.
    public let titleFont: TitleFont
    /// The files that answer for the title's characters.
    public let fonts: [Font]

    /// An appearance with all its members.
    public init(
        direction: LayoutDirection, activityStyle: ActivityStyle, titleColor: String, titleFont: TitleFont,
        fonts: [Font]
    ) {
        self.direction = direction
        self.activityStyle = activityStyle
        self.titleColor = titleColor
        self.titleFont = titleFont
        self.fonts = fonts
    }
}

extension JSONWriter {
    /// Appends the member `appearance`.
    mutating func drawing(_ drawing: DrawnAppearance) {
        literal(#","appearance":{"direction":"#)
        name(drawing.direction.rawValue)
        literal(#","activityStyle":"#)
        name(drawing.activityStyle.rawValue)
        literal(#","titleColor":"#)
        name(drawing.titleColor)
        literal(",")
        titleFont(drawing.titleFont)
        literal(#","fonts":"#)
        array(drawing.fonts) { writer, font in
            writer.literal(#"{"family":"#)
            writer.string(font.family)
            writer.literal(#","weight":"#)
            writer.name(font.weight)
            writer.literal(#","src":"#)
            writer.string(font.source)
            writer.literal("}")
        }
        literal("}")
    }
}
