// The entry point of libFuzzer for HTTPCodec, compiled together with its sources by scripts/fuzz-codec.
// Input: one byte that chooses what is fuzzed, one that says where the rest is cut, the rest.

/// Fails where a parser reads the same bytes differently when they come in two pieces, or breaks a promise.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPCodec(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 2 else { return 0 }
    let bytes = [UInt8](UnsafeBufferPointer(start: data + 2, count: size - 2))
    let cut = Int(data[1]) % bytes.count
    switch data[0] % 4 {
    case 0: fuzzHead(bytes, cut, CodecLimits())
    case 1: fuzzHead(bytes, cut, CodecLimits(headSize: 150, fieldCount: 4, targetSize: 40, bodySize: 20))
    case 2: fuzzChunks(bytes, cut, CodecLimits(fieldCount: 4, bodySize: 100))
    default: fuzzValues(bytes[...], cut)
    }
    return 0
}

/// Calls `body` with a copy of `bytes` that ends where its memory ends, so that reading beyond is found.
private func withExactCopy<Answer>(
    _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Answer
) -> Answer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return body(UnsafeRawBufferPointer(copy))
}

private func fuzzHead(_ bytes: [UInt8], _ cut: Int, _ limits: CodecLimits) {
    var parser = HeadParser(limits: limits)
    let whole = withExactCopy(bytes) { parser.parse($0) }
    parser.reset()
    var pieces = withExactCopy(bytes[..<cut]) { parser.parse($0) }
    if case .needsMore = pieces { pieces = withExactCopy(bytes) { parser.parse($0) } }
    precondition(description(of: whole) == description(of: pieces), "The answer depends on the cut.")
    guard case .head(let head, let consumed) = whole else { return }
    precondition(consumed <= min(bytes.count, limits.headSize))
    precondition(
        head.path.first == Byte.slash || (head.method == .options && head.path.elementsEqual([Byte.asterisk]))
    )
    precondition(head.minorVersion == 0 || head.authority != nil)
    precondition(head.authority.map { HostField($0) != nil } != false)
    precondition(head.values(of: .host).count <= 1)
    precondition(head.values(of: .contentLength).count + head.values(of: .transferEncoding).count <= 1)
    for field in head.fields { fuzzValues(head.bytes[field.value], 0) }
}

private func description(of result: HeadParser.Result) -> String {
    guard case .head(let head, let consumed) = result else { return "\(result)" }
    let parts = [head.path, head.query ?? [], head.target, head.authority ?? []].map { [UInt8]($0) }
    return
        "\(head.method) \(head.minorVersion) \(head.bodyFraming) \(head.keepsAlive) \(head.expectsContinue) "
        + "\(parts) \(head.fields.count) \(consumed)"
}

private func fuzzChunks(_ bytes: [UInt8], _ cut: Int, _ limits: CodecLimits) {
    var (body, sameBody): ([UInt8], [UInt8]) = ([], [])
    var decoder = BodyDecoder(framing: .chunked, limits: limits)
    let whole = withExactCopy(bytes) { decoder.decode($0, into: &body) }
    decoder = BodyDecoder(framing: .chunked, limits: limits)
    var pieces = withExactCopy(bytes[..<cut]) { decoder.decode($0, into: &sameBody) }
    if case .needsMore = pieces {
        pieces = withExactCopy(bytes[cut...]) { decoder.decode($0, into: &sameBody) }
        switch pieces {
        case .needsMore(let consumed): pieces = .needsMore(consumed: cut + consumed)
        case .complete(let consumed): pieces = .complete(consumed: cut + consumed)
        case .refused: break
        }
    }
    precondition(whole == pieces, "The answer depends on the cut.")
    if case .refused = whole { return }
    precondition(body == sameBody && body.count <= limits.bodySize)
}

/// The rules of header values, targets and queries must end, and not trap, on any bytes.
private func fuzzValues(_ value: ArraySlice<UInt8>, _ cut: Int) {
    let types = ["application/json", "image/*", "a/b"].compactMap { MediaType($0) }
    _ = Accept([value]).best(among: types)
    _ = Prefer([value]).wait
    _ = EntityTags([value, value.dropFirst(cut)]).matchesStrongly(value)
    _ = EntityTags([value]).matchesWeakly(value)
    _ = HostField(value).map { $0.isLocalhost && $0.isNamed(value) }
    _ = Origin(value)
    _ = MediaType(value)
    _ = PercentDecoding.decodeText(value)
    for parameter in QueryParameters(value) { _ = (parameter.name, parameter.value) }
}
