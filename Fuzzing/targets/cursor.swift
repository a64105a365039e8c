import ActivityCore
@testable import WireFormat

/// Cursors and event ids, which clients hand back: there is one text for each that is accepted, and a made-up one
/// reaches nothing. Input: the text of a cursor or an id, or `TASK/RUN` to make a cursor of.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCursor(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let input = Input(data, size)
    if let token = Token(hex: input.rest) { precondition(token.hex == input.bytes) }
    guard let text = input.text else { return 0 }
    checkCursors(into: text)
    if let bytes = Base64URL.decode(text) { precondition(Base64URL.encode(bytes) == text) }
    if let (task, run) = Cursor.run(from: text, scope: .root, taskFilter: nil, state: nil) {
        precondition(Cursor.afterRun(run, of: task, scope: .root, taskFilter: nil, state: nil) == text)
        precondition(Cursor.run(from: text, scope: .root, taskFilter: task, state: nil) == nil)
        precondition(Cursor.screen(from: text, scope: .root) == nil)
    }
    if let screen = Cursor.screen(from: text, scope: .root) {
        precondition(Cursor.afterScreen(screen, scope: .root) == text)
        precondition(Scope("a").flatMap { Cursor.screen(from: text, scope: $0) } == nil)
    }
    return 0
}

/// A cursor is read as what it was made of.
private func checkCursors(into text: String) {
    let names = text.split(separator: "/").map(String.init)
    if names.count == 2, let task = TaskName(names[0]), let run = RunID(names[1]) {
        let cursor = Cursor.afterRun(run, of: task, scope: .root, taskFilter: task, state: .lost)
        let read = Cursor.run(from: cursor, scope: .root, taskFilter: task, state: .lost)
        precondition(read?.task == task && read?.run == run)
        precondition(Cursor.run(from: cursor, scope: .root, taskFilter: task, state: nil) == nil)
    }
    if let screen = ScreenName(text) {
        precondition(Cursor.screen(from: Cursor.afterScreen(screen, scope: .root), scope: .root) == screen)
    }
}
