import CPango

/// Where browsers set text otherwise than Pango does by itself: they are to draw it in the width that was measured.
/// Compared with Chromium by Tests/system/web_drawing.py.
extension PangoTypesetter {
    /// Sets `text` with the font that was chosen, and its spaces as browsers set them.
    ///
    /// Pango takes a space from the font beside it, a browser from the first font of the list. So spaces beside other
    /// fonts are set apart by an attribute that says nothing new; the font of a space that stands alone is the first one.
    func set(_ text: String) {
        pango_layout_set_attributes(layout, nil)
        pango_layout_set_text(layout, text, -1)
        let spaces = spacesOfOtherFonts(in: Array(text.utf8))
        guard !spaces.isEmpty, let attributes = pango_attr_list_new() else { return }
        for index in spaces {
            guard let attribute = pango_attr_language_new(pango_context_get_language(context)) else {
                continue
            }
            attribute.pointee.start_index = UInt32(index)
            attribute.pointee.end_index = UInt32(index + 1)
            pango_attr_list_insert(attributes, attribute)
        }
        pango_layout_set_attributes(layout, attributes)
        pango_attr_list_unref(attributes)
    }

    /// The places of the spaces in runs whose font is not that of a space alone.
    private func spacesOfOtherFonts(in text: [UInt8]) -> [Int] {
        guard text.contains(UInt8(ascii: " ")),
            let first = pango_font_map_load_font(fontMap, context, description)
        else { return [] }
        defer { g_object_unref(first) }
        var places: [Int] = []
        forEachRun { run, font in
            guard font != first else { return }
            let item = run.item.pointee
            let range = Int(item.offset)..<Int(item.offset + item.length)
            places += range.filter { text.indices.contains($0) && text[$0] == UInt8(ascii: " ") }
        }
        return places
    }

    /// By how much a browser's line is wider. Where glyphs are pictures, it advances by the picture's width, Pango by
    /// what the font says of outlines that it does not have: in Noto Color Emoji 0.3 % of an em less.
    var widening: Double {
        var widening = 0.0
        forEachRun { run, font in
            guard let pattern = FontPattern(of: font), !pattern.hasOutlines, let glyphs = run.glyphs,
                let regular = regular(font)
            else { return }
            defer { g_object_unref(regular) }
            let scaled = pango_cairo_font_get_scaled_font(OpaquePointer(regular))
            let all = UnsafeBufferPointer(start: glyphs.pointee.glyphs, count: Int(glyphs.pointee.num_glyphs))
            for glyph in all {
                var one = cairo_glyph_t(index: UInt(glyph.glyph), x: 0, y: 0)
                var extents = cairo_text_extents_t()
                cairo_scaled_font_glyph_extents(scaled, &one, 1, &extents)
                widening += extents.x_advance - Double(glyph.geometry.width) / Double(PANGO_SCALE)
            }
        }
        return widening
    }

    /// The same font in its regular weight, at `size`: cairo makes pictures a little wider when they are to be bold, browsers do not.
    private func regular(_ font: UnsafeMutablePointer<PangoFont>) -> UnsafeMutablePointer<PangoFont>? {
        guard let description = pango_font_describe(font) else { return nil }
        defer { pango_font_description_free(description) }
        pango_font_description_set_weight(description, PANGO_WEIGHT_NORMAL)
        // Not its own, which is that of the pictures.
        pango_font_description_set_absolute_size(description, Self.size * Double(PANGO_SCALE))
        return pango_font_map_load_font(fontMap, context, description)
    }

    func forEachRun(_ act: (PangoLayoutRun, UnsafeMutablePointer<PangoFont>) -> Void) {
        var next = pango_layout_get_line_readonly(layout, 0)?.pointee.runs
        while let node = next {
            next = node.pointee.next
            let run = node.pointee.data?.assumingMemoryBound(to: PangoLayoutRun.self)
            guard let run = run?.pointee, let font = run.item.pointee.analysis.font else { continue }
            act(run, font)
        }
    }
}
