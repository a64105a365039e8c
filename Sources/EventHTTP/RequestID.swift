/// A request's name in logs and in the response.
enum RequestID {
    /// The client's.
    case client(ArraySlice<UInt8>)
    /// Ours, written as 16 hexadecimal digits.
    case generated(UInt64)

    /// The client's value if it is sane. Others are replaced: they would end up in logs.
    init?(client value: ArraySlice<UInt8>?) {
        guard let value, (1...64).contains(value.count), value.allSatisfy(\.isIdentifier) else { return nil }
        self = .client(value)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    var bytes: ArraySlice<UInt8> {
        switch self {
        case .client(let value): return value
        case .generated(let number):
            return [UInt8](unsafeUninitializedCapacity: 16) { digits, count in
                for index in 0..<16 {
                    let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * index)) & 15
                    digits[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
                }
                count = 16
            }[...]
        }
    }
}

extension UInt8 {
    /// A letter, a digit, or one of `._-`.
    fileprivate var isIdentifier: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2e, 0x5f, 0x2d: true
        default: false
        }
    }
}

/// Numbers that do not repeat within a process: SplitMix64 from a random start (Steele, Lea, Flood, 2014).
/// Not secret; a system call per request would cost as much as reading it.
struct RequestNumbers {
    private var state = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
