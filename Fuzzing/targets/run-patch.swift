import ActivityCore
@testable import WireFormat

/// The merge patch of a run: no bytes trap, and what is accepted means the same when it is read again.
/// Input: the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRunPatch(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Input(data, size).bytes
    guard let patch = try? RunBody.patch(from: bytes) else { return 0 }
    precondition((try? RunBody.patch(from: bytes)) == patch)
    precondition(bytes.isEmpty || (try? JSONDocument(bytes)) != nil)
    return 0
}
