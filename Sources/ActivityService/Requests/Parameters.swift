import ActivityCore
import HTTPCodec
import IndicatorLayout
import WireFormat

/// The query parameters of one request: decoded once, looked up by name, judged by type.
/// Unknown ones are ignored; a known one may stand once, but `id`.
struct Parameters {
    /// A value is nil when it is not percent-encoded UTF-8: a fault only of a parameter that someone asks for.
    private var pairs: [(name: String, value: String?)] = []

    init(_ query: ArraySlice<UInt8>?) {
        for parameter in QueryParameters(query) {
            guard let name = parameter.name else { continue }
            pairs.append((name, parameter.value))
        }
    }

    /// The value of `name`; nil when absent.
    func text(_ name: String) throws(Problem) -> String? {
        let values = try all(name)
        guard values.count <= 1 else { throw Problem.invalidParameter(name, "is given more than once") }
        return values.first
    }

    /// Every value of `name`, in order.
    func all(_ name: String) throws(Problem) -> [String] {
        var values: [String] = []
        for pair in pairs where pair.name == name {
            guard let value = pair.value else {
                throw Problem.invalidParameter(name, "is not percent-encoded UTF-8")
            }
            values.append(value)
        }
        return values
    }

    /// A plain decimal number in `range`.
    func number(_ name: String, in range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let text = try text(name) else { return nil }
        guard let number = Double(decimal: text), range.contains(number) else {
            throw Problem.invalidParameter(
                name, "must be a number from \(range.lowerBound.shortText) to \(range.upperBound.shortText)")
        }
        return number
    }

    /// One of the cases of `Choice`.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of _: Choice.Type
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.invalidParameter(name, "must be one of \(known)")
        }
        return choice
    }

    /// How many items a page may have: 1…200, 50 if not said; more is taken as 200.
    func limit() throws(Problem) -> Int {
        guard let text = try text("limit") else { return 50 }
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else {
            throw Problem.invalidParameter("limit", "must be a whole number from 1 on")
        }
        // A number too long for Int is certainly above 200, unless it is all zeros.
        let number = Int(text) ?? (text.utf8.contains { $0 != UInt8(ascii: "0") } ? 200 : 0)
        guard number >= 1 else { throw Problem.invalidParameter("limit", "must be a whole number from 1 on") }
        return min(number, 200)
    }

    /// What the viewer overrides of the configured geometry.
    func geometry() throws(Problem) -> ViewGeometry {
        var view = ViewGeometry()
        guard !pairs.isEmpty else { return view }
        view.width = try number("width", in: Bounds.side)
        view.height = try number("height", in: Bounds.side)
        view.scale = try number("scale", in: Bounds.scale)
        view.direction = try choice("direction", of: LayoutDirection.self)
        view.fontScale = try number("fontScale", in: Bounds.fontScale)
        view.barWidth = try number("barWidth", in: Bounds.side)
        view.leadingInset = try number("leadingInset", in: Bounds.side)
        view.trailingInset = try number("trailingInset", in: Bounds.side)
        return view
    }
}

extension Double {
    /// `text` as `[-]digits[.digits]`; nil for anything else, such as exponents, hex, `inf` and blanks.
    init?(decimal text: String) {
        var digits = 0
        var dots = 0
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits += 1
            case UInt8(ascii: ".") where digits > 0 && dots == 0: dots += 1
            case UInt8(ascii: "-") where index == 0: break
            default: return nil
            }
        }
        guard digits > 0, digits <= 32, text.utf8.last != UInt8(ascii: "."), let value = Double(text) else {
            return nil
        }
        self = value
    }

    /// Without a fraction of zero, for messages.
    fileprivate var shortText: String {
        rounded() == self && magnitude < 1e9 ? String(Int(self)) : String(self)
    }
}
