/// Requests as bytes.
enum Request {
    static func get(_ target: String, _ fields: String = "") -> [UInt8] {
        Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\(fields)\r\n".utf8)
    }

    static func put(_ target: String, _ body: String) -> [UInt8] {
        Array(
            "PUT \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                .utf8)
    }

    /// Declares a run in `scope`, the root if empty.
    static func put(_ task: String, _ run: String, _ body: String, in scope: String) -> [UInt8] {
        put("\(prefix(scope))/tasks/\(task)/runs/\(run)", body)
    }

    /// Opens a stream of `screen`; `query` begins with `&` if it says anything.
    static func stream(of screen: String, in scope: String = "", _ query: String = "") -> [UInt8] {
        get("\(prefix(scope))/screens/\(screen)?format=sse\(query)")
    }

    private static func prefix(_ scope: String) -> String { scope.isEmpty ? "/v1" : "/v1/scopes/\(scope)" }
}
