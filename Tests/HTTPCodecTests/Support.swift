@testable import HTTPCodec

/// The bytes of `text`, as a header value or a part of a head.
func slice(_ text: String) -> ArraySlice<UInt8> { ArraySlice(text.utf8) }

/// `bytes` as text; bytes that are not ASCII become escapes.
func text(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { $0 < 128 ? String(UnicodeScalar($0)) : "\\x" + String($0, radix: 16) }.joined()
}

/// Everything that a parser answers, as one text, so that answers can be compared.
func description(of result: HeadParser.Result) -> String {
    switch result {
    case .needsMore: return "needs more"
    case .refused(let error): return "\(error.status) \(error)"
    case .head(let head, let consumed):
        let fields = head.fields.map { "\(text(head.bytes[$0.name]))=\(text(head.bytes[$0.value]))" }
        return """
            \(head.method) 1.\(head.minorVersion) \(text(head.target)) path \(text(head.path)) \
            query \(head.query.map(text) ?? "-") authority \(head.authority.map(text) ?? "-") \
            body \(head.bodyFraming) keeps \(head.keepsAlive) expects \(head.expectsContinue) \
            fields \(fields) consumed \(consumed)
            """
    }
}

/// What a new parser answers to `bytes` when they come in pieces that end at `cuts`.
func parse(_ bytes: [UInt8], cutAt cuts: [Int], limits: CodecLimits = CodecLimits()) -> HeadParser.Result {
    var parser = HeadParser(limits: limits)
    for cut in cuts {
        let result = bytes[..<cut].withUnsafeBytes { parser.parse($0) }
        guard case .needsMore = result else { return result }
    }
    return bytes.withUnsafeBytes { parser.parse($0) }
}

/// The head that `text` is; nil if it is refused or not complete.
func acceptedHead(_ text: String) -> RequestHead? {
    guard case .head(let head, _) = HeadParser.parse([UInt8](text.utf8)) else { return nil }
    return head
}

/// The status with which `bytes` are refused; nil if they are not.
func refusal(_ bytes: [UInt8], limits: CodecLimits = CodecLimits()) -> Int? {
    guard case .refused(let error) = HeadParser.parse(bytes, limits: limits) else { return nil }
    return error.status
}

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
