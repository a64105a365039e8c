/// The name of a background task, such as `"photos.sync"`.
///
/// 1 to 128 bytes of ASCII letters, digits, `.`, `_`, `-`, the first a letter or digit; at most 8 parts,
/// separated by dots. Compared byte by byte.
public struct TaskName: Hashable, Sendable {
    /// The name as it was given.
    public let rawValue: String

    /// Nil when `text` breaks the rule above.
    public init?(_ text: String) {
        guard isDottedName(text.utf8) else { return nil }
        rawValue = text
    }
}

/// The name of a screen; the rule is that of ``TaskName``.
public struct ScreenName: Hashable, Sendable {
    /// The name as it was given.
    public let rawValue: String

    /// Nil when `text` breaks the rule of ``TaskName``.
    public init?(_ text: String) {
        guard isDottedName(text.utf8) else { return nil }
        rawValue = text
    }
}

/// The id of one run of a task, chosen by its worker: 1 to 64 bytes of ASCII letters, digits, `.`, `_`, `-`,
/// the first not a dot.
public struct RunID: Hashable, Sendable {
    /// The id as it was given.
    public let rawValue: String

    /// Nil when `text` breaks the rule above.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...64).contains(bytes.count), bytes.first != UInt8(ascii: "."), bytes.allSatisfy(isNameByte)
        else { return nil }
        rawValue = text
    }
}

/// Whose runs and screens are meant: the root (`""`), or 1 to 4 labels joined by dots, `acme.u-42`.
///
/// A label is 1 to 64 bytes of ASCII letters, digits, `_`, `-`. A scope needs no creation.
public struct Scope: Hashable, Sendable {
    /// The labels joined by dots; `""` for the root.
    public let rawValue: String

    /// The scope of every request without a scope prefix.
    public static let root = Scope(unchecked: "")

    private init(unchecked text: String) { rawValue = text }

    /// Nil when `text` breaks the rule above; the empty text is not a scope's name, see ``root``.
    public init?(_ text: String) {
        var labels = 1
        var length = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") {
                guard (1...64).contains(length), labels < 4 else { return nil }
                labels += 1
                length = 0
            } else {
                guard isNameByte(byte) else { return nil }
                length += 1
            }
        }
        guard (1...64).contains(length) else { return nil }
        rawValue = text
    }

    /// The scope one label shorter; nil for the root.
    public var parent: Scope? {
        guard !rawValue.isEmpty else { return nil }
        guard let dot = rawValue.utf8.lastIndex(of: UInt8(ascii: ".")) else { return .root }
        return Scope(unchecked: String(rawValue[..<dot]))
    }

    /// This scope and its ancestors, nearest first, the root last: 1 to 5 entries.
    public var chain: [Scope] {
        var scopes = [self]
        var next = parent
        while let scope = next {
            scopes.append(scope)
            next = scope.parent
        }
        return scopes
    }
}

/// What identifies a run. Ordered by scope, task, run, each by bytes.
public struct RunKey: Hashable, Sendable {
    /// The scope that the run was declared in.
    public var scope: Scope
    /// The task that it executes.
    public var task: TaskName
    /// Its own id.
    public var run: RunID

    /// The key of run `run` of `task` in `scope`.
    public init(scope: Scope, task: TaskName, run: RunID) {
        self.scope = scope
        self.task = task
        self.run = run
    }
}

/// A screen as the viewers of one scope see it.
public struct ScreenKey: Hashable, Sendable {
    /// The viewers' scope.
    public var scope: Scope
    /// The screen.
    public var screen: ScreenName

    /// The key of `screen` in `scope`.
    public init(scope: Scope, screen: ScreenName) {
        self.scope = scope
        self.screen = screen
    }
}

func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default: false
    }
}

private func isDottedName(_ bytes: String.UTF8View) -> Bool {
    guard (1...128).contains(bytes.count), let first = bytes.first else { return false }
    switch first {
    case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): return false
    default: break
    }
    guard bytes.allSatisfy(isNameByte) else { return false }
    return bytes.count(where: { $0 == UInt8(ascii: ".") }) < 8
}
