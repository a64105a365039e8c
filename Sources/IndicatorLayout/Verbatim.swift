/// A text that is equal to another only if their bytes are: "é" in one scalar is not "é" in two, though Swift's
/// strings call them equal. What people read goes out as it came in, and its change is a change.
@propertyWrapper public struct Verbatim<Text: VerbatimText>: Hashable, Sendable {
    /// The text.
    public var wrappedValue: Text

    /// Wraps `wrappedValue`.
    public init(wrappedValue: Text) { self.wrappedValue = wrappedValue }

    /// True when the bytes are the same.
    public static func == (a: Verbatim, b: Verbatim) -> Bool {
        a.wrappedValue.hasSameBytes(as: b.wrappedValue)
    }
}

/// A text, or perhaps none.
public protocol VerbatimText: Hashable, Sendable {
    /// True when both are the same sequence of UTF-8 bytes, or both are absent.
    func hasSameBytes(as other: Self) -> Bool
}

extension String: VerbatimText {
    /// True when both are the same sequence of UTF-8 bytes.
    public func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Native strings lend their memory, which is compared faster than views of it.
        let result = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) }
        }
        return (result ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension Optional: VerbatimText where Wrapped == String {
    /// True when both are the same sequence of UTF-8 bytes, or both are absent.
    public func hasSameBytes(as other: String?) -> Bool {
        switch (self, other) {
        case (.none, .none): true
        case (.some(let a), .some(let b)): a.hasSameBytes(as: b)
        case (.none, .some), (.some, .none): false
        }
    }
}
