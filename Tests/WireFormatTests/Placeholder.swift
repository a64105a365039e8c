import Testing

@testable import WireFormat
