import IndicatorLayout
import Synchronization

/// Measures text with the fonts that are installed, as a browser sets it: shaped, kerned, not hinted.
///
/// May be shared by threads. A text is measured once, in some 20 µs, and then remembered; a remembered one
/// waits for no measurement.
public final class PangoTextMeasurer: TextMeasurer, Sendable {
    /// How the measurer's memory serves.
    public struct Statistics: Equatable, Sendable {
        /// How many texts were found in memory.
        public let hits: Int
        /// How many texts had to be measured.
        public let misses: Int
        /// How many texts are in memory now.
        public let texts: Int
    }

    // Whoever holds both locks took the typesetter's first.
    private let typesetter: Mutex<PangoTypesetter>
    private let cache: Mutex<MetricsCache>
    /// The faces with which it has measured.
    public let fonts = FontCatalog()

    /// A measurer that remembers at most `capacity` texts, at least 2.
    ///
    /// - Throws: `PangoTextError.noFont` when no font is installed.
    public init(capacity: Int = 4096) throws(PangoTextError) {
        typesetter = Mutex(try PangoTypesetter(fonts: fonts))
        cache = Mutex(MetricsCache(capacity: capacity))
    }

    /// The hits and misses since the start, and the number of texts in memory.
    public var statistics: Statistics {
        cache.withLock { Statistics(hits: $0.hits, misses: $0.misses, texts: $0.count) }
    }

    /// The unlimited size of `text` set in `font`, on one line; proportional to the font's size.
    ///
    /// An unknown family is replaced as fontconfig does it, characters that it lacks come from other fonts;
    /// `families` tells which. Lines longer than 16 000 em are beyond what Pango can count.
    public func metrics(of text: String, in font: TitleFont) -> TextMetrics {
        let key = MeasuredText(text: text, face: Face(family: font.family, weight: font.weight))
        return (remembered(key) ?? measured(key)).scaled(by: font.size / PangoTypesetter.size)
    }

    private func remembered(_ text: MeasuredText) -> TextMetrics? {
        cache.withLock { $0.metrics(of: text) }
    }

    private func measured(_ text: MeasuredText) -> TextMetrics {
        typesetter.withLock { typesetter in
            // Another thread may have measured it while this one waited for the typesetter.
            if let metrics = remembered(text) { return metrics }
            let metrics = typesetter.metrics(of: text.text, in: text.face)
            cache.withLock { $0.insert(metrics, for: text) }
            return metrics
        }
    }
}

extension TextMetrics {
    fileprivate func scaled(by factor: Double) -> TextMetrics {
        TextMetrics(width: width * factor, height: height * factor, families: families)
    }
}
