import CLibevent
import Glibc

/// Accepts connections from one listening socket for one server.
///
/// Sees to it that a shortage of descriptors costs neither the processor nor a flood of log lines: it stops for a
/// moment, while what is open goes on, and clients wait in the kernel's queue.
final class Listener {
    private let server: HTTPServer
    let socket: ListeningSocket
    private var watch: ReadWatch?
    private var retry: LoopTimer?
    /// Given up when there is no other descriptor, so that one client can still be told that the server is full.
    private(set) var spare = Descriptor.spare()

    /// The server holds its listeners until they are closed.
    init(_ server: HTTPServer, _ socket: ListeningSocket) {
        self.server = server
        self.socket = socket
        retry = server.loop.timer { [unowned self] in resume() }
        watch = ReadWatch(loop: server.loop, socket.descriptor) { [unowned self] in
            accept(atMost: server.limits.acceptsPerTurn)
        }
    }

    /// Accepts until the queue is empty, `limit` connections have been accepted, or it is better to wait.
    func accept(atMost limit: Int) {
        for _ in 0..<limit {
            let place = server.budget.claim()
            guard place != .none else {
                return pause("all \(server.budget.connections) connections are in use")
            }
            let number = acceptOne()
            guard number < 0 else {
                server.adopt(number, isServerFull: place == .courtesy)
                continue
            }
            let failure = errno
            if isShortage(failure), spare != nil {
                spare = nil
                let number = acceptOne()
                if number >= 0 { server.adopt(number, isServerFull: true) } else { server.budget.release() }
                return pause("no descriptor is left: errno \(failure)")
            }
            server.budget.release()
            switch failure {
            case EAGAIN: return
            // The connection failed before it was accepted, or the network did: accept(2), "Error handling".
            case EINTR, ECONNABORTED, EPROTO, EPERM, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
                EOPNOTSUPP, ENETUNREACH:
                continue
            default: return pause("accept failed: errno \(failure)")
            }
        }
    }

    /// Accepts what waits in the queue, and nothing after that.
    func finish() {
        accept(atMost: Int(ListeningSocket.backlog))
        watch = nil
        retry = nil
        socket.retire()
    }

    private func acceptOne() -> Int32 {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return accept4(socket.descriptor.number, nil, nil, flags)
    }

    private func isShortage(_ failure: Int32) -> Bool {
        failure == EMFILE || failure == ENFILE || failure == ENOBUFS || failure == ENOMEM
    }

    private func pause(_ reason: String) {
        watch?.pause()
        retry?.schedule(afterNanoseconds: UInt64.random(in: 50_000_000...100_000_000))
        if server.budget.mayComplain(at: server.loop.now) {
            server.log("not accepting on \(socket.address) for a moment: \(reason)")
        }
    }

    private func resume() {
        if spare == nil { spare = Descriptor.spare() }
        watch?.resume()
    }
}
