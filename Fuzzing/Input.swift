/// What libFuzzer made, and how much of it has been taken.
struct Input {
    private(set) var rest: ArraySlice<UInt8>

    init(_ data: UnsafePointer<UInt8>?, _ size: Int) {
        rest = [UInt8](UnsafeBufferPointer(start: data, count: size))[...]
    }

    /// The next byte; 0 when there is none.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// A place to cut the rest at.
    mutating func cut() -> Int {
        let wish = Int(byte())
        return rest.isEmpty ? 0 : wish % rest.count
    }

    /// All bytes that are left.
    var bytes: [UInt8] { [UInt8](rest) }

    /// All bytes that are left as text; nil when they are not UTF-8.
    var text: String? { String(validating: rest, as: UTF8.self) }
}

/// Calls `body` with a copy of `bytes` that ends where its memory ends, so that reading beyond is found.
func withExactCopy<Answer>(
    _ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) -> Answer
) -> Answer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return body(UnsafeRawBufferPointer(copy))
}
