/// Why a request's framing was refused. Each maps to one status and closes the connection, since it is no longer
/// certain where the next request begins.
public enum FramingError: Error, Hashable, Sendable {
    /// 400. The text is for people and never holds text from the client.
    case badRequest(String)
    /// 413: the body is longer than `limit` bytes.
    case bodyTooLarge(limit: Int)
    /// 414: the request target is longer than `limit` bytes.
    case targetTooLong(limit: Int)
    /// 417: an expectation other than `100-continue`.
    case expectationFailed
    /// 431: the head is longer than `limit` bytes, or has more than `limit` fields.
    case headTooLarge(limit: Int)
    /// 501: a method or a transfer coding that we do not know.
    case notImplemented(String)
    /// 505: neither HTTP/1.0 nor HTTP/1.1.
    case versionNotSupported

    /// The status code of the answer.
    public var status: Int {
        switch self {
        case .badRequest: 400
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationFailed: 417
        case .headTooLarge: 431
        case .notImplemented: 501
        case .versionNotSupported: 505
        }
    }
}
