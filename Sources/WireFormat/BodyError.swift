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

    func add(at pointer: String, _ detail: String) {
        guard faults.count < Self.capacity else { return }
        faults.append(MemberFault(pointer: pointer, detail: detail))
    }
}

/// Extends JSON pointers (RFC 6901).
enum JSONPointer {
    /// A longer name is cut and ends in `…`.
    private static let maximumNameLength = 64

    /// The pointer to member `name` of the object at `parent`.
    static func appending(_ name: String, to parent: String) -> String {
        var pointer = parent + "/"
        var length = 0
        for scalar in name.unicodeScalars {
            guard length < maximumNameLength else { return pointer + "…" }
            length += 1
            switch scalar {
            case "~": pointer += "~0"
            case "/": pointer += "~1"
            default: pointer.unicodeScalars.append(scalar)
            }
        }
        return pointer
    }
}
