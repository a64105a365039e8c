/// A right to read one path for a while, on behalf of a key: for clients that can send no header field.
///
/// It stands in a URL as `PAYLOAD.MAC`, both base64url. The payload names the key by its id and the start of its hash, so it
/// is worth nothing once the key is gone or has another secret. Signed with a key of the daemon's own.
public struct Ticket: Hashable, Sendable {
    /// The longest text that is looked at, in bytes.
    private static let longestText = 1_024

    /// The id of the key that it was given to.
    public let keyID: String
    /// The first 8 bytes of the hash of that key.
    public let keyMark: UInt64
    /// The path of the URL, without a query.
    public let path: String
    /// When it ends, in seconds since 1970.
    public let expiresAt: Int64

    /// A ticket that is still to be signed.
    public init(keyID: String, keyMark: UInt64, path: String, expiresAt: Int64) {
        self.keyID = keyID
        self.keyMark = keyMark
        self.path = path
        self.expiresAt = expiresAt
    }

    /// The ticket as it stands in a URL.
    ///
    /// - Parameter key: 32 bytes.
    public func signed(with key: [UInt8]) -> String {
        // The path comes last, because it alone may hold anything.
        let payload = Array("1 \(keyID) \(keyMark) \(expiresAt) \(path)".utf8)
        return Base64URL.encode(payload) + "." + Base64URL.encode(Secret.mac(of: payload, key: key))
    }

    /// Nil for a text that was not signed with `key`.
    public init?(_ text: String, signedWith key: [UInt8]) {
        guard text.utf8.count <= Self.longestText, let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")),
            let payload = Base64URL.decode(String(text[..<dot])),
            let mac = Base64URL.decode(String(text[text.index(after: dot)...])),
            Secret.areEqual(mac, Secret.mac(of: payload, key: key))
        else { return nil }
        let parts = String(decoding: payload, as: UTF8.self)
            .split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[0] == "1", let mark = UInt64(parts[2]), let end = Int64(parts[3]) else {
            return nil
        }
        self.init(keyID: parts[1], keyMark: mark, path: parts[4], expiresAt: end)
    }
}

/// The JSON of tickets.
public enum TicketBody {
    /// Reads `{"path":"/v1/…"}`: the path, of at most 512 bytes of visible ASCII.
    public static func decode(_ body: [UInt8]) throws(BodyError) -> String {
        try readBody(body) { document in
            document.object { members -> String? in
                members.required("path")?.string("the path of screens, such as /v1/screens, without a query")
                {
                    let isPath = $0.utf8.count <= 512 && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) }
                    return isPath ? $0 : nil
                }
            } ?? nil
        }
    }

    /// `{"ticket":"…","expiresIn":3600}`.
    public static func encode(_ ticket: String, expiresIn seconds: Int64) -> [UInt8] {
        var writer = JSONWriter(capacity: 64 + ticket.utf8.count)
        writer.literal(#"{"ticket":"#)
        writer.string(ticket)
        writer.literal(#","expiresIn":"#)
        writer.integer(seconds)
        writer.literal("}")
        return writer.bytes
    }
}
