import CJansson

/// A parsed JSON text. Owns jansson's tree and releases it; its nodes are valid as long as the document is.
///
/// jansson 2.14: `json_loadb` hands over a reference that `json_decref` gives back
/// (https://jansson.readthedocs.io/en/2.14/apiref.html#reference-count).
final class JSONDocument {
    /// The deepest nesting of arrays and objects that is read.
    static let maximumDepth = 16

    /// The value that the text is.
    let root: UnsafeMutablePointer<json_t>

    /// Parses `text`, which must be one JSON value of any type and nothing else, in UTF-8.
    ///
    /// Every number is read as a double: `3` and `3.0` are the same number, and an integer beyond 2^63 is one
    /// that is out of range, not a fault of syntax. Members named twice, lone surrogates and names with a NUL
    /// are refused. `\u0000` within a string is JSON: whether it may stand there is for ``TextRule`` to say.
    init(_ text: [UInt8]) throws(BodyError) {
        HashSeed.plant
        guard Self.isShallow(text) else {
            throw .invalidJSON(detail: "The body is nested more than \(Self.maximumDepth) levels deep.")
        }
        var error = json_error_t()
        let flags = Int(
            JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL)
        let loaded = text.withUnsafeBytes { buffer in
            json_loadb(buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, flags, &error)
        }
        guard let loaded else { throw .invalidJSON(detail: SyntaxFault(error).detail) }
        root = loaded
    }

    deinit { json_decref(root) }

    /// False when brackets outside of strings nest too deep. Asked before jansson builds the tree.
    private static func isShallow(_ text: [UInt8]) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in text {
            if isEscaped {
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString.toggle()
            case UInt8(ascii: "\\"): isEscaped = isInString
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard !isInString else { continue }
                depth += 1
                guard depth <= maximumDepth else { return false }
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isInString ? 0 : 1
            default: break
            }
        }
        return true
    }
}

/// The seed of jansson's hash tables: random, so that nobody can choose names that collide.
private enum HashSeed {
    /// Planted once, before the first object is made; jansson ignores later seeds.
    static let plant: Void = {
        json_object_seed(Int.random(in: .min ... .max))
    }()
}

/// jansson's error, told without the client's text, which jansson's own message quotes.
private struct SyntaxFault {
    let detail: String

    /// How jansson 2.14's messages start, and what we say instead.
    private static let reasons: [(start: String, text: String)] = [
        ("unable to decode byte", "it is not valid UTF-8"),
        ("invalid Unicode", "a \\u escape is a lone surrogate"),
        ("invalid escape", "a string has an escape that JSON does not know"),
        ("unexpected newline", "a string has a line break that is not escaped"),
        ("control character", "a string has a control character that is not escaped"),
        ("NUL byte in object key", "a member's name holds a NUL"),
        ("duplicate object key", "a member is named twice in one object"),
        ("real number overflow", "a number is too large"),
        ("end of file expected", "something follows the value"),
        ("premature end of input", "it ends too early"),
        ("string or '}' expected", "a member's name or } is expected"),
        ("':' expected", "a : is expected"),
        ("'}' expected", "a , or } is expected"),
        ("']' expected", "a , or ] is expected"),
    ]

    init(_ error: json_error_t) {
        let message = withUnsafeBytes(of: error.text) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let isCutShort =
            withUnsafePointer(to: error) { json_error_code($0) } == json_error_premature_end_of_input
        let reason =
            isCutShort
            ? "it ends too early"
            : Self.reasons.first { message.utf8.starts(with: $0.start.utf8) }?.text ?? "a value is expected"
        detail =
            "The body is not JSON as accepted here: \(reason) (near line \(error.line), column \(error.column))."
    }
}
