import EventHTTP
import HTTPCodec
import WireFormat

/// Who is to be answered: the exchange, and the header lines that every answer to it carries.
struct Caller {
    let exchange: Exchange
    /// CORS and `Vary: Origin`; nothing unless `--cors-origin` is set.
    let fields: [UInt8]
    /// Who asks; nil until that is known, and while everybody may do everything.
    var credential: Credential?

    /// The caller of a request with `head`.
    init(_ exchange: Exchange, _ head: RequestHead, policy: AccessPolicy) {
        self.exchange = exchange
        guard policy.usesCORS else {
            fields = []
            return
        }
        var lines = FieldLines()
        lines.append("Vary", "Origin")
        fields = lines.bytes + (policy.allowedOrigin(of: head).map { CORS.fields(for: $0) } ?? [])
    }

    /// Answers; `response` gets the caller's own lines.
    func respond(_ response: Response) {
        guard !fields.isEmpty else { return exchange.respond(response) }
        var response = response
        response.fields += fields
        exchange.respond(response)
    }

    /// Answers with a problem document.
    func refuse(_ problem: Problem) { respond(problem.response) }
}

extension Problem {
    /// The problem as an answer.
    var response: Response {
        var lines = FieldLines()
        lines.append("Content-Type", "application/problem+json")
        lines.append("Cache-Control", "no-store")
        if let allow { lines.append("Allow", allow) }
        if kind == .unauthenticated { lines.append("WWW-Authenticate", "Bearer realm=\"pending\"") }
        if let retryAfter { lines.append("Retry-After", "\(retryAfter)") }
        return Response(status: status, fields: lines.bytes, body: encode())
    }
}
