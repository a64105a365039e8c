/// A step along an outline, in points, y downwards.
enum PathStep: Equatable, Sendable {
    case move(Double, Double)
    case line(Double, Double)
    /// A cubic Bézier curve: two control points, then where it ends.
    case curve(Double, Double, Double, Double, Double, Double)
    case close
}

/// A colour as configurations write it: `#rrggbb` or `#rrggbbaa`.
struct PictureColor: Equatable, Sendable {
    /// 0…1 each.
    var red, green, blue, alpha: Double

    /// Nil when `text` is no such colour.
    init?(_ text: String) {
        let digits = text.utf8.dropFirst().map { UInt8(String(UnicodeScalar($0)), radix: 16) }
        guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6 || digits.count == 8 else { return nil }
        var channels: [Double] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            channels.append(Double(high << 4 | low) / 255)
        }
        (red, green, blue) = (channels[0], channels[1], channels[2])
        alpha = channels.count == 4 ? channels[3] : 1
    }

    init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// The same colour with `opacity` of its alpha.
    func faded(to opacity: Double) -> PictureColor {
        var faded = self
        faded.alpha *= opacity
        return faded
    }
}
