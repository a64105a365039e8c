/// What is wrong with one member of a body.
public struct MemberFault: Hashable, Sendable {
    /// The member as a JSON pointer (RFC 6901), such as `/progress/total`; `""` for the body itself. A name
    /// longer than 64 scalars is cut short.
    public var pointer: String
    /// The rule that it breaks, for people; never text of the client.
    public var detail: String

    /// A fault of the member at `pointer`.
    public init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }
}

/// Why a body was refused.
public enum BodyError: Error, Hashable, Sendable {
    /// Not JSON as we take it: 400. The text is for people, never text of the client.
    case invalidJSON(detail: String)
    /// JSON, but its members break our rules: 422. The first 32 faults.
    case invalidMembers([MemberFault])
}

/// Collects the faults of one body, so that all are told at once.
final class FaultList {
    /// More would help nobody, and let a small request cause a big answer.
    static let capacity = 32

    private(set) var faults: [MemberFault] = []

    func add(at pointer: @autoclosure () -> String, _ detail: @autoclosure () -> String) {
        guard faults.count < Self.capacity else { return }
        faults.append(MemberFault(pointer: pointer(), detail: detail()))
    }
}
