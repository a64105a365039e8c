import AccessRules
import HTTPCodec
import Synchronization
import WireFormat

/// Who a request comes from: the key that it showed.
struct Credential: Hashable, Sendable {
    /// The key's id, which logs may show.
    let id: String
    fileprivate let digest: [UInt8]
}

/// Knows the keys, and what who holds them may do. May be shared by threads.
final class AccessControl: Sendable {
    private let table: Mutex<KeyTable?>
    /// What tickets are signed with; nil until the journal is open.
    private let ticketKey = Mutex<[UInt8]?>(nil)
    /// True when no tokens are configured: then everybody may do everything.
    let isOpen: Bool

    /// - Parameter keys: nil when no tokens are configured.
    init(keys: [Key]? = nil) {
        table = Mutex(keys.map(KeyTable.init))
        isOpen = keys == nil
    }

    /// The keys have been read again.
    func replace(_ keys: [Key]) { table.withLock { $0 = KeyTable(keys) } }

    /// Who asks; nil when everybody may do everything.
    ///
    /// - Throws: `unauthenticated` without a key that is known.
    func credential(of head: RequestHead) throws(Problem) -> Credential? {
        guard !isOpen else { return nil }
        let fields = head.values(of: .authorization)
        guard let field = fields.first else { throw Problem.noCredential }
        guard fields.count == 1, let secret = Self.bearer(field) else { throw Problem.unknownCredential }
        let digest = Secret.digest(of: secret)
        guard let key = table.withLock({ $0?.key(of: digest) }) else { throw Problem.unknownCredential }
        return Credential(id: key.id, digest: digest)
    }

    /// Tickets are signed with `key` from now on: 32 bytes.
    func signTickets(with key: [UInt8]) { ticketKey.withLock { $0 = key } }

    /// A ticket for `path` on behalf of `credential`, and for how many seconds it is good; nil until the journal is open.
    func ticket(for path: String, to credential: Credential) -> (text: String, seconds: Int64)? {
        guard let key = ticketKey.withLock({ $0 }) else { return nil }
        let ticket = Ticket(
            keyID: credential.id, keyMark: KeyTable.mark(of: credential.digest), path: path,
            expiresAt: Clock.now().wall.milliseconds / 1_000 + Self.ticketSeconds)
        return (ticket.signed(with: key), Self.ticketSeconds)
    }

    /// Who asks with a ticket for `path`.
    ///
    /// - Throws: `unauthenticated` for one that has expired, is for another path, is damaged, or whose key is gone.
    func credential(ofTicket text: String, for path: ArraySlice<UInt8>) throws(Problem) -> Credential {
        guard let key = ticketKey.withLock({ $0 }), let ticket = Ticket(text, signedWith: key),
            ticket.path.utf8.elementsEqual(path), Clock.now().wall.milliseconds / 1_000 < ticket.expiresAt,
            let owner = table.withLock({ $0?.key(named: ticket.keyID, mark: ticket.keyMark) })
        else { throw Problem.unknownTicket }
        return Credential(id: owner.id, digest: owner.digest)
    }

    /// True when `credential` gives `need`.
    func allows(_ need: AccessNeed, to credential: Credential?) -> Bool {
        refusal(of: need, to: credential) == nil
    }

    /// Why `credential` does not give `need`; nil when it does. What a key gives may have changed since it was shown.
    func refusal(of need: AccessNeed, to credential: Credential?) -> Problem? {
        guard !isOpen else { return nil }
        return table.withLock { table in
            guard let credential, let key = table?.key(of: credential.digest), key.id == credential.id else {
                return .unknownCredential
            }
            return key.grants.allow(need) ? nil : .forbidden
        }
    }

    private static let ticketSeconds: Int64 = 3_600

    /// What follows the scheme `Bearer` (RFC 6750, section 2.1); nil for another scheme or no token.
    private static func bearer(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let scheme = field.prefix { $0 != UInt8(ascii: " ") }
        guard String(decoding: scheme, as: UTF8.self).lowercased() == "bearer" else { return nil }
        let secret = field[scheme.endIndex...].drop { $0 == UInt8(ascii: " ") }
        return secret.isEmpty || secret.contains(UInt8(ascii: " ")) ? nil : secret
    }
}

/// Keys, found by the hash of what was shown.
private struct KeyTable {
    /// By the first 8 bytes of the hash. The place in a dictionary depends on bytes that nobody can choose without the
    /// secret; what is found there is compared in constant time.
    private let keys: [UInt64: [Key]]

    init(_ keys: [Key]) { self.keys = Dictionary(grouping: keys) { Self.mark(of: $0.digest) } }

    func key(of digest: [UInt8]) -> Key? {
        keys[Self.mark(of: digest)]?.first { Secret.areEqual($0.digest, digest) }
    }

    func key(named id: String, mark: UInt64) -> Key? { keys[mark]?.first { $0.id == id } }

    static func mark(of digest: [UInt8]) -> UInt64 {
        digest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension Problem {
    static let noCredential = Problem(
        .unauthenticated, "This daemon asks who you are: send the field Authorization: Bearer TOKEN.")
    static let unknownCredential = Problem(
        .unauthenticated, "The token is damaged, or is not known here (any more).")
    static let unknownTicket = Problem(
        .unauthenticated, "The ticket has expired, is for another path, or is damaged: get another one.")
    static let forbidden = Problem(.forbidden, "Your token does not allow this here.")
}
