import CPango
import IndicatorLayout

/// Sets lines of text with Pango, without hinting, and says how large they are.
///
/// Owns a font map, a context and one layout that serves all lines. Pango is safe as long as a font map and
/// what is made from it serve one thread at a time, which is why its default one is
/// [per thread](https://docs.gtk.org/PangoCairo/type_func.FontMap.get_default.html). So this type is
/// deliberately not `Sendable`.
final class PangoTypesetter {
    /// The size in points at which everything is set, to be scaled afterwards.
    ///
    /// Pango counts in 1/1024 of a point: here that is 8 millionths of an em, and a line may be 16 000 em
    /// long before an `Int32` overflows.
    static let size = 128.0

    let fontMap: UnsafeMutablePointer<PangoFontMap>
    let context: OpaquePointer
    let layout: OpaquePointer
    let description: OpaquePointer
    private let fonts: FontCatalog
    private var installed = InstalledFaces()

    /// - Parameter fonts: where it notes the faces with which it measures.
    /// - Throws: `.noFont` when fontconfig finds none; Pango would then invent sizes.
    init(fonts: FontCatalog = FontCatalog()) throws(PangoTextError) {
        guard let fontMap = pango_cairo_font_map_new(),
            let context = pango_font_map_create_context(fontMap),
            let layout = pango_layout_new(context),
            let description = pango_font_description_new()
        else { preconditionFailure("GLib ends the process rather than return nil for want of memory") }
        self.fontMap = fontMap
        self.context = context
        self.layout = layout
        self.description = description
        self.fonts = fonts
        // One point is one unit of a font's size, as a CSS pixel is in a browser.
        pango_cairo_font_map_set_resolution(OpaquePointer(fontMap), 72)
        pango_context_set_language(context, pango_language_from_string("en"))
        measureUnhinted()
        // Shows a line break as a sign instead of breaking the line.
        pango_layout_set_single_paragraph_mode(layout, gboolean(1))
        try requireFont()
    }

    deinit {
        pango_font_description_free(description)
        g_object_unref(UnsafeMutableRawPointer(layout))
        g_object_unref(UnsafeMutableRawPointer(context))
        g_object_unref(fontMap)
    }

    /// The size of `text` on one line, at `PangoTypesetter.size` points.
    func metrics(of text: String, in face: Face) -> TextMetrics {
        choose(face)
        set(text)
        var extents = PangoRectangle()
        pango_layout_get_extents(layout, nil, &extents)
        return TextMetrics(
            width: Double(extents.width) / Double(PANGO_SCALE) + widening,
            height: Double(extents.height) / Double(PANGO_SCALE), families: families(configured: face))
    }

    /// `text` on one line, as outlines and pictures of glyphs whose origin is the line's top left corner.
    ///
    /// - Parameters:
    ///   - width: what the line may take, in points; a longer one ends in an ellipsis. Nil for no limit.
    ///   - pixelsPerPoint: how fine glyphs are that have no outline, such as emoji.
    func line(of text: String, in font: TitleFont, width: Double?, pixelsPerPoint: Double) -> SetLine {
        let scale = font.size / Self.size
        choose(Face(family: font.family, weight: font.weight))
        pango_layout_set_ellipsize(layout, width == nil ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END)
        pango_layout_set_width(
            layout, width.map { Int32(clamping: Int($0 / scale * Double(PANGO_SCALE))) } ?? -1)
        set(text)
        defer {
            pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE)
            pango_layout_set_width(layout, -1)
        }
        return GlyphPen(pixelsPerPoint: pixelsPerPoint * scale).line(of: layout).scaled(by: scale)
    }

    /// The family and the file's path of the font that answers for `face`; nil when it is in no file.
    func answer(to face: Face) -> (family: String, path: String)? {
        choose(face)
        guard let font = pango_font_map_load_font(fontMap, context, description) else { return nil }
        defer { g_object_unref(font) }
        guard let family = Self.family(of: font), let place = FontPattern(of: font)?.place else { return nil }
        return (family, place.path)
    }

    private func choose(_ face: Face) {
        let face = installed.answer(to: face)
        pango_font_description_set_family(description, face.family)
        pango_font_description_set_weight(description, PangoWeight(rawValue: UInt32(clamping: face.weight)))
        pango_font_description_set_absolute_size(description, Self.size * Double(PANGO_SCALE))
        pango_layout_set_font_description(layout, description)
    }

    /// Makes widths linear in the font's size: neither glyphs nor metrics are fitted to pixels.
    private func measureUnhinted() {
        let options = cairo_font_options_create()
        cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
        cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
        pango_cairo_context_set_font_options(context, options)
        cairo_font_options_destroy(options)
        pango_context_set_round_glyph_positions(context, gboolean(0))
    }

    private func requireFont() throws(PangoTextError) {
        guard let font = pango_font_map_load_font(fontMap, context, description) else { throw .noFont }
        g_object_unref(font)
    }

    /// The families of the line that was set last, from left to right, but the configured one first. Its faces are in
    /// the catalog afterwards.
    private func families(configured face: Face) -> [String] {
        var families: [String] = []
        forEachRun { _, font in
            guard let family = Self.family(of: font) else { return }
            if let pattern = FontPattern(of: font) { fonts.note(pattern, of: family, for: face.weight) }
            guard !families.contains(family) else { return }
            // Fontconfig finds "inter" too, and answers with the name that the font gives itself.
            if family.lowercased() == face.family.lowercased() {
                families.insert(family, at: 0)
            } else {
                families.append(family)
            }
        }
        return families
    }

    private static func family(of font: UnsafeMutablePointer<PangoFont>) -> String? {
        guard let description = pango_font_describe(font) else { return nil }
        defer { pango_font_description_free(description) }
        return pango_font_description_get_family(description).map { String(cString: $0) }
    }
}
