import ActivityCore
@testable import WireFormat

/// The body of a screen's configuration, and the file of all of them: what is accepted can be stored and read back as
/// it was, and what GET tells is the same configuration when it is PUT again. Input: the body.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Input(data, size).bytes
    _ = try? ConfigurationBody.decodeFile(bytes)
    guard let screen = ScreenName("s"), let configuration = try? ConfigurationBody.decode(bytes, for: screen)
    else { return 0 }
    let record = RecordFormat.encode(.configuration(screen, configuration))
    let stored = try? RecordFormat.decode(key: record.key, value: record.value)
    precondition(
        stored == .configuration(screen, configuration), "What is acknowledged is not what is stored.")
    let told = ConfigurationBody.encode(configuration, for: screen, defaultTiming: Timing())
    guard let again = try? ConfigurationBody.decode(told, for: screen) else {
        preconditionFailure("What GET tells is refused by PUT.")
    }
    precondition(ConfigurationBody.encode(again, for: screen, defaultTiming: Timing()) == told)
    return 0
}
