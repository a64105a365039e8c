/// One answer. What belongs to the connection and not to the resource is added when it is sent: `Date`,
/// `X-Request-Id`, `Content-Length`, `Connection`.
public struct Response: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// Complete header lines, `Name: value` and CR LF each, see ``FieldLines``.
    public var fields: [UInt8]
    /// The body. It is not sent to HEAD, where `Content-Length` tells its size all the same, nor with 204 and 304.
    public var body: [UInt8]
    /// Whether the connection ends after it.
    public var closes: Bool

    /// An answer; without a body `Content-Length: 0` is sent.
    public init(status: Int, fields: [UInt8] = [], body: [UInt8] = [], closes: Bool = false) {
        self.status = status
        self.fields = fields
        self.body = body
        self.closes = closes
    }
}
