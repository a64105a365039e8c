import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// The problems that requests meet, in the words that people read.
extension Problem {
    static let noSuchResource = Problem(.notFound, "No resource has this path.")
    static let notAcceptable = Problem(
        .notAcceptable,
        "A screen is served as JSON, SVG, PNG and event stream; several as JSON and event stream.")
    static let misdirected = Problem(
        .misdirectedRequest,
        "The Host of the request is not one of this daemon's. Add it with --host NAME if it should be.")
    static let foreignOrigin = Problem(
        .originNotAllowed, "Pages of this origin may not write. Add it with --cors-origin if they should.")
    static let invalidCursor = Problem(
        .invalidParameter, "The cursor is damaged, or belongs to a list with another filter.",
        [.parameter("cursor")])
    static let unsupportedBody = Problem(
        .unsupportedMediaType,
        "A body is application/json or application/merge-patch+json; with curl: --json '{…}'.")
    static let full = Problem(.unavailable, "All connections are in use. The request is safe to repeat.")

    static func methodNotAllowed(_ resource: Resource) -> Problem {
        Problem(
            .methodNotAllowed, "This resource has the methods \(resource.methods).",
            [.allow(resource.methods.split(separator: ", ").map(String.init))])
    }

    static func invalidName(_ what: String) -> Problem {
        let rule =
            switch what {
            case "run": "1 to 64 of A-Z a-z 0-9 . _ - and does not begin with a dot"
            case "scope": "1 to 4 labels joined by dots, each 1 to 64 of A-Z a-z 0-9 _ -"
            default: "1 to 128 of A-Z a-z 0-9 . _ -, begins with a letter or digit, and has at most 8 parts"
            }
        return Problem(.invalidName, "The name of the \(what) is \(rule).", [.parameter(what)])
    }

    static func invalidParameter(_ name: String, _ detail: String) -> Problem {
        Problem(.invalidParameter, "The parameter \(name) \(detail).", [.parameter(name)])
    }

    static func unavailable(_ reason: String) -> Problem {
        Problem(.unavailable, "The request was not carried out, since \(reason). It is safe to repeat.")
    }

    /// Why the registry refused a change.
    init(_ refusal: Refusal) {
        switch refusal {
        case .notFound: self.init(.notFound, "There is no such run.")
        case .runEnded(let state, let endedAt):
            self.init(
                .runEnded, "The run has ended as \(state.rawValue); nothing changes it any more.",
                [.state(state), .endedAt(endedAt)])
        case .runExists: self.init(.runExists, "A run with this id was declared by PUT; use another key.")
        case .keyReused:
            self.init(
                .idempotencyKeyReused, "This Idempotency-Key came with another body before; use a new one.")
        case .preconditionFailed:
            self.init(.preconditionFailed, "The precondition does not hold.", [.current(nil)])
        case .invalidMember(let pointer, let detail):
            self.init(
                .invalidMember, "Members of the body break their rules.",
                [.errors([MemberFault(pointer: pointer, detail: detail)])])
        case .quotaExceeded(let which): self.init(.quotaExceeded, which)
        }
    }

    /// Why a request could not be read.
    init(_ error: ServerError) {
        switch error {
        case .framing(let error): self.init(error)
        case .timedOut: self.init(.requestTimeout, "The request did not arrive in time.")
        }
    }

    private init(_ error: FramingError) {
        switch error {
        case .badRequest(let detail): self.init(.badRequest, detail)
        case .bodyTooLarge(let limit):
            self.init(.tooLarge, "The body has more than \(limit) bytes.", [.limit(limit)])
        case .targetTooLong(let limit):
            self.init(.uriTooLong, "The request target has more than \(limit) bytes.", [.limit(limit)])
        case .expectationFailed:
            self.init(.expectationFailed, "The only expectation that can be met is 100-continue.")
        case .headTooLarge(let limit):
            self.init(.headTooLarge, "The request head is too large; the limit is \(limit).", [.limit(limit)])
        case .notImplemented(let detail): self.init(.notImplemented, detail)
        case .versionNotSupported: self.init(.versionNotSupported, "HTTP/1.0 and HTTP/1.1 are spoken here.")
        }
    }

    /// The methods that the field `Allow` lists; nil for other problems.
    var allow: String? {
        for case .allow(let methods) in members { return methods.joined(separator: ", ") }
        return nil
    }

    /// The seconds after which a try may succeed; nil when waiting does not help.
    var retryAfter: Int? {
        switch kind {
        case .unavailable: 2
        case .quotaExceeded: 5
        default: nil
        }
    }
}
