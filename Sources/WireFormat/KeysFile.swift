import AccessRules
import ActivityCore

/// The JSON of the file of `--tokens`, and of the grants in it.
public enum KeysFile {
    /// The most keys, grants of each, and patterns of each grant.
    static let mostKeys = 10_000
    static let mostGrants = 64
    static let mostPatterns = 64

    /// Reads `{"keys":[{"id":"…","sha256":"…","grants":[…]}]}`.
    ///
    /// Two keys may not have the same id or hash. Faults have pointers such as `/keys/0/grants/1/scope`.
    public static func decode(_ bytes: [UInt8]) throws(BodyError) -> [Key] {
        try readDocument(bytes) { file in
            file.object { members in
                var seen = KeyNames()
                return members.required("keys")?.elements(upTo: mostKeys) { $0.key(unlike: &seen) } ?? []
            }
        }
    }
}

/// What may be there once only.
private struct KeyNames {
    var ids: Set<String> = []
    var digests: Set<[UInt8]> = []
}

extension Member {
    fileprivate func key(unlike seen: inout KeyNames) -> Key? {
        let read: (id: String?, digest: [UInt8]?, grants: Grants?)? = object { members in
            (
                members.required("id")?.string("1 to 64 of A-Z a-z 0-9 . _ -") { Key.isID($0) ? $0 : nil },
                members.required("sha256")?.string("64 hexadecimal digits", digest(hex:)),
                members.required("grants")?.grants()
            )
        }
        guard let read, let id = read.id, let digest = read.digest, let grants = read.grants else {
            return nil
        }
        guard seen.ids.insert(id).inserted else {
            refuse("has the id of a key before it")
            return nil
        }
        guard seen.digests.insert(digest).inserted else {
            refuse("has the sha256 of a key before it")
            return nil
        }
        return Key(id: id, digest: digest, grants: grants)
    }

    /// A list of grants, as a key and the claim `pending` of a JWT have it.
    func grants() -> Grants? {
        elements(upTo: KeysFile.mostGrants) { $0.grant() }.map(Grants.init)
    }

    private func grant() -> Grant? {
        object { members -> Grant? in
            let permissions = members.required("allow")?.elements(upTo: Permission.allCases.count) {
                $0.word(of: Permission.self)
            }
            let scope = members.required("scope")?
                .string("a scope, one followed by .>, \">\" or \"\"", ScopePattern.init)
            let tasks = members["tasks"]?.elements(upTo: KeysFile.mostPatterns) {
                $0.string("a task's name, or the start of one followed by *", TaskPattern.init)
            }
            guard let permissions, let scope else { return nil }
            return Grant(permissions: Set(permissions), scope: scope, tasks: tasks)
        } ?? nil
    }
}

/// Two hexadecimal digits a byte, of either case.
private func digest(hex text: String) -> [UInt8]? {
    guard text.utf8.count == 2 * Key.digestSize else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for unit in text.utf8 {
        let digit: UInt8
        switch unit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = unit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = unit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = unit - UInt8(ascii: "A") + 10
        default: return nil
        }
        if let first = high {
            bytes.append(first << 4 | digit)
            high = nil
        } else {
            high = digit
        }
    }
    return bytes
}
