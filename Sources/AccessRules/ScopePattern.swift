import ActivityCore

/// Which scopes a grant is for.
public enum ScopePattern: Hashable, Sendable {
    /// This scope alone; `""` is the root.
    case exactly(Scope)
    /// This scope and all below it, written `acme.>`.
    case from(Scope)
    /// Every scope, written `>`.
    case all

    /// A scope, a scope followed by `.>`, `>`, or the empty text; nil for anything else.
    public init?(_ text: String) {
        if text.isEmpty {
            self = .exactly(.root)
        } else if text == ">" {
            self = .all
        } else if text.utf8.suffix(2).elementsEqual(".>".utf8) {
            guard let scope = Scope(String(decoding: text.utf8.dropLast(2), as: UTF8.self)) else {
                return nil
            }
            self = .from(scope)
        } else {
            guard let scope = Scope(text) else { return nil }
            self = .exactly(scope)
        }
    }

    /// True when a grant for the pattern reaches `scope`: label by label, so `u-42` never reaches `u-421`.
    public func covers(_ scope: Scope) -> Bool {
        switch self {
        case .exactly(let own): own == scope
        case .from(let top):
            scope == top
                || scope.rawValue.utf8.starts(with: top.rawValue.utf8)
                    && scope.rawValue.utf8.dropFirst(top.rawValue.utf8.count).first == UInt8(ascii: ".")
        case .all: true
        }
    }
}
