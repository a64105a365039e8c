/// Where a value stands in its document. Told as a JSON pointer (RFC 6901) only when asked: most have no fault.
enum JSONPlace {
    /// The document itself.
    case root
    /// A member whose name is ours, so that it needs no escapes.
    case known(StaticString, in: String)
    /// A member whose name the client made up.
    case given(String, in: String)
    /// An element of an array.
    case element(Int, in: String)

    /// Longer names are cut, and end in `…`.
    private static let maximumNameLength = 64

    /// The place as a JSON pointer; `""` for the document.
    var pointer: String {
        switch self {
        case .root: ""
        case .known(let name, let parent): parent + "/" + name.description
        case .given(let name, let parent): parent + "/" + Self.escaped(name)
        case .element(let index, let parent): parent + "/" + String(index)
        }
    }

    private static func escaped(_ name: String) -> String {
        var escaped = ""
        for (index, scalar) in name.unicodeScalars.enumerated() {
            guard index < maximumNameLength else { return escaped + "…" }
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
