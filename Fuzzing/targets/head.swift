@testable import HTTPCodec

/// The head parser: the answer must not depend on where the bytes are cut, and what is accepted keeps the promises
/// that the service builds on. Input: one byte for the limits, one for the cut, the bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHead(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    var input = Input(data, size)
    let small = CodecLimits(headSize: 150, fieldCount: 4, targetSize: 40, bodySize: 20)
    let limits = input.byte() % 4 == 0 ? small : CodecLimits()
    let cut = input.cut()
    let bytes = input.bytes
    var parser = HeadParser(limits: limits)
    let whole = withExactCopy(bytes) { parser.parse($0) }
    parser.reset()
    var pieces = withExactCopy(bytes[..<cut]) { parser.parse($0) }
    if case .needsMore = pieces { pieces = withExactCopy(bytes) { parser.parse($0) } }
    precondition(description(of: whole) == description(of: pieces), "The answer depends on the cut.")
    if case .head(let head, let consumed) = whole {
        precondition(consumed <= min(bytes.count, limits.headSize))
        check(head)
    }
    return 0
}

private func check(_ head: RequestHead) {
    let isServer = head.method == .options && head.path.elementsEqual([Byte.asterisk])
    precondition(head.path.first == Byte.slash || isServer)
    precondition(head.minorVersion == 0 || head.authority != nil)
    precondition(head.authority.map { HostField($0) != nil } != false)
    precondition(head.values(of: .host).count <= 1)
    precondition(head.values(of: .contentLength).count + head.values(of: .transferEncoding).count <= 1)
    for field in head.fields {
        precondition(head.bytes[field.name].allSatisfy(\.isToken) && !field.name.isEmpty)
        precondition(head.bytes[field.value].allSatisfy(\.isFieldContent))
    }
}

private func description(of result: HeadParser.Result) -> String {
    guard case .head(let head, let consumed) = result else { return "\(result)" }
    let parts = [head.path, head.query ?? [], head.target, head.authority ?? []].map { [UInt8]($0) }
    return
        "\(head.method) \(head.minorVersion) \(head.bodyFraming) \(head.keepsAlive) \(head.expectsContinue) "
        + "\(parts) \(head.fields.map { ($0.name, $0.value) }) \(consumed)"
}
