import Testing

@testable import PangoText
