import Testing

@testable import HTTPCodec
