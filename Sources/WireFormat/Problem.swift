import ActivityCore

/// What went wrong, as every error is answered: a problem document (RFC 9457), `application/problem+json`.
public struct Problem: Error, Hashable, Sendable {
    /// The kinds of problems; each has one status, and its `type` is `/problems/<id>`.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case badRequest = "bad-request"
        case invalidJSON = "invalid-json"
        case invalidName = "invalid-name"
        case invalidParameter = "invalid-parameter"
        case invalidMember = "invalid-member"
        case unauthenticated
        case forbidden
        case originNotAllowed = "origin-not-allowed"
        case notFound = "not-found"
        case methodNotAllowed = "method-not-allowed"
        case notAcceptable = "not-acceptable"
        case requestTimeout = "request-timeout"
        case runEnded = "run-ended"
        case runExists = "run-exists"
        case preconditionFailed = "precondition-failed"
        case tooLarge = "too-large"
        case uriTooLong = "uri-too-long"
        case unsupportedMediaType = "unsupported-media-type"
        case expectationFailed = "expectation-failed"
        case misdirectedRequest = "misdirected-request"
        case idempotencyKeyReused = "idempotency-key-reused"
        case quotaExceeded = "quota-exceeded"
        case headTooLarge = "head-too-large"
        case `internal`
        case notImplemented = "not-implemented"
        case unavailable
        case versionNotSupported = "version-not-supported"
    }

    /// A member of one problem beyond those that all have.
    public enum Member: Hashable, Sendable {
        /// The name of the query parameter, header field or part of the path that was refused.
        case parameter(String)
        /// All that is wrong with a body.
        case errors([MemberFault])
        /// What was exceeded, in the unit that the detail tells.
        case limit(Int)
        /// The state in which a run ended.
        case state(RunState)
        /// When it ended; null when that is no longer known.
        case endedAt(Timestamp?)
        /// The token that `If-Match` would have needed; null when nothing is there.
        case current(Token?)
        /// The id under which the operator finds the request in the log.
        case requestID(String)
        /// The methods of a resource.
        case allow([String])
    }

    /// Which problem it is.
    public var kind: Kind
    /// What happened and what helps, for people.
    public var detail: String
    /// The members that help a program, in the order of the answer.
    public var members: [Member]

    /// A problem with what helps to solve it.
    public init(_ kind: Kind, _ detail: String, _ members: [Member] = []) {
        self.kind = kind
        self.detail = detail
        self.members = members
    }

    /// The problem of a refused body.
    public init(_ error: BodyError) {
        switch error {
        case .invalidJSON(let detail): self.init(.invalidJSON, detail)
        case .invalidMembers(let faults):
            self.init(.invalidMember, "Members of the body break their rules.", [.errors(faults)])
        }
    }

    /// The status code of the answer.
    public var status: Int { kind.status }

    /// The document.
    public func encode() -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.literal(#"{"type":"#)
        writer.string("/problems/" + kind.rawValue)
        writer.literal(#","title":"#)
        writer.string(kind.title)
        writer.literal(#","status":"#)
        writer.integer(status)
        writer.literal(#","detail":"#)
        writer.string(detail)
        for member in members { writer.member(member) }
        writer.literal("}")
        return writer.bytes
    }
}

extension Problem.Kind {
    /// The status code of its answers.
    public var status: Int {
        switch self {
        case .badRequest, .invalidJSON, .invalidName, .invalidParameter: 400
        case .unauthenticated: 401
        case .forbidden, .originNotAllowed: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .requestTimeout: 408
        case .runEnded, .runExists: 409
        case .preconditionFailed: 412
        case .tooLarge: 413
        case .uriTooLong: 414
        case .unsupportedMediaType: 415
        case .expectationFailed: 417
        case .misdirectedRequest: 421
        case .invalidMember, .idempotencyKeyReused: 422
        case .quotaExceeded: 429
        case .headTooLarge: 431
        case .internal: 500
        case .notImplemented: 501
        case .unavailable: 503
        case .versionNotSupported: 505
        }
    }

    /// The summary that is the same each time the problem occurs.
    public var title: String {
        switch self {
        case .badRequest: "The request is not valid HTTP"
        case .invalidJSON: "The body is not valid JSON"
        case .invalidName: "A name breaks its rule"
        case .invalidParameter: "A parameter breaks its rule"
        case .invalidMember: "A member of the body breaks its rule"
        case .unauthenticated: "Credentials are missing or not valid"
        case .forbidden: "The credentials do not allow this"
        case .originNotAllowed: "Pages of this origin may not write"
        case .notFound: "Nothing is there"
        case .methodNotAllowed: "The resource does not have this method"
        case .notAcceptable: "None of the accepted media types can be served"
        case .requestTimeout: "The request took too long to arrive"
        case .runEnded: "The run has ended"
        case .runExists: "The run exists and was made another way"
        case .preconditionFailed: "The precondition does not hold"
        case .tooLarge: "The body is too large"
        case .uriTooLong: "The request target is too long"
        case .unsupportedMediaType: "The body's media type is not supported"
        case .expectationFailed: "The expectation cannot be met"
        case .misdirectedRequest: "This host is not served here"
        case .idempotencyKeyReused: "The idempotency key came with another body before"
        case .quotaExceeded: "A quota is used up"
        case .headTooLarge: "The request head is too large"
        case .internal: "The service failed"
        case .notImplemented: "This part of HTTP is not implemented"
        case .unavailable: "The service cannot take the request now"
        case .versionNotSupported: "The HTTP version is not supported"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ member: Problem.Member) {
        switch member {
        case .parameter(let name):
            literal(#","parameter":"#)
            string(name)
        case .errors(let faults):
            literal(#","errors":"#)
            array(faults) { $0.fault($1) }
        case .limit(let limit):
            literal(#","limit":"#)
            integer(limit)
        case .state(let state):
            literal(#","state":"#)
            name(state.rawValue)
        case .endedAt(let instant):
            literal(#","endedAt":"#)
            optional(instant) { $0.timestamp($1) }
        case .current(let token):
            literal(#","current":"#)
            optional(token) { $0.token($1) }
        case .requestID(let id):
            literal(#","requestId":"#)
            string(id)
        case .allow(let methods):
            literal(#","allow":"#)
            array(methods) { $0.string($1) }
        }
    }

    private mutating func fault(_ fault: MemberFault) {
        literal(#"{"pointer":"#)
        string(fault.pointer)
        literal(#","detail":"#)
        string(fault.detail)
        literal("}")
    }
}
