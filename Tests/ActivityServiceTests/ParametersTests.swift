import IndicatorLayout
import Testing
import WireFormat

@testable import ActivityService

@Suite struct ParametersTests {
    private func parameters(_ query: String) -> Parameters { Parameters(ArraySlice(query.utf8)) }

    @Test(arguments: [
        ("0", 0.0), ("200", 200), ("0.5", 0.5), ("10000", 10_000), ("007", 7), ("1.250", 1.25),
    ])
    func readsPlainDecimals(text: String, expected: Double) throws {
        #expect(try parameters("width=\(text)").geometry().width == expected)
    }

    @Test(arguments: [
        "", "-1", "10000.1", "1e3", "0x10", "nan", "inf", "1.", ".5", "1.2.3", "+1", "%201", "1,5", "--1",
        "1-",
    ])
    func refusesOtherNumbers(text: String) {
        #expect(throws: Problem.self) { try parameters("width=\(text)").geometry() }
    }

    @Test func readsTheWholeGeometry() throws {
        let view = try parameters(
            "width=1&height=2&scale=3&direction=rtl&fontScale=4&barWidth=5&leadingInset=6&trailingInset=7"
        ).geometry()
        var expected = ViewGeometry()
        expected.width = 1
        expected.height = 2
        expected.scale = 3
        expected.direction = .rtl
        expected.fontScale = 4
        expected.barWidth = 5
        expected.leadingInset = 6
        expected.trailingInset = 7
        #expect(view == expected)
    }

    @Test(arguments: [
        ("", 50), ("limit=1", 1), ("limit=200", 200), ("limit=201", 200), ("limit=1000000", 200),
    ])
    func boundsTheLimit(query: String, expected: Int) throws {
        #expect(try parameters(query).limit() == expected)
    }

    @Test func takesALimitBeyondAllIntegersAs200() throws {
        #expect(try parameters("limit=99999999999999999999999").limit() == 200)
    }

    @Test(arguments: [
        "limit=0", "limit=-1", "limit=", "limit=x", "limit=1.5", "limit=0000000000000000000000000",
    ])
    func refusesOtherLimits(query: String) {
        #expect(throws: Problem.self) { try parameters(query).limit() }
    }

    @Test func refusesARepeatedParameterButKeepsEveryId() throws {
        #expect(throws: Problem.self) { try parameters("width=1&width=1").geometry() }
        #expect(try parameters("id=a&x=1&x=2&id=b&id=a").all("id") == ["a", "b", "a"])
    }

    @Test(arguments: ["width=%", "width=%2", "width=%zz", "width=%c3%28", "width=1&width=%"])
    func namesAParameterThatIsNotPercentEncodedText(query: String) throws {
        let problem = try #require(throws: Problem.self) { try parameters(query).geometry() }
        #expect(problem.members == [.parameter("width")])
    }

    @Test(arguments: ["x=%", "%ff=1", "x=%c3%28&y=%zz"])
    func ignoresUnknownParametersWhateverTheyHold(query: String) throws {
        #expect(try parameters(query).geometry() == ViewGeometry())
        #expect(try parameters(query).limit() == 50)
    }

    @Test(
        arguments: [
            ("b", "b", nil, nil), ("b:390x44", "b", 390, 44), ("b:1.5x0", "b", 1.5, 0),
        ] as [(String, String, Double?, Double?)])
    func readsAnIdWithItsSize(id: String, screen: String, width: Double?, height: Double?) throws {
        let view = try ViewRequest(id: id, geometry: ViewGeometry())
        #expect(view.screen.rawValue == screen)
        #expect(view.geometry.width == width)
        #expect(view.geometry.height == height)
        #expect(view.label == id)
    }

    @Test(arguments: [
        "", ":1x1", "b:", "b:1", "b:1x", "b:x1", "b:1x1x1", "b:-1x1", "b:1x10001", "b:1X1", ".b", "b:1x1 ",
    ])
    func refusesOtherIds(id: String) {
        #expect(throws: Problem.self) { try ViewRequest(id: id, geometry: ViewGeometry()) }
    }
}
