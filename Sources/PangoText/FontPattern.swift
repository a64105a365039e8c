import CPango

/// What fontconfig knows about a font that Pango has chosen. Valid as long as the font.
struct FontPattern {
    private let pattern: OpaquePointer

    /// What `pattern` says; valid as long as that.
    init(_ pattern: OpaquePointer) { self.pattern = pattern }

    /// Nil for a font that fontconfig has not found.
    init?(of font: UnsafeMutablePointer<PangoFont>) {
        let font = UnsafeMutableRawPointer(font).assumingMemoryBound(to: PangoFcFont.self)
        guard let pattern = pango_fc_font_get_pattern(font) else { return nil }
        self.pattern = pattern
    }

    /// True when its glyphs are outlines of one colour; else each is a picture.
    var hasOutlines: Bool { isTrue(FC_OUTLINE) && !isTrue(FC_COLOR) }

    /// Where the font is; nil when it is in no file.
    var place: FontPlace? {
        var path: UnsafeMutablePointer<FcChar8>?
        guard FcPatternGetString(pattern, FC_FILE, 0, &path) == FcResultMatch, let path else { return nil }
        var index: Int32 = 0
        FcPatternGetInteger(pattern, FC_INDEX, 0, &index)
        // The upper half says which instance of a variable font it is.
        return FontPlace(path: String(cString: path), index: Int(index & 0xFFFF))
    }

    /// The CSS weight, 1…1000; 400 when it has none.
    var weight: Int {
        var weight = 0.0
        guard FcPatternGetDouble(pattern, FC_WEIGHT, 0, &weight) == FcResultMatch else { return 400 }
        return Int(min(max(FcWeightToOpenTypeDouble(weight).rounded(), 1), 1000))
    }

    private func isTrue(_ property: String) -> Bool {
        var value: FcBool = 0
        return FcPatternGetBool(pattern, property, 0, &value) == FcResultMatch && value == FcTrue
    }
}
