import Glibc

/// One measured value.
struct Figure {
    let benchmark: String
    /// What was varied, such as "10000 subscribers".
    let variant: String
    let name: String
    let value: Double
    let unit: String
}

/// What was measured, as a table for people and as JSON for programs.
struct Report {
    private(set) var figures: [Figure] = []
    /// The load average (1 minute) when each benchmark began.
    private(set) var loads: [(benchmark: String, load: Double)] = []
    private var benchmark = ""

    /// The machine's load average over the last minute.
    static var load: Double {
        var loads = [0.0]
        getloadavg(&loads, 1)
        return loads[0]
    }

    mutating func begin(_ name: String) {
        benchmark = name
        loads.append((name, Self.load))
        print("\n\(name)   (load average \(Self.text(Self.load)))")
    }

    /// Takes a value, and prints it at once: a benchmark may take long.
    mutating func add(_ variant: String, _ name: String, _ value: Double, _ unit: String) {
        figures.append(
            Figure(benchmark: benchmark, variant: variant, name: name, value: value, unit: unit))
        print(
            "  \(Self.padded(variant, 34)) \(Self.padded(name, 34)) \(Self.leading(Self.text(value), 11)) \(unit)"
        )
        fflush(nil)
    }

    /// The median of the values that were taken under these names.
    func median(_ variant: String, _ name: String) -> Double {
        let same = figures.filter { $0.benchmark == benchmark && $0.variant == variant && $0.name == name }
        return Spread(same.map(\.value)).median
    }

    /// All of it as one JSON document.
    func json(isQuick: Bool) -> String {
        let loads = loads.map { "{\"benchmark\":\"\($0.benchmark)\",\"loadAverage\":\(Self.text($0.load))}" }
        let figures = figures.map {
            "{\"benchmark\":\"\($0.benchmark)\",\"variant\":\"\($0.variant)\",\"name\":\"\($0.name)\","
                + "\"value\":\(Self.text($0.value)),\"unit\":\"\($0.unit)\"}"
        }
        return "{\"isQuick\":\(isQuick),\"processors\":\(sysconf(Int32(_SC_NPROCESSORS_ONLN))),"
            + "\"benchmarks\":[\(loads.joined(separator: ","))],\n\"figures\":[\n"
            + figures.joined(separator: ",\n") + "\n]}\n"
    }

    /// `value` with three digits after the point below 10, fewer above.
    static func text(_ value: Double) -> String {
        let digits = value.magnitude < 10 ? 3 : value.magnitude < 1_000 ? 1 : 0
        let scale = [1, 10, 100, 1_000][digits]
        let units = Int((value * Double(scale)).rounded())
        guard digits > 0 else { return "\(units)" }
        let fraction = String(units.magnitude % UInt(scale))
        let zeros = String(repeating: "0", count: digits - fraction.utf8.count)
        return "\(units < 0 ? "-" : "")\(units.magnitude / UInt(scale)).\(zeros)\(fraction)"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
