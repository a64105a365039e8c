import Testing

@testable import EventHTTP
