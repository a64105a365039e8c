import ActivityCore
import IndicatorLayout
import Testing

@testable import WireFormat

@Suite struct ScreenBodyTests {
    @Test func writesTheNavigationBarOfTheDesign() throws {
        let screen = try sampleScreen()
        let (body, token) = ScreenBody.encode(
            screen: screen, scope: .root, configuration: .standard(for: screen), state: sampleState,
            frames: .navigationBar(sampleFrames))
        #expect(
            text(body)
                == #"{"screen":"chats","scope":"","kind":"navigationBar","isPending":true,"title":"Updating…","#
                + #""fractionCompleted":0.3,"announcement":"Updating…","runCount":2,"#
                + #""pendingSince":"2026-11-30T19:47:33.120Z","layout":{"bounds":{"x":0,"y":0,"width":200,"#
                + #""height":20},"activityIndicator":{"x":0,"y":0,"width":20,"height":20},"titleLabel":{"x":28,"#
                + #""y":-0.5,"width":89.5,"height":21},"isTruncated":false,"preferredSize":{"width":117.5,"#
                + #""height":21},"fonts":["Inter"]},"version":"\#(text(token.hex))"}"#)
    }
}
