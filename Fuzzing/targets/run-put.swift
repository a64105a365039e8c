import ActivityCore
@testable import WireFormat

/// The body that declares a run: what is accepted can be stored, read back as it was, and told as JSON.
/// Input: the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRunPut(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    guard let declaration = try? RunBody.declaration(from: Input(data, size).bytes),
        let task = TaskName("t"), let id = RunID("r")
    else { return 0 }
    precondition(declaration.state != .lost && (5...86_400).contains(declaration.ttl))
    precondition((declaration.title?.unicodeScalars.count ?? 0) <= 200)
    let key = RunKey(scope: .root, task: task, run: id)
    let run = Run(declaration: declaration, startedAt: Timestamp(milliseconds: 0), ordinal: 1)
    let record = RecordFormat.encode(.run(key, run))
    let stored = try? RecordFormat.decode(key: record.key, value: record.value)
    precondition(stored == .run(key, run), "What is acknowledged is not what a restart reads.")
    precondition((try? JSONDocument(RunBody.encode(key, run))) != nil, "The answer is not JSON.")
    return 0
}
