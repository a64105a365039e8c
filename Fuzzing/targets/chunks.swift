@testable import HTTPCodec

/// The chunked decoder: neither its answer nor the body may depend on where the bytes are cut, and the body keeps to
/// its limit. Input: one byte for the cut, the bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChunks(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    var input = Input(data, size)
    let cut = input.cut()
    let bytes = input.bytes
    let limits = CodecLimits(fieldCount: 4, bodySize: 100)
    var (body, sameBody): ([UInt8], [UInt8]) = ([], [])
    var decoder = BodyDecoder(framing: .chunked, limits: limits)
    let whole = withExactCopy(bytes) { decoder.decode($0, into: &body) }
    decoder = BodyDecoder(framing: .chunked, limits: limits)
    var pieces = withExactCopy(bytes[..<cut]) { decoder.decode($0, into: &sameBody) }
    if case .needsMore(let taken) = pieces {
        precondition(taken == cut, "A decoder that needs more has taken all.")
        switch withExactCopy(bytes[cut...], { decoder.decode($0, into: &sameBody) }) {
        case .needsMore(let consumed): pieces = .needsMore(consumed: cut + consumed)
        case .complete(let consumed): pieces = .complete(consumed: cut + consumed)
        case .refused(let error): pieces = .refused(error)
        }
    }
    precondition(whole == pieces, "The answer depends on the cut.")
    if case .refused = whole { return 0 }
    precondition(body == sameBody && body.count <= limits.bodySize)
    return 0
}
