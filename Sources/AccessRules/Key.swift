/// A secret that operators give to clients; only its hash is known here.
public struct Key: Hashable, Sendable {
    /// How many bytes a hash has.
    public static let digestSize = 32

    /// What logs call it: 1 to 64 bytes of ASCII letters, digits, `.`, `_`, `-`.
    public let id: String
    /// The SHA-256 of the secret.
    public let digest: [UInt8]
    /// What who holds it may do.
    public let grants: Grants

    /// Nil when `id` breaks the rule above, or `digest` is not 32 bytes.
    public init?(id: String, digest: [UInt8], grants: Grants) {
        guard Self.isID(id), digest.count == Self.digestSize else { return nil }
        self.id = id
        self.digest = digest
        self.grants = grants
    }

    /// True when `text` may be the id of a key.
    public static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
