/// A request method that we know ([RFC 9110, section 9](https://www.rfc-editor.org/rfc/rfc9110#section-9), RFC 5789).
///
/// Which of them a resource allows is decided elsewhere; other tokens are refused with 501.
public enum Method: String, Hashable, Sendable, CaseIterable {
    /// Transfer a current representation.
    case get = "GET"
    /// Like GET, the head alone.
    case head = "HEAD"
    /// Process the content.
    case post = "POST"
    /// Replace the state of the target.
    case put = "PUT"
    /// Change parts of the target (RFC 5789).
    case patch = "PATCH"
    /// Remove the target.
    case delete = "DELETE"
    /// Ask what the target allows.
    case options = "OPTIONS"
    /// Ask for a tunnel.
    case connect = "CONNECT"
    /// Ask for a loop-back of the request.
    case trace = "TRACE"

    /// The length of the longest name, in bytes.
    static let longestName = 7

    /// The method of this name, compared byte for byte; nil for other tokens.
    init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 3 where name.equals("GET"): self = .get
        case 3 where name.equals("PUT"): self = .put
        case 4 where name.equals("HEAD"): self = .head
        case 4 where name.equals("POST"): self = .post
        case 5 where name.equals("PATCH"): self = .patch
        case 5 where name.equals("TRACE"): self = .trace
        case 6 where name.equals("DELETE"): self = .delete
        case 7 where name.equals("OPTIONS"): self = .options
        case 7 where name.equals("CONNECT"): self = .connect
        default: return nil
        }
    }
}
