import CPango
import IndicatorLayout

/// One line of text as it is drawn, in points; the origin is the top left corner of its box.
struct SetLine: Equatable, Sendable {
    /// The size of its box.
    var width, height: Double
    /// The outlines of its glyphs, to be filled.
    var outline: [PathStep] = []
    /// Glyphs that are pictures, such as emoji.
    var bitmaps: [Bitmap] = []

    /// The same line in another size.
    func scaled(by factor: Double) -> SetLine {
        SetLine(
            width: width * factor, height: height * factor, outline: outline.scaled(by: factor),
            bitmaps: bitmaps.map { bitmap in
                let frame = bitmap.frame
                return Bitmap(
                    frame: Rect(
                        x: frame.x * factor, y: frame.y * factor, width: frame.width * factor,
                        height: frame.height * factor),
                    png: bitmap.png)
            })
    }
}

/// A small picture with a place.
struct Bitmap: Equatable, Sendable {
    /// Where it stands, in points.
    var frame: Rect
    /// The picture, with transparency.
    var png: [UInt8]
}

/// Turns a Pango layout of one line into outlines.
struct GlyphPen {
    /// Cairo keeps the points of a path in 1/256 of a pixel: so many pixels are a point here, that an outline may be
    /// enlarged.
    private static let precision = 32.0

    /// The most pixels of the pictures of a line, together.
    private static let mostPixels = 2_000_000.0

    let pixelsPerPoint: Double

    func line(of layout: OpaquePointer) -> SetLine {
        guard let lines = pango_layout_get_iter(layout) else { return SetLine(width: 0, height: 0) }
        defer { pango_layout_iter_free(lines) }
        var box = PangoRectangle()
        pango_layout_iter_get_line_extents(lines, nil, &box)
        let baseline = Double(pango_layout_iter_get_baseline(lines)).points
        var line = SetLine(width: Double(box.width).points, height: Double(box.height).points)
        repeat {
            guard let run = pango_layout_iter_get_run_readonly(lines) else { continue }
            var extents = PangoRectangle()
            pango_layout_iter_get_run_extents(lines, nil, &extents)
            // With a limited width the line's box need not begin at 0.
            add(run, at: Double(extents.x - box.x).points, baseline, to: &line)
        } while pango_layout_iter_next_run(lines) != 0
        return line
    }

    private func add(
        _ run: UnsafeMutablePointer<PangoLayoutRun>, at x: Double, _ baseline: Double, to line: inout SetLine
    ) {
        guard let font = run.pointee.item.pointee.analysis.font, let glyphs = run.pointee.glyphs else {
            return
        }
        // Not by what cairo answers: it would trace the pixels of a picture, which takes minutes and gigabytes.
        if FontPattern(of: font)?.hasOutlines == true {
            line.outline += Self.outline(of: glyphs, font, at: x, baseline)
        } else if let bitmap = bitmap(of: glyphs, font, at: x, baseline, fineness: fineness(in: line)) {
            line.bitmaps.append(bitmap)
        }
    }

    /// The pixels per point of pictures in `line`: no more than make it as large as may be, whatever its font's size.
    private func fineness(in line: SetLine) -> Double {
        min(pixelsPerPoint, (Self.mostPixels / max(1, line.width * line.height)).squareRoot())
    }

    private static func outline(
        of glyphs: UnsafeMutablePointer<PangoGlyphString>, _ font: UnsafeMutablePointer<PangoFont>,
        at x: Double,
        _ baseline: Double
    ) -> [PathStep] {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)
        let cairo = cairo_create(surface)
        defer {
            cairo_destroy(cairo)
            cairo_surface_destroy(surface)
        }
        cairo_scale(cairo, precision, precision)
        cairo_move_to(cairo, x, baseline)
        pango_cairo_glyph_string_path(cairo, font, glyphs)
        guard let path = cairo_copy_path(cairo) else { return [] }
        defer { cairo_path_destroy(path) }
        return steps(of: path.pointee)
    }

    private static func steps(of path: cairo_path_t) -> [PathStep] {
        var steps: [PathStep] = []
        var index = 0
        while index < Int(path.num_data), let data = path.data {
            let header = data[index].header
            func point(_ number: Int) -> (Double, Double) {
                (data[index + number].point.x, data[index + number].point.y)
            }
            switch header.type {
            case CAIRO_PATH_MOVE_TO:
                // Moves draw nothing but by what follows: where the line begins, and after each closed outline.
                if case .move = steps.last { steps.removeLast() }
                steps.append(.move(point(1).0, point(1).1))
            case CAIRO_PATH_LINE_TO: steps.append(.line(point(1).0, point(1).1))
            case CAIRO_PATH_CURVE_TO:
                steps.append(
                    .curve(point(1).0, point(1).1, point(2).0, point(2).1, point(3).0, point(3).1))
            default: steps.append(.close)
            }
            index += Int(header.length)
        }
        if case .move = steps.last { steps.removeLast() }
        return steps
    }

    private func bitmap(
        of glyphs: UnsafeMutablePointer<PangoGlyphString>, _ font: UnsafeMutablePointer<PangoFont>,
        at x: Double,
        _ baseline: Double, fineness: Double
    ) -> Bitmap? {
        var ink = PangoRectangle()
        pango_glyph_string_extents(glyphs, font, &ink, nil)
        guard ink.width > 0, ink.height > 0 else { return nil }
        let frame = Rect(
            x: x + Double(ink.x).points, y: baseline + Double(ink.y).points, width: Double(ink.width).points,
            height: Double(ink.height).points)
        guard
            let canvas = Canvas(
                width: (frame.width * fineness).rounded(.up),
                height: (frame.height * fineness).rounded(.up))
        else { return nil }
        cairo_scale(canvas.cairo, fineness, fineness)
        cairo_move_to(canvas.cairo, x - frame.x, baseline - frame.y)
        pango_cairo_show_glyph_string(canvas.cairo, font, glyphs)
        return Bitmap(frame: frame, png: canvas.png)
    }
}

extension Double {
    /// Pango's units as points.
    fileprivate var points: Double { self / Double(PANGO_SCALE) }
}
