import WireFormat

/// A fresh secret, and what the file of tokens has to say about it.
public struct NewKey: Sendable {
    private let id: String
    private let secret = Secret.fresh()

    /// A key named `id`, which keeps to the rule for ids.
    public init(id: String) { self.id = id }

    /// What an operator does with it, in words and ready to be copied.
    public var text: String {
        """
        The token, to be given to the client and kept nowhere else:
          \(secret)
        Its entry for "keys" in the file of --tokens; say in "grants" what it allows:
          \(entry)

        """
    }

    /// One line of JSON.
    private var entry: String {
        let hash = Secret.digest(of: secret.utf8)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return #"{"id":"\#(id)","sha256":"\#(hash)","grants":[{"allow":["tasks:write"],"scope":""}]}"#
    }
}
