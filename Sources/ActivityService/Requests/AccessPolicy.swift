import HTTPCodec

/// Who may talk to the daemon while no tokens are configured: guards against DNS rebinding (`Host`) and against
/// writes from foreign pages (`Origin`), and decides what CORS allows.
struct AccessPolicy: Sendable {
    /// Host names that are answered besides localhost and IP literals, lower case.
    var hosts: Set<String> = []
    /// True for `--host '*'`.
    var allowsAnyHost = false
    /// Origins whose pages may read and write, as `scheme://host[:port]`, lower case.
    var origins: Set<String> = []
    /// True for `--cors-origin '*'`.
    var allowsAnyOrigin = false

    /// True when answers depend on `Origin`.
    var usesCORS: Bool { allowsAnyOrigin || !origins.isEmpty }

    /// True when the request names a host that is ours. Absent on HTTP/1.0: allowed.
    func allowsHost(of head: RequestHead) -> Bool {
        guard let authority = head.authority else { return true }
        if allowsAnyHost { return true }
        guard let host = HostField(authority) else { return false }
        if host.isLocalhost || host.isIPLiteral { return true }
        return !hosts.isEmpty && hosts.contains(String(decoding: host.host, as: UTF8.self).lowercased())
    }

    /// True when a write does not come from a foreign page.
    func allowsWrite(from head: RequestHead) -> Bool {
        guard let field = head.value(of: .origin) else { return true }
        if allowsAnyOrigin || isListed(field) { return true }
        guard let origin = Origin(field), let authority = head.authority, let host = HostField(authority)
        else {
            return false
        }
        return origin.isSame(as: host)
    }

    /// The origin to name in `Access-Control-Allow-Origin`; nil when the page is not allowed to read.
    func allowedOrigin(of head: RequestHead) -> ArraySlice<UInt8>? {
        guard usesCORS, let field = head.value(of: .origin), allowsAnyOrigin || isListed(field) else {
            return nil
        }
        return field
    }

    private func isListed(_ field: ArraySlice<UInt8>) -> Bool {
        !origins.isEmpty && origins.contains(String(decoding: field, as: UTF8.self).lowercased())
    }
}

/// The header lines of CORS (Fetch standard, https://fetch.spec.whatwg.org/#http-cors-protocol).
enum CORS {
    private static let allowedFields =
        "Last-Event-ID, Cache-Control, Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, "
        + "Prefer, X-Request-Id"
    private static let exposedFields = "ETag, Location, Retry-After, Preference-Applied, X-Request-Id"

    /// What an answer to a page of `origin` carries.
    static func fields(for origin: ArraySlice<UInt8>) -> [UInt8] {
        var lines = FieldLines()
        lines.append("Access-Control-Allow-Origin", origin)
        lines.append("Access-Control-Expose-Headers", exposedFields)
        return lines.bytes
    }

    /// What the answer to a preflight carries besides `Allow` and the origin.
    static func preflight(allowing methods: String) -> [UInt8] {
        var lines = FieldLines()
        lines.append("Access-Control-Allow-Methods", methods)
        lines.append("Access-Control-Allow-Headers", allowedFields)
        lines.append("Access-Control-Max-Age", "7200")
        return lines.bytes
    }
}
