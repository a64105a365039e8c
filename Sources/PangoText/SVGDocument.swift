import IndicatorLayout

/// Writes an SVG document (https://www.w3.org/TR/SVG11/), mark by mark.
struct SVGDocument {
    /// One turn of the spinner, in seconds, and one for those who prefer reduced motion.
    private static let turn = "1s"
    private static let slowTurn = "8s"
    /// Shows the slow spinner in the place of the other one; by CSS, since only that knows what people prefer.
    static let style =
        "@media (prefers-reduced-motion:reduce){.fast{display:none}.slow{display:inline}}"

    private var text: [UInt8] = []

    init(bounds: Rect, name: String) {
        // A picture without a size would be as large as its place.
        let (width, height) = (max(bounds.width, 1), max(bounds.height, 1))
        write(#"<svg xmlns="http://www.w3.org/2000/svg" role="img" width=""#)
        write(width)
        write(#"" height=""#)
        write(height)
        write(#"" viewBox="0 0 "#)
        write(width)
        write(" ")
        write(height)
        write(#""><title>"#)
        escape(name)
        write("</title><style>\(Self.style)</style>")
    }

    func finished() -> [UInt8] { text + Array("</svg>\n".utf8) }

    mutating func add(_ mark: Mark) {
        switch mark {
        case .fill(let path, let color):
            write("<path")
            paint("fill", color)
            outline(path)
        case .stroke(let path, let width, let color):
            write(#"<path fill="none" stroke-linecap="round" stroke-width=""#)
            write(width)
            write("\"")
            paint("stroke", color)
            outline(path)
        case .bitmap(let bitmap): image(bitmap)
        case .spinner(let frame, let color): spinner(frame, color)
        }
    }

    private mutating func spinner(_ frame: Rect, _ color: PictureColor) {
        write(#"<g transform="translate("#)
        write(frame.x + frame.width / 2)
        write(" ")
        write(frame.y + frame.height / 2)
        write(") scale(")
        write(frame.width)
        write(#")"><defs><g id="s" fill="none" stroke-linecap="round" stroke-width=""#)
        write(Spinner.width)
        write("\"")
        paint("stroke", color)
        write(">")
        for index in 0..<Spinner.count {
            write(#"<path opacity=""#)
            write(Spinner.opacity(index))
            write("\" transform=\"rotate(\(index * 360 / Spinner.count))\"")
            outline(Spinner.spoke)
        }
        write("</g></defs>")
        turning("fast", Self.turn, isShown: true)
        turning("slow", Self.slowTurn, isShown: false)
        write("</g>")
    }

    private mutating func turning(_ kind: String, _ duration: String, isShown: Bool) {
        let angles = (0..<Spinner.count).map { "\($0 * 360 / Spinner.count)" }.joined(separator: ";")
        write(
            "<g class=\"\(kind)\"\(isShown ? "" : " display=\"none\"")><animateTransform attributeName=\"transform\""
        )
        write(" type=\"rotate\" calcMode=\"discrete\" values=\"\(angles)\" dur=\"\(duration)\"")
        write(" repeatCount=\"indefinite\"/><use href=\"#s\"/></g>")
    }

    private mutating func image(_ bitmap: Bitmap) {
        write(#"<image x=""#)
        write(bitmap.frame.x)
        write(#"" y=""#)
        write(bitmap.frame.y)
        write(#"" width=""#)
        write(bitmap.frame.width)
        write(#"" height=""#)
        write(bitmap.frame.height)
        write(#"" preserveAspectRatio="none" href="data:image/png;base64,"#)
        text += Base64.encode(bitmap.png)
        write(#""/>"#)
    }

    private mutating func paint(_ property: StaticString, _ color: PictureColor) {
        func channel(_ value: Double) -> Int { Int((value * 255).rounded()) }
        write(" \(property)=\"rgb(\(channel(color.red)),\(channel(color.green)),\(channel(color.blue)))\"")
        guard color.alpha < 1 else { return }
        write(" \(property)-opacity=\"")
        write(color.alpha)
        write("\"")
    }

    /// The attribute `d`, and the end of the element.
    private mutating func outline(_ path: [PathStep]) {
        write(#" d=""#)
        for step in path {
            switch step {
            case .move(let x, let y): command("M", x, y)
            case .line(let x, let y): command("L", x, y)
            case .curve(let x1, let y1, let x2, let y2, let x, let y): command("C", x1, y1, x2, y2, x, y)
            case .close: write("Z")
            }
        }
        write(#""/>"#)
    }

    private mutating func command(_ letter: StaticString, _ numbers: Double...) {
        write("\(letter)")
        for (index, number) in numbers.enumerated() {
            if index > 0 { write(" ") }
            write(number)
        }
    }

    /// A number to the thousandth.
    private mutating func write(_ number: Double) {
        var rest = Int64((number * 1_000).rounded())
        if rest < 0 {
            write("-")
            rest = -rest
        }
        write("\(rest / 1_000)")
        guard rest % 1_000 != 0 else { return }
        let digits = "\(1_000 + rest % 1_000)".dropFirst()
        write("." + digits[...(digits.lastIndex { $0 != "0" } ?? digits.startIndex)])
    }

    private mutating func write(_ text: some StringProtocol) { self.text += Array(text.utf8) }

    private mutating func escape(_ foreign: String) {
        for scalar in foreign.unicodeScalars {
            switch scalar {
            case "&": write("&amp;")
            case "<": write("&lt;")
            case ">": write("&gt;")
            // What XML 1.0 cannot say, not even by a number (https://www.w3.org/TR/xml/#charsets): one of it, and
            // nobody would show the picture.
            case "\0"..<"\t", "\u{B}", "\u{C}", "\u{E}"..<" ", "\u{FFFE}", "\u{FFFF}": write("\u{FFFD}")
            // A parser would turn it into a line feed.
            case "\r": write("&#13;")
            default: write(String(scalar))
            }
        }
    }
}

/// Base64 (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let number = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                text.append(
                    place <= group.count
                        ? alphabet[Int(number >> UInt32(18 - 6 * place)) & 63] : UInt8(ascii: "="))
            }
        }
        return text
    }
}
