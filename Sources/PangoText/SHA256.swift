import CCrypto

/// SHA-256 by libcrypto.
enum SHA256 {
    /// The first `count` bytes of the hash of `bytes`, at most 32, in lower-case hex.
    static func hex(of bytes: [UInt8], count: Int) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            let isDone = bytes.withUnsafeBytes { buffer in
                EVP_Digest(buffer.baseAddress, buffer.count, digest.baseAddress, nil, EVP_sha256(), nil)
            }
            precondition(
                isDone == 1, "libcrypto could not compute a SHA-256, without which no font has a name")
            return digest.prefix(count).reduce(into: "") { text, byte in
                if byte < 16 { text += "0" }
                text += String(byte, radix: 16)
            }
        }
    }
}
