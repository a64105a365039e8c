import CPango

/// A picture in memory, with transparency, on which cairo draws.
final class Canvas {
    let cairo: OpaquePointer
    private let surface: OpaquePointer

    /// A transparent picture of at least one pixel; nil when it is too large for cairo.
    init?(width: Double, height: Double) {
        guard width <= 32_767, height <= 32_767 else { return nil }
        surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(max(1, width)), Int32(max(1, height)))
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(surface)
            return nil
        }
        cairo = cairo_create(surface)
    }

    deinit {
        cairo_destroy(cairo)
        cairo_surface_destroy(surface)
    }

    /// The picture as a PNG file.
    var png: [UInt8] {
        var file: [UInt8] = []
        withUnsafeMutablePointer(to: &file) { file in
            _ = cairo_surface_write_to_png_stream(surface, appendToFile, file)
        }
        return file
    }

    func fill(_ path: [PathStep], _ color: PictureColor) {
        trace(path)
        use(color)
        cairo_fill(cairo)
    }

    /// Draws the path as a line with round ends.
    func stroke(_ path: [PathStep], width: Double, _ color: PictureColor) {
        trace(path)
        use(color)
        cairo_set_line_width(cairo, width)
        cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
        cairo_stroke(cairo)
    }

    func draw(_ bitmap: Bitmap) {
        var rest = bitmap.png[...]
        let image = withUnsafeMutablePointer(to: &rest) {
            cairo_image_surface_create_from_png_stream(readFromFile, $0)
        }
        defer { cairo_surface_destroy(image) }
        let (width, height) = (cairo_image_surface_get_width(image), cairo_image_surface_get_height(image))
        guard cairo_surface_status(image) == CAIRO_STATUS_SUCCESS, width > 0, height > 0 else { return }
        cairo_save(cairo)
        cairo_translate(cairo, bitmap.frame.x, bitmap.frame.y)
        cairo_scale(cairo, bitmap.frame.width / Double(width), bitmap.frame.height / Double(height))
        cairo_set_source_surface(cairo, image, 0, 0)
        cairo_paint(cairo)
        cairo_restore(cairo)
    }

    private func use(_ color: PictureColor) {
        cairo_set_source_rgba(cairo, color.red, color.green, color.blue, color.alpha)
    }

    private func trace(_ path: [PathStep]) {
        cairo_new_path(cairo)
        for step in path {
            switch step {
            case .move(let x, let y): cairo_move_to(cairo, x, y)
            case .line(let x, let y): cairo_line_to(cairo, x, y)
            case .curve(let x1, let y1, let x2, let y2, let x, let y):
                cairo_curve_to(cairo, x1, y1, x2, y2, x, y)
            case .close: cairo_close_path(cairo)
            }
        }
    }
}

private func appendToFile(
    _ file: UnsafeMutableRawPointer?, _ bytes: UnsafePointer<UInt8>?, _ count: UInt32
) -> cairo_status_t {
    file?.assumingMemoryBound(to: [UInt8].self).pointee
        .append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
    return CAIRO_STATUS_SUCCESS
}

private func readFromFile(
    _ file: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: UInt32
) -> cairo_status_t {
    guard let rest = file?.assumingMemoryBound(to: ArraySlice<UInt8>.self), let bytes,
        rest.pointee.count >= Int(count)
    else { return CAIRO_STATUS_READ_ERROR }
    for index in 0..<Int(count) { bytes[index] = rest.pointee.removeFirst() }
    return CAIRO_STATUS_SUCCESS
}
