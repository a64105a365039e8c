import HTTPCodec

/// A kind of resource: what a path's shape says before any name in it is looked at.
enum Resource: Int, CaseIterable, Sendable {
    case run, runsOfTask, runs, screen, screens, configuration, health, readiness, metrics
    /// Where those who can send no header field get a right to read.
    case tickets
    /// A file for browsers.
    case web
    /// A font that text was measured with.
    case font
    /// `OPTIONS *`.
    case server

    /// The methods that it has, as `Allow` lists them.
    var methods: String {
        switch self {
        case .run: "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"
        case .runsOfTask: "GET, HEAD, POST, OPTIONS"
        case .tickets: "POST, OPTIONS"
        case .runs, .screen, .screens, .health, .readiness, .metrics, .web, .font: "GET, HEAD, OPTIONS"
        case .configuration: "GET, HEAD, PUT, DELETE, OPTIONS"
        case .server: "OPTIONS"
        }
    }

    /// True when it answers `method`.
    func allows(_ method: Method) -> Bool {
        switch method {
        case .options: true
        case .get, .head: self != .server && self != .tickets
        case .put, .delete: self == .run || self == .configuration
        case .patch: self == .run
        case .post: self == .runsOfTask || self == .tickets
        case .connect, .trace: false
        }
    }

    /// What the metrics call it.
    var label: RouteLabel {
        switch self {
        case .run: .run
        case .runsOfTask, .runs: .runs
        case .screen: .screen
        case .screens: .screens
        case .configuration: .configuration
        case .health, .readiness: .probe
        case .metrics: .metrics
        case .tickets: .tickets
        case .web: .web
        case .font: .fonts
        case .server: .other
        }
    }

    /// True when it is served to whoever asks: it holds nobody's data.
    var isPublic: Bool {
        switch self {
        case .health, .readiness, .server, .web, .font: true
        case .run, .runsOfTask, .runs, .screen, .screens, .configuration, .tickets, .metrics: false
        }
    }

    /// True for the probes of an orchestrator, which know no host name of ours.
    var isExemptFromHostCheck: Bool { self == .health || self == .readiness }
}

/// The values of the label `route` in the metrics: fixed texts, never a name from a request.
enum RouteLabel: Int, CaseIterable, Sendable {
    case other, run, runs, screen, screens, stream, picture, configuration, tickets, probe, metrics, web,
        fonts
}

/// What a path says: the kind of resource, and its names as raw bytes, still percent-encoded.
struct ResourcePath {
    let resource: Resource
    private(set) var scope: ArraySlice<UInt8>?
    private(set) var first: ArraySlice<UInt8>?
    private(set) var second: ArraySlice<UInt8>?

    /// Nil when no resource has a path of this shape.
    init?(_ path: ArraySlice<UInt8>) {
        if path.elementsEqual("*".utf8) {
            resource = .server
            return
        }
        var parts = Self.segments(of: path.dropFirst())
        guard parts[0].elementsEqual("v1".utf8) else {
            if parts.count == 1, let found = Self.operational(parts[0]) {
                resource = found
            } else if parts.count == 2, parts[0].elementsEqual("fonts".utf8) {
                resource = .font
                first = parts[1]
            } else if WebFile.find(path) != nil {
                resource = .web
                first = path
            } else {
                return nil
            }
            return
        }
        if parts.count > 3, parts[1].elementsEqual("scopes".utf8) {
            scope = parts[2]
            parts.removeFirst(3)
        } else {
            parts.removeFirst()
        }
        guard let collection = parts.first else { return nil }
        if collection.elementsEqual("runs".utf8), parts.count == 1 {
            resource = .runs
        } else if collection.elementsEqual("tickets".utf8), parts.count == 1, scope == nil {
            resource = .tickets
        } else if collection.elementsEqual("screens".utf8) {
            switch parts.count {
            case 1: resource = .screens
            case 2: resource = .screen
            case 3 where parts[2].elementsEqual("configuration".utf8) && scope == nil:
                resource = .configuration
            default: return nil
            }
        } else if collection.elementsEqual("tasks".utf8), parts.count == 3 || parts.count == 4,
            parts[2].elementsEqual("runs".utf8)
        {
            resource = parts.count == 4 ? .run : .runsOfTask
        } else {
            return nil
        }
        first = parts.count > 1 ? parts[1] : nil
        second = parts.count > 3 ? parts[3] : nil
    }

    /// True for the files of our own page.
    var isDashboard: Bool { resource == .web && first.flatMap(WebFile.find)?.audience == .dashboard }

    /// What stands between the slashes: one more than the longest path has, at most.
    private static func segments(of path: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var segments: [ArraySlice<UInt8>] = []
        segments.reserveCapacity(8)
        var rest = path
        while segments.count < 7, let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
            segments.append(rest[..<slash])
            rest = rest[(slash + 1)...]
        }
        segments.append(rest)
        return segments
    }

    private static func operational(_ name: ArraySlice<UInt8>) -> Resource? {
        if name.elementsEqual("healthz".utf8) { return .health }
        if name.elementsEqual("readyz".utf8) { return .readiness }
        if name.elementsEqual("metrics".utf8) { return .metrics }
        return nil
    }
}
