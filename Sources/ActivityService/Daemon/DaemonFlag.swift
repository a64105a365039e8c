import EventHTTP

/// One flag of the daemon: how it is written, what it says, and what it changes.
struct DaemonFlag {
    /// Why a value was refused: what is allowed, as the end of "… must be …".
    struct Refusal: Error {
        let allowed: String

        init(_ allowed: String) { self.allowed = allowed }
    }

    typealias Setter = (String, inout DaemonOptions) throws(Refusal) -> Void

    /// Without the dashes.
    let name: String
    /// What stands for the value in the help; nil for a switch, which has none.
    let placeholder: String?
    let help: String
    /// Whether it may be given several times.
    var isRepeatable = false
    /// Whether it can also be given as an environment variable.
    var hasVariable = true
    /// Forgets the default before the first value of a repeatable flag.
    var clear: (inout DaemonOptions) -> Void = { _ in }
    /// The default, as it would be written; nil if there is none.
    var standard: (DaemonOptions) -> String? = { _ in nil }
    /// Reads one value.
    let set: Setter

    /// As it is written on a command line.
    var option: String { "--\(name)" }

    /// The environment variable; nil if there is none.
    var variable: String? {
        guard hasVariable else { return nil }
        return "PENDING_" + name.uppercased().replacing("-", with: "_")
    }

    /// The values in the text of the variable.
    func values(inVariable text: String) -> [String] {
        guard isRepeatable else { return [text] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// Takes all values of the flag; `source` is what the user wrote: the flag or the variable.
    func apply(_ values: [String], to options: inout DaemonOptions, from source: String) throws(UsageError) {
        clear(&options)
        for value in values {
            do throws(Refusal) {
                try set(value, &options)
            } catch {
                throw UsageError("\(source) must be \(error.allowed), not \(UsageError.quoted(value))")
            }
        }
    }

    /// The flag's part of the help.
    func entry(_ defaults: DaemonOptions) -> String {
        let head = "  " + option + (placeholder.map { " " + $0 } ?? "")
        let notes = [isRepeatable ? "repeatable" : nil, standard(defaults).map { "default \($0)" }]
            .compactMap { $0 }
        let text = help + (notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))")
        return head + "\n" + Self.wrapped(text, indent: 6, width: 90)
    }

    private static func wrapped(_ text: String, indent: Int, width: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines = [margin]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.count + 1 + word.count > width {
                lines.append(margin + word)
            } else {
                lines[lines.count - 1] = last == margin ? margin + word : last + " " + word
            }
        }
        return lines.joined(separator: "\n")
    }
}

// MARK: - Kinds of flags

extension DaemonFlag {
    /// A whole number.
    static func number<Number: FixedWidthInteger>(
        _ name: String, _ path: WritableKeyPath<DaemonOptions, Number>, _ range: ClosedRange<Number>,
        _ help: String
    ) -> DaemonFlag {
        DaemonFlag(
            name: name, placeholder: "N", help: help, standard: { "\($0[keyPath: path])" },
            set: { text, options throws(Refusal) in
                options[keyPath: path] = try number(text, in: range)
            })
    }

    /// A time in seconds, with up to three decimals.
    static func seconds(
        _ name: String, _ path: WritableKeyPath<DaemonOptions, Double>, _ range: ClosedRange<Int>,
        _ help: String
    ) -> DaemonFlag {
        DaemonFlag(
            name: name, placeholder: "SECONDS", help: help,
            standard: { DecimalSeconds.text($0[keyPath: path]) },
            set: { text, options throws(Refusal) in
                options[keyPath: path] = Double(try milliseconds(text, in: range)) / 1_000
            })
    }

    /// A time in seconds, with up to three decimals.
    static func seconds(
        _ name: String, _ path: WritableKeyPath<DaemonOptions, Duration>, _ range: ClosedRange<Int>,
        _ help: String
    ) -> DaemonFlag {
        DaemonFlag(
            name: name, placeholder: "SECONDS", help: help,
            standard: { DecimalSeconds.text($0[keyPath: path] / .seconds(1)) },
            set: { text, options throws(Refusal) in
                options[keyPath: path] = .milliseconds(try milliseconds(text, in: range))
            })
    }

    /// Says yes. As a variable it is `true` or `false`.
    static func `switch`(
        _ name: String, _ path: WritableKeyPath<DaemonOptions, Bool>, _ help: String
    ) -> DaemonFlag {
        DaemonFlag(
            name: name, placeholder: nil, help: help,
            set: { text, options throws(Refusal) in
                guard let value = Bool(text) else { throw Refusal("true or false") }
                options[keyPath: path] = value
            })
    }

    /// Makes the process do something else than to serve.
    static func action(
        _ name: String, _ placeholder: String?, _ help: String,
        _ action: @escaping (String) throws(Refusal) -> DaemonOptions.Action
    ) -> DaemonFlag {
        DaemonFlag(
            name: name, placeholder: placeholder, help: help, hasVariable: false,
            set: { text, options throws(Refusal) in options.action = try action(text) })
    }

    /// The number that `text` is in digits.
    static func number<Number: FixedWidthInteger>(
        _ text: String, in range: ClosedRange<Number>
    ) throws(Refusal) -> Number {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Number(text),
            range.contains(number)
        else { throw Refusal("a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    private static func milliseconds(_ text: String, in range: ClosedRange<Int>) throws(Refusal) -> Int64 {
        guard let value = DecimalSeconds.milliseconds(text),
            (Int64(range.lowerBound) * 1_000...Int64(range.upperBound) * 1_000).contains(value)
        else { throw Refusal("seconds from \(range.lowerBound) to \(range.upperBound)") }
        return value
    }
}

/// Seconds as flags have them: `5`, `0.25`.
enum DecimalSeconds {
    /// The milliseconds that `text` says; nil unless it is digits with at most three decimals. At most 9 digits before
    /// the point.
    static func milliseconds(_ text: some StringProtocol) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), (1...9).contains(parts[0].utf8.count), isDigits(parts[0]) else {
            return nil
        }
        guard parts.count == 2 else { return Int64(parts[0]).map { $0 * 1_000 } }
        guard (1...3).contains(parts[1].utf8.count), isDigits(parts[1]) else { return nil }
        let zeros = String(repeating: "0", count: 3 - parts[1].utf8.count)
        return Int64("\(parts[0])\(parts[1])\(zeros)")
    }

    /// `seconds` without a fraction that says nothing.
    static func text(_ seconds: Double) -> String {
        let text = "\(seconds)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func isDigits(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
