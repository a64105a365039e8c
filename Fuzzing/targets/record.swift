import ActivityCore
@testable import WireFormat

/// The journal's records: damage is an error and no trap, and what is read is written as the same record.
/// Input: the key, LF, the value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRecord(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Input(data, size).bytes
    let key = bytes.prefix { $0 != UInt8(ascii: "\n") }
    let value = key.count < bytes.count ? [UInt8](bytes[(key.count + 1)...]) : nil
    guard let key = String(validating: key, as: UTF8.self),
        let record = try? RecordFormat.decode(key: key, value: value)
    else { return 0 }
    let written = RecordFormat.encode(record)
    precondition(written.key == key)
    precondition((try? RecordFormat.decode(key: written.key, value: written.value)) == record)
    return 0
}
