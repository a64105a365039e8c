/// How the key that signs tickets stands in a journal: under `ticket-key`, as `{"key":"…"}` with base64url. Only a daemon
/// with tokens writes it.
public enum TicketKeyFormat {
    private static let name = "ticket-key"

    /// The key and value of the entry.
    public static func encode(_ key: [UInt8]) -> (key: String, value: [UInt8]) {
        var writer = JSONWriter(capacity: 64)
        writer.literal(#"{"key":"#)
        writer.name(Base64URL.encode(key))
        writer.literal("}")
        return (name, writer.bytes)
    }

    /// The signing key; nil for the entry of something else. Throws for a damaged value.
    public static func decode(key: String, value: [UInt8]?) throws(RecordError) -> [UInt8]? {
        guard key == name else { return nil }
        let read: [UInt8]?
        do throws(BodyError) {
            read = try readDocument(value ?? []) { document in
                document.object { members -> [UInt8]? in
                    members.required("key")?.string("32 bytes in base64url") {
                        Base64URL.decode($0).flatMap { $0.count == 32 ? $0 : nil }
                    }
                } ?? nil
            }
        } catch {
            throw RecordError(key: name, detail: "The value is damaged, or of a newer version.")
        }
        return read
    }
}
