import ActivityCore
@testable import ActivityService
@testable import HTTPCodec
import WireFormat

/// Everything that reads a request's target: the parser, the path's names, and the query's parameters. Names that are
/// accepted keep their alphabet, so nothing that was encoded twice, and no separator, hides in one.
/// Input: the target.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTarget(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let target = Input(data, size).bytes
    let request = Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    guard case .head(let head, let consumed) = HeadParser.parse(request), consumed == request.count else {
        return 0
    }
    precondition(target.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") })
    for parameter in head.parameters { _ = (parameter.name, parameter.value) }
    if let path = ResourcePath(head.path), let route = try? Route(path) { check(route) }
    let request2 = try? ScreenRequest(head, screen: nil, scope: .root, mostScreens: 256)
    if case .several(let views)? = request2?.selection {
        precondition(!views.isEmpty && views.count <= 256)
        for view in views { checkName(view.screen.rawValue) }
    }
    return 0
}

private func check(_ route: Route) {
    switch route {
    case .run(let key):
        checkName(key.scope.rawValue)
        checkName(key.task.rawValue)
        checkName(key.run.rawValue)
    case .runsOfTask(let task, let scope):
        checkName(task.rawValue)
        checkName(scope.rawValue)
    case .runs(let scope), .screens(let scope): checkName(scope.rawValue)
    case .screen(let key):
        checkName(key.scope.rawValue)
        checkName(key.screen.rawValue)
    case .configuration(let screen): checkName(screen.rawValue)
    case .web(let file): precondition(file.path.first == "/")
    // Of a font's name nothing is promised: it is looked up.
    case .font, .health, .readiness, .metrics, .tickets, .server: break
    }
}

private func checkName(_ name: String) {
    precondition(name.utf8.count <= 259)
    precondition(name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "._-".utf8.contains($0) })
}
