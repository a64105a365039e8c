import Testing

@testable import IndicatorLayout
