/// The name of a header field, in small letters; compared with a head's fields without regard to case
/// (RFC 9110, section 5.1).
public struct FieldName: Hashable, Sendable {
    /// Names that the parser resolves while it reads, so that looking one up compares one number.
    enum Known: UInt8, Hashable, Sendable {
        case none, host, accept, expect, prefer, origin, ifMatch, connection, contentType, requestID,
            ifNoneMatch
        case lastEventID, authorization, contentLength, idempotencyKey, transferEncoding, requestMethod
        case requestHeaders, proxyConnection
    }

    let known: Known
    /// Empty when the name is a known one.
    let text: [UInt8]

    private init(_ known: Known) {
        self.known = known
        text = []
    }

    /// The name `text`, in any case. Precondition: it is a token (RFC 9110, section 5.6.2).
    public init(_ text: String) {
        let bytes = text.utf8.map(\.lowercased)
        precondition(!bytes.isEmpty && bytes.allSatisfy(\.isToken), "A field name is a token.")
        known = bytes.withUnsafeBytes(Known.init)
        self.text = known == .none ? bytes : []
    }

    /// Media types that the client prefers.
    public static var accept: FieldName { FieldName(.accept) }
    /// Method of the request that a CORS preflight asks for.
    public static var accessControlRequestMethod: FieldName { FieldName(.requestMethod) }
    /// Header fields of the request that a CORS preflight asks for.
    public static var accessControlRequestHeaders: FieldName { FieldName(.requestHeaders) }
    /// Credentials.
    public static var authorization: FieldName { FieldName(.authorization) }
    /// Options of this connection.
    public static var connection: FieldName { FieldName(.connection) }
    /// Size of the body in bytes.
    public static var contentLength: FieldName { FieldName(.contentLength) }
    /// Media type of the body.
    public static var contentType: FieldName { FieldName(.contentType) }
    /// What the server must do before the body is sent.
    public static var expect: FieldName { FieldName(.expect) }
    /// Host and port that the request is meant for.
    public static var host: FieldName { FieldName(.host) }
    /// The client's name for this request, so that a repetition is not a second one.
    public static var idempotencyKey: FieldName { FieldName(.idempotencyKey) }
    /// Do it only if the entity tag is one of these.
    public static var ifMatch: FieldName { FieldName(.ifMatch) }
    /// Do it only if the entity tag is none of these.
    public static var ifNoneMatch: FieldName { FieldName(.ifNoneMatch) }
    /// The id of the last event that a reader of a stream has seen.
    public static var lastEventID: FieldName { FieldName(.lastEventID) }
    /// The web page's origin that a script asks from.
    public static var origin: FieldName { FieldName(.origin) }
    /// Preferences (RFC 7240).
    public static var prefer: FieldName { FieldName(.prefer) }
    /// How the body is framed.
    public static var transferEncoding: FieldName { FieldName(.transferEncoding) }
    /// A name for this request in the logs of all who see it.
    public static var xRequestID: FieldName { FieldName(.requestID) }
}

extension FieldName.Known {
    /// The known name that these bytes spell in any case; `none` for all others.
    init(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 4 where name.equalsIgnoringCase("host"): self = .host
        case 6: self = .ofSix(name)
        case 8 where name.equalsIgnoringCase("if-match"): self = .ifMatch
        case 10 where name.equalsIgnoringCase("connection"): self = .connection
        case 12 where name.equalsIgnoringCase("content-type"): self = .contentType
        case 12 where name.equalsIgnoringCase("x-request-id"): self = .requestID
        case 13 where name.equalsIgnoringCase("if-none-match"): self = .ifNoneMatch
        case 13 where name.equalsIgnoringCase("last-event-id"): self = .lastEventID
        case 13 where name.equalsIgnoringCase("authorization"): self = .authorization
        case 14 where name.equalsIgnoringCase("content-length"): self = .contentLength
        case 15 where name.equalsIgnoringCase("idempotency-key"): self = .idempotencyKey
        case 16 where name.equalsIgnoringCase("proxy-connection"): self = .proxyConnection
        case 17 where name.equalsIgnoringCase("transfer-encoding"): self = .transferEncoding
        case 29 where name.equalsIgnoringCase("access-control-request-method"): self = .requestMethod
        case 30 where name.equalsIgnoringCase("access-control-request-headers"): self = .requestHeaders
        default: self = .none
        }
    }

    private static func ofSix(_ name: UnsafeRawBufferPointer) -> Self {
        switch name[0].lowercased {
        case UInt8(ascii: "a") where name.equalsIgnoringCase("accept"): .accept
        case UInt8(ascii: "e") where name.equalsIgnoringCase("expect"): .expect
        case UInt8(ascii: "o") where name.equalsIgnoringCase("origin"): .origin
        case UInt8(ascii: "p") where name.equalsIgnoringCase("prefer"): .prefer
        default: .none
        }
    }
}
