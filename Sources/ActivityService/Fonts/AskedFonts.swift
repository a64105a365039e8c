import EventHTTP
import IndicatorLayout

/// The fonts that configurations have asked for, so that the log tells once of each which font answers.
struct AskedFonts {
    private struct Font: Hashable {
        let family: String
        let weight: Int
    }

    /// The most of which the log tells.
    private static let most = 1_000

    private let painter: Mailbox<PainterMessage>
    private var told: Set<Font> = []

    init(painter: Mailbox<PainterMessage>) { self.painter = painter }

    /// A configuration asks for `font`.
    mutating func note(_ font: TitleFont) {
        guard told.count < Self.most else { return }
        let isNew = told.insert(Font(family: font.family, weight: font.weight)).inserted
        if isNew { painter.send(.tell(font)) }
    }
}
