import EventHTTP
import PangoText

/// What the painter's thread is told.
enum PainterMessage: Sendable {
    /// Draw a picture, and send it to this loop.
    case paint(Picture, loop: Int)
    case stop
}

/// The thread that draws pictures, so that no loop waits for one.
struct PainterThread: Sendable {
    let painter: IndicatorPainter
    let mailbox: Mailbox<PainterMessage>
    let loops: [Mailbox<LoopMessage>]

    /// Draws until it is told to stop. The thread's body.
    func run() throws(EventHTTPError) {
        let loop = try EventLoop()
        loop.receive(from: mailbox) { messages in
            for message in messages {
                switch message {
                case .paint(let picture, let number):
                    loops[number].send(.painted(picture.token, picture.draw(with: painter)))
                case .stop: loop.stop()
                }
            }
        }
        loop.run()
    }
}
