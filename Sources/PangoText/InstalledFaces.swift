import CPango

/// Which installed face answers for the face that was asked for.
///
/// Pango is asked for faces that exist, and for few of them. It keeps 10 KiB for each that it was ever asked for, real or
/// not. It can be made to forget them, but looks each one up in threads of its own, which then work on what it has
/// forgotten: the process dies (1.50.12, `pango_fc_font_map_cache_clear` while `sort_in_thread` runs; the same where more
/// than 256 font sets are in use, of which it forgets the oldest). So nothing is ever forgotten, and the number is bounded.
struct InstalledFaces {
    /// The most faces that are told to Pango; for others the first one answers.
    static let limit = 200
    /// The most answers that are remembered; they cost a search of a millisecond each.
    private static let memory = 4_096

    private var answers: [Face: Face] = [:]
    private var faces: Set<Face> = []
    private var first: Face?

    /// The face that answers for `wished`.
    mutating func answer(to wished: Face) -> Face {
        if let known = answers[wished] { return known }
        var answer = Self.match(wished) ?? wished
        if !faces.contains(answer) {
            if faces.count < Self.limit { faces.insert(answer) } else { answer = first ?? answer }
        }
        if first == nil { first = answer }
        if answers.count >= Self.memory { answers = [:] }
        answers[wished] = answer
        return answer
    }

    /// What fontconfig finds, asked as Pango asks it.
    private static func match(_ face: Face) -> Face? {
        guard let pattern = FcPatternCreate() else { return nil }
        defer { FcPatternDestroy(pattern) }
        face.family.withCString { text in
            _ = text.withMemoryRebound(to: FcChar8.self, capacity: 1) {
                FcPatternAddString(pattern, FC_FAMILY, $0)
            }
        }
        FcPatternAddDouble(pattern, FC_WEIGHT, FcWeightFromOpenTypeDouble(Double(face.weight)))
        FcPatternAddInteger(pattern, FC_SLANT, FC_SLANT_ROMAN)
        FcPatternAddInteger(pattern, FC_WIDTH, FC_WIDTH_NORMAL)
        FcPatternAddDouble(pattern, FC_PIXEL_SIZE, PangoTypesetter.size)
        "en".withCString { text in
            _ = text.withMemoryRebound(to: FcChar8.self, capacity: 1) {
                FcPatternAddString(pattern, FC_LANG, $0)
            }
        }
        FcConfigSubstitute(nil, pattern, FcMatchPattern)
        FcDefaultSubstitute(pattern)
        var result = FcResultNoMatch
        guard let found = FcFontMatch(nil, pattern, &result) else { return nil }
        defer { FcPatternDestroy(found) }
        var family: UnsafeMutablePointer<FcChar8>?
        guard FcPatternGetString(found, FC_FAMILY, 0, &family) == FcResultMatch, let family else {
            return nil
        }
        return Face(family: String(cString: family), weight: FontPattern(found).weight)
    }
}
