import AccessRules
import CCrypto

/// What is done with secrets: they are made, hashed, and their hashes compared.
public enum Secret {
    /// The SHA-256 of `bytes`: 32 bytes.
    public static func digest(of bytes: some Collection<UInt8>) -> [UInt8] {
        let input = Array(bytes)
        return [UInt8](unsafeUninitializedCapacity: Key.digestSize) { digest, count in
            let isDone = input.withUnsafeBytes { buffer in
                EVP_Digest(buffer.baseAddress, buffer.count, digest.baseAddress, nil, EVP_sha256(), nil)
            }
            precondition(isDone == 1, "libcrypto could not compute a SHA-256, by which keys are known")
            count = Key.digestSize
        }
    }

    /// Whether two hashes are equal. The time that it takes does not depend on where they differ.
    public static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// A fresh secret: 256 bits of chance as 43 characters of `A-Z a-z 0-9 - _`.
    public static func fresh() -> String {
        Base64URL.encode(random())
    }

    /// 256 bits of chance.
    public static func random() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        precondition(
            RAND_bytes(&bytes, 32) == 1, "the system has no chance to give, so no secret can be made")
        return bytes
    }

    /// The HMAC-SHA-256 of `bytes` (RFC 2104): 32 bytes.
    static func mac(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Key.digestSize) { mac, count in
            var length: UInt32 = 0
            let isDone = HMAC(
                EVP_sha256(), key, Int32(key.count), bytes, bytes.count, mac.baseAddress, &length)
            precondition(isDone != nil, "libcrypto could not compute an HMAC, by which tickets are known")
            count = Int(length)
        }
    }
}
