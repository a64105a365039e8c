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
        var bytes = [UInt8](repeating: 0, count: 32)
        precondition(
            RAND_bytes(&bytes, 32) == 1, "the system has no chance to give, so no secret can be made")
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var (bits, count) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(alphabet[Int(bits >> UInt32(count) & 63)])
            }
        }
        text.append(alphabet[Int(bits << UInt32(6 - count) & 63)])
        return String(decoding: text, as: UTF8.self)
    }
}
