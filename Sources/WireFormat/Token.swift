import CCrypto

/// Names one state of a resource: the first 8 bytes of the SHA-256 of its body. It is the ETag, the `version`
/// and the event id. Compared for equality, no more.
public struct Token: Hashable, Sendable {
    /// The first 8 bytes of the hash, the first one highest.
    public let rawValue: UInt64

    /// The token of `body`, which must not hold the token itself.
    public init(of body: [UInt8]) {
        rawValue = SHA256.prefix(of: body)
    }

    init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Nil unless `hex` is 16 lower-case hexadecimal digits.
    public init?(hex: some Collection<UInt8>) {
        guard hex.count == 16 else { return nil }
        var value: UInt64 = 0
        for byte in hex {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        rawValue = value
    }

    /// The token as 16 lower-case hexadecimal digits.
    public var hex: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 16) { buffer, count in
            for index in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: rawValue >> UInt64(60 - 4 * index)) & 15
                buffer[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            count = 16
        }
    }
}

/// SHA-256 by libcrypto.
private enum SHA256 {
    /// The address of the fetched algorithm. `EVP_sha256()` would look it up anew, under a lock, for each hash.
    /// It lives as long as the process and is never written to, so any thread may use it
    /// (https://docs.openssl.org/3.0/man7/crypto/#performance).
    private static let algorithm = Int(bitPattern: EVP_MD_fetch(nil, "SHA256", nil))

    /// The first 8 bytes of the hash of `bytes`, big endian.
    static func prefix(of bytes: [UInt8]) -> UInt64 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            let isDone = bytes.withUnsafeBytes { buffer in
                EVP_Digest(
                    buffer.baseAddress, buffer.count, digest.baseAddress, nil,
                    OpaquePointer(bitPattern: algorithm), nil)
            }
            precondition(
                isDone == 1, "libcrypto could not compute a SHA-256, without which no state has a name")
            return digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
