/// What the header fields say about the end of this message, and about the connection after it.
///
/// Every doubt is refused: where a proxy before us reads the same fields otherwise, a part of one client's body
/// would become another client's request.
struct MessageFraming {
    let bodyFraming: BodyFraming
    let keepsAlive: Bool
    let expectsContinue: Bool

    /// Judges the fields of a complete head.
    init(
        _ fields: [RequestHead.Field], in head: UnsafeRawBufferPointer, method: Method, minorVersion: Int,
        bodyLimit: Int
    ) throws(FramingError) {
        var relevant = RelevantFields()
        for field in fields where field.known != .none { try relevant.add(field, in: head) }
        guard relevant.hasHost || minorVersion == 0 else {
            throw .badRequest("An HTTP/1.1 request must have a Host field.")
        }
        bodyFraming = try relevant.bodyFraming(minorVersion: minorVersion)
        if case .length(let length) = bodyFraming, length > bodyLimit {
            throw .bodyTooLarge(limit: bodyLimit)
        }
        // Others take what follows the head for the tunnel (RFC 9110, section 9.3.6).
        guard method != .connect || bodyFraming == .none else {
            throw .badRequest("CONNECT must not have a body.")
        }
        guard !relevant.hasOtherExpectation else { throw .expectationFailed }
        keepsAlive = !relevant.closes && (minorVersion == 1 || relevant.asksToKeepAlive)
        // An HTTP/1.0 client cannot understand the interim answer (RFC 9110, section 10.1.1).
        expectsContinue = relevant.expectsContinue && minorVersion == 1 && bodyFraming != .none
    }
}

/// The fields that decide on framing, each as often as it may occur.
private struct RelevantFields {
    var hasHost = false
    var contentLength: Int?
    /// Nil without Transfer-Encoding; false if its value is not exactly `chunked`.
    var isChunked: Bool?
    var closes = false
    var asksToKeepAlive = false
    var expectsContinue = false
    var hasOtherExpectation = false

    mutating func add(_ field: RequestHead.Field, in head: UnsafeRawBufferPointer) throws(FramingError) {
        switch field.known {
        case .host: try addHost(head[field.value])
        case .contentLength:
            try refuseTabs(field, in: head)
            try addContentLength(head[field.value])
        case .transferEncoding:
            try refuseTabs(field, in: head)
            try addTransferEncoding(head[field.value])
        case .connection:
            try refuseTabs(field, in: head)
            addConnection(head[field.value])
        case .proxyConnection:
            try refuseTabs(field, in: head)
            addProxyConnection(head[field.value])
        case .expect: addExpectation(head[field.value])
        case .none, .accept, .prefer, .origin, .ifMatch, .contentType, .requestID, .ifNoneMatch, .lastEventID,
            .authorization, .idempotencyKey, .requestMethod, .requestHeaders:
            break
        }
    }

    /// RFC 9112, section 6.3, and stricter: nothing is left to repair.
    func bodyFraming(minorVersion: Int) throws(FramingError) -> BodyFraming {
        guard let isChunked else {
            guard let contentLength, contentLength > 0 else { return .none }
            return .length(contentLength)
        }
        guard minorVersion == 1 else {
            throw .badRequest("HTTP/1.0 does not know Transfer-Encoding.")
        }
        guard contentLength == nil else {
            throw .badRequest("A request must not have both Content-Length and Transfer-Encoding.")
        }
        guard isChunked else {
            throw .notImplemented("The only transfer coding that this server knows is chunked.")
        }
        return .chunked
    }

    /// A tab is white space (RFC 9110, section 5.6.3), but to some parsers a part of the value, which then is no
    /// length, not `chunked` and not `close`.
    private func refuseTabs(_ field: RequestHead.Field, in head: UnsafeRawBufferPointer) throws(FramingError)
    {
        let line = head[field.name.upperBound...].prefix { $0 != Byte.carriageReturn }
        guard !line.contains(Byte.tab) else {
            throw .badRequest("Content-Length, Transfer-Encoding and Connection must not hold a tab.")
        }
    }

    /// RFC 9112, section 3.2.
    private mutating func addHost(_ value: Slice<UnsafeRawBufferPointer>) throws(FramingError) {
        guard !hasHost else { throw .badRequest("A request must not have more than one Host field.") }
        guard HostParts(UnsafeRawBufferPointer(rebasing: value)) != nil else {
            throw .badRequest("The Host field is malformed.")
        }
        hasHost = true
    }

    /// RFC 9110, section 8.6; a list of equal lengths, which may be repaired there, is refused here.
    private mutating func addContentLength(_ value: Slice<UnsafeRawBufferPointer>) throws(FramingError) {
        guard contentLength == nil else {
            throw .badRequest("A request must not have more than one Content-Length.")
        }
        guard let length = value.decimal else { throw .badRequest("Content-Length must be decimal digits.") }
        contentLength = length
    }

    /// RFC 9112, section 6.1.
    private mutating func addTransferEncoding(_ value: Slice<UnsafeRawBufferPointer>) throws(FramingError) {
        guard isChunked == nil else {
            throw .badRequest("A request must not have more than one Transfer-Encoding.")
        }
        isChunked = value.equalsIgnoringCase("chunked")
    }

    /// RFC 9110, section 7.6.1.
    private mutating func addConnection(_ value: Slice<UnsafeRawBufferPointer>) {
        value.split(at: Byte.comma) { option in
            if option.equalsIgnoringCase("close") { closes = true }
            if option.equalsIgnoringCase("keep-alive") { asksToKeepAlive = true }
        }
    }

    /// No field of HTTP (RFC 9112, appendix C.2.2), but to some parsers another Connection. To close is always safe.
    private mutating func addProxyConnection(_ value: Slice<UnsafeRawBufferPointer>) {
        value.split(at: Byte.comma) { option in
            if option.equalsIgnoringCase("close") { closes = true }
        }
    }

    /// RFC 9110, section 10.1.1.
    private mutating func addExpectation(_ value: Slice<UnsafeRawBufferPointer>) {
        if value.equalsIgnoringCase("100-continue") {
            expectsContinue = true
        } else {
            hasOtherExpectation = true
        }
    }
}

extension FieldName.Known {
    /// Whether such a field says where the request ends, whom it is for, or what becomes of the connection.
    var decidesFraming: Bool {
        switch self {
        case .host, .contentLength, .transferEncoding, .connection, .proxyConnection, .expect: true
        case .none, .accept, .prefer, .origin, .ifMatch, .contentType, .requestID, .ifNoneMatch, .lastEventID,
            .authorization, .idempotencyKey, .requestMethod, .requestHeaders:
            false
        }
    }
}
