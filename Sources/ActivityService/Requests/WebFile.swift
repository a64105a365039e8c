import HTTPCodec
import WireFormat

/// A file for browsers that the program carries within itself.
struct WebFile: Sendable {
    /// Who may load a file.
    enum Audience: Sendable {
        /// Pages of any origin.
        case everyone
        /// Our own page.
        case dashboard
    }

    /// The path in a URL, such as `/pending.js`.
    let path: String
    let audience: Audience
    /// The file.
    let body: [UInt8]
    /// Changes with the file.
    let token: Token
    private let type: String

    private init(_ path: String, _ type: String, for audience: Audience, _ parts: [UInt8]...) {
        self.path = path
        self.type = type
        self.audience = audience
        body = Array(parts.joined())
        token = Token(of: body)
    }

    /// Every file.
    static let all = module + page

    // Written in parts that share one scope, so that nobody has to open a file of a thousand lines.
    private static let module = [
        WebFile(
            "/pending.js", javaScript, for: .everyone, PackageResources.pending_line_js,
            PackageResources.pending_channel_js, PackageResources.pending_drawing_js,
            PackageResources.pending_elements_js),
        WebFile(
            "/pending.d.ts", "text/plain; charset=utf-8", for: .everyone, PackageResources.pending_d_ts),
    ]

    private static let page = [
        WebFile("/", "text/html; charset=utf-8", for: .dashboard, PackageResources.index_html),
        WebFile("/icon.svg", "image/svg+xml", for: .dashboard, PackageResources.icon_svg),
        WebFile(
            "/dashboard.css", "text/css; charset=utf-8", for: .dashboard, PackageResources.dashboard_css,
            PackageResources.dashboard_cards_css, PackageResources.dashboard_table_css),
        script("", PackageResources.dashboard_js), script("-dom", PackageResources.dashboard_dom_js),
        script("-service", PackageResources.dashboard_service_js),
        script("-screens", PackageResources.dashboard_screens_js),
        script("-timeline", PackageResources.dashboard_timeline_js),
        script("-history", PackageResources.dashboard_history_js),
        script("-runs", PackageResources.dashboard_runs_js),
        script("-dialogs", PackageResources.dashboard_dialogs_js),
    ]

    /// A module of our page.
    private static func script(_ part: String, _ body: [UInt8]) -> WebFile {
        WebFile("/dashboard\(part).js", javaScript, for: .dashboard, body)
    }

    private static let javaScript = "text/javascript; charset=utf-8"

    private static let byPath: [[UInt8]: WebFile] = Dictionary(
        uniqueKeysWithValues: all.map { (Array($0.path.utf8), $0) })

    /// The file at the path of a URL; nil when there is none.
    static func find(_ path: ArraySlice<UInt8>) -> WebFile? { byPath[Array(path)] }

    /// The header lines with which it is served; without its type for a 304.
    func fields(isModified: Bool) -> [UInt8] {
        var lines = FieldLines()
        lines.append("ETag", token.quoted)
        lines.append("Cache-Control", "no-cache")
        lines.append("X-Content-Type-Options", "nosniff")
        switch audience {
        case .everyone:
            lines.append("Access-Control-Allow-Origin", "*")
            lines.append("Cross-Origin-Resource-Policy", "cross-origin")
        case .dashboard:
            lines.append("Content-Security-Policy", Self.policy)
            lines.append("Cross-Origin-Opener-Policy", "same-origin")
            lines.append("Cross-Origin-Resource-Policy", "same-origin")
            lines.append("Referrer-Policy", "no-referrer")
        }
        if isModified { lines.append("Content-Type", type) }
        return lines.bytes
    }

    /// What our page may load and do: nothing but from here (https://www.w3.org/TR/CSP3/).
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The answer to a GET or HEAD.
    func response(to head: RequestHead) -> Response {
        if let tags = head.entityTags(.ifNoneMatch), tags.matchesWeakly(token.hex) {
            return Response(status: 304, fields: fields(isModified: false))
        }
        return Response(status: 200, fields: fields(isModified: true), body: body)
    }
}
