import ActivityCore
import HTTPCodec
import Testing
import WireFormat

@testable import ActivityService

/// What a path means, or why it is refused; texts make the tables readable.
private func meaning(of path: String) -> String {
    guard let found = ResourcePath(ArraySlice(path.utf8)) else { return "404" }
    do throws(Problem) {
        switch try Route(found) {
        case .run(let key): return "run \(key.scope.rawValue)|\(key.task.rawValue)|\(key.run.rawValue)"
        case .runsOfTask(let task, let scope): return "runs of \(scope.rawValue)|\(task.rawValue)"
        case .runs(let scope): return "runs \(scope.rawValue)"
        case .screen(let key): return "screen \(key.scope.rawValue)|\(key.screen.rawValue)"
        case .screens(let scope): return "screens \(scope.rawValue)"
        case .configuration(let screen): return "configuration \(screen.rawValue)"
        case .health: return "health"
        case .readiness: return "readiness"
        case .metrics: return "metrics"
        case .tickets: return "tickets"
        case .web(let file): return "file \(file.path)"
        case .font(let name): return "font \(name)"
        case .server: return "server"
        }
    } catch {
        return "\(error.status) \(error.kind.rawValue)"
    }
}

@Suite struct ResourceTests {
    @Test(arguments: [
        ("/v1/tasks/chats.sync/runs/7f3a", "run |chats.sync|7f3a"),
        ("/v1/scopes/acme.u-42/tasks/chats.sync/runs/7f3a", "run acme.u-42|chats.sync|7f3a"),
        ("/v1/tasks/chats.sync/runs", "runs of |chats.sync"),
        ("/v1/scopes/acme/tasks/chats.sync/runs", "runs of acme|chats.sync"),
        ("/v1/runs", "runs "), ("/v1/scopes/acme/runs", "runs acme"),
        ("/v1/screens", "screens "), ("/v1/scopes/a.b.c.d/screens", "screens a.b.c.d"),
        ("/v1/screens/chats", "screen |chats"), ("/v1/scopes/acme/screens/chats", "screen acme|chats"),
        ("/v1/screens/chats/configuration", "configuration chats"),
        ("/healthz", "health"), ("/readyz", "readiness"), ("/metrics", "metrics"), ("/v1/tickets", "tickets"),
        ("*", "server"),
        ("/pending.js", "file /pending.js"), ("/fonts/a.otf", "font a.otf"), ("/fonts/%2e%2f", "font %2e%2f"),
        ("/fonts/", "font "),
        ("/", "file /"), ("/dashboard.js", "file /dashboard.js"),
        ("/v1/screens/ch%61ts", "screen |chats"),
    ])
    func findsTheResource(path: String, expected: String) {
        #expect(meaning(of: path) == expected)
    }

    @Test(arguments: [
        "/fonts", "/fonts/a/b", "/Fonts/a", "/v1/fonts/a", "/v1", "/v1/", "/v2/runs", "/v1/runs/",
        "/v1/runs/x", "/v1/tickets/x", "/v1/scopes/acme/tickets", "/v1/screens/", "/v1/screens/a/b",
        "/v1/screens/a/configuration/x", "/v1/scopes/acme/screens/a/configuration", "/v1/scopes",
        "/v1/scopes/acme",
        "/v1/scopes/acme/", "/v1/tasks", "/v1/tasks/a", "/v1/tasks/a/run/b", "/v1/tasks/a/runs/b/c",
        "//v1/runs",
        "/v1//runs", "/healthz/", "/V1/runs", "/v1/Runs", "/v1/scopes/a/scopes/b/runs",
    ])
    func knowsNoOtherPath(path: String) {
        let found = meaning(of: path)
        #expect(found == "404" || found == "400 invalid-name", "\(found)")
    }

    @Test(arguments: [
        "/v1/tasks/.a/runs/b", "/v1/tasks/a%2Fb/runs/c", "/v1/tasks/a%00/runs/c", "/v1/tasks/a%zz/runs/c",
        "/v1/tasks/a/runs/.b", "/v1/tasks/a/runs/", "/v1/tasks//runs/b", "/v1/screens/-a",
        "/v1/screens/a%2562",
        "/v1/scopes/a..b/runs", "/v1/scopes/a.b.c.d.e/runs", "/v1/scopes/.a/runs", "/v1/screens/%F0%9F%92%A9",
        "/v1/screens/a.b.c.d.e.f.g.h.i",
    ])
    func refusesNamesAndRepairsNone(path: String) {
        #expect(meaning(of: path) == "400 invalid-name")
    }

    @Test func allowsWhatItLists() {
        for resource in Resource.allCases {
            for method in Method.allCases {
                let listed = resource.methods.split(separator: ", ").contains { $0 == method.rawValue }
                #expect(resource.allows(method) == listed, "\(resource) \(method)")
            }
        }
    }
}
