import Testing

@testable import ActivityService
