import EventHTTP
import IndicatorLayout
import PangoText

/// What the painter's thread is told.
enum PainterMessage: Sendable {
    /// Draw a picture, and send it to this loop.
    case paint(Picture, loop: Int)
    /// Read a part of a font, and send it to this loop.
    case read(FontRead, loop: Int)
    /// Say in the log which font answers for this one.
    case tell(TitleFont)
    case stop
}

/// The thread that draws pictures and reads fonts, so that no loop waits for one.
struct PainterThread: Sendable {
    let painter: IndicatorPainter
    let mailbox: Mailbox<PainterMessage>
    let loops: [Mailbox<LoopMessage>]
    let log: Log

    /// Works until it is told to stop. The thread's body.
    func run() throws(EventHTTPError) {
        let loop = try EventLoop()
        loop.receive(from: mailbox) { messages in
            for message in messages {
                switch message {
                case .paint(let picture, let number):
                    loops[number].send(.painted(picture.token, picture.draw(with: painter)))
                case .read(let part, let number): loops[number].send(.read(part.number, part.perform()))
                case .tell(let font): tell(font)
                case .stop: loop.stop()
                }
            }
        }
        loop.run()
    }

    private func tell(_ font: TitleFont) {
        let answer = painter.answer(to: font)
        log.info(
            "Font",
            [
                "family": font.family, "weight": "\(font.weight)", "answeredBy": answer?.family ?? "",
                "file": answer?.path ?? "",
            ])
    }
}
