import Testing

@testable import ActivityCore
