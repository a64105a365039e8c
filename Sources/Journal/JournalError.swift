/// Why a journal cannot be opened, read or written.
///
/// The description is one line for the operator that goes on after the journal's name: "is locked by …".
public enum JournalError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A later version of this software wrote it; only that may open it.
    case newer(found: Int, known: Int)
    /// What is there is not a journal of this software. It keeps its content.
    case foreign(String)
    /// It was a journal, and is damaged.
    case corrupt(String)
    /// Another process, or this one, has it open. Trying again later may succeed.
    case locked
    /// There is no space left. Nothing was written; trying again may succeed once there is.
    case full
    /// The storage refused; the text says how.
    case failed(String)

    /// One line for the operator.
    public var description: String {
        switch self {
        case .newer(let found, let known):
            "is newer than this version: it has format \(found), and formats up to \(known) are known"
        case .foreign(let detail): "is not a journal of this software: \(detail)"
        case .corrupt(let detail): "is damaged: \(detail)"
        case .locked: "is locked by another process"
        case .full: "cannot be written: no space left"
        case .failed(let detail): "cannot be used: \(detail)"
        }
    }
}
