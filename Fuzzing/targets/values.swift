@testable import HTTPCodec

/// The rules of header values must end, and not trap, on any bytes. Input: one byte for a cut, the value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzValues(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    var input = Input(data, size)
    let cut = input.cut()
    let value = input.bytes[...]
    let types = ["application/json", "image/*", "a/b"].compactMap { MediaType($0) }
    _ = Accept([value]).best(among: types)
    _ = Accept([value.prefix(cut), value.dropFirst(cut)]).best(among: types)
    _ = Prefer([value]).wait
    _ = EntityTags([value, value.dropFirst(cut)]).matchesStrongly(value)
    _ = EntityTags([value]).matchesWeakly(value)
    if let host = HostField(value) {
        precondition(!host.host.isEmpty && host.isNamed(host.host))
        precondition(!host.isLocalhost || !host.isIPLiteral)
    }
    _ = Origin(value)
    _ = MediaType(value)
    return 0
}
