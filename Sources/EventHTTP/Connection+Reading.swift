import CLibevent
import Glibc
import HTTPCodec

extension Connection {
    /// Requests answered at once, before the connection waits for its share of a turn as all do that have more to ask,
    /// and in one such share.
    private static let requestsAtOnce = 4
    private static let requestsPerShare = 64

    private enum Received {
        case bytes(UnsafeRawBufferPointer)
        case nothing
        case end
        case failure
    }

    func becameReadable() {
        switch state {
        case .reading:
            if isResuming { unwatch() } else { read() }
        case .parked(let exchange, .longPoll):
            readWhileParked(exchange)
        case .parked(_, .write), .writing, .sending, .deciding:
            // It waits in the kernel until the answer is out; most clients send nothing before that, so the watch is
            // kept until one does, and an ordinary request costs no epoll_ctl.
            unwatch()
        case .streaming, .finishing, .lingering:
            discard()
        case .closed: break
        }
    }

    private func receive() -> Received {
        let scratch = server.loop.scratch
        let count = recv(descriptor, scratch.baseAddress, scratch.count, Int32(MSG_DONTWAIT))
        if count > 0 { return .bytes(UnsafeRawBufferPointer(rebasing: scratch[..<count])) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failure
    }

    private func read() {
        switch receive() {
        case .bytes(let bytes): process(bytes)
        case .nothing: break
        case .end, .failure: close()
        }
    }

    private func readWhileParked(_ exchange: Exchange) {
        switch receive() {
        case .bytes(let bytes):
            reader?.keep(bytes)
            if !hasRoom { unwatch() }
        case .nothing: break
        case .end:
            // It can be read again, and will be when the answer is out.
            unwatch()
            finishLongPoll(exchange)
        case .failure: close()
        }
    }

    /// While a long poll is parked, what follows is kept up to the size of a head.
    private var hasRoom: Bool { (reader?.kept.count ?? 0) < server.limits.codec.headSize }

    /// The client has finished sending: the application answers now or never.
    private func finishLongPoll(_ exchange: Exchange) {
        handler.clientFinished(exchange)
        if case .parked = state { close() }
    }

    private var discardLimit: Int {
        if case .lingering = state { server.limits.lingered } else { server.limits.discarded }
    }

    private func discard() {
        switch receive() {
        case .bytes(let bytes):
            discarded += bytes.count
            if discarded > discardLimit { close() }
        case .nothing: break
        case .end, .failure: close()
        }
    }
}

// MARK: - Requests

extension Connection {
    /// Reads requests out of what was kept and `fresh` until one is not answered at once or bytes are missing.
    private func process(_ fresh: UnsafeRawBufferPointer) {
        guard let reader else { return }
        isProcessing = true
        let most = fresh.isEmpty ? Self.requestsPerShare : Self.requestsAtOnce
        reader.withUnread(fresh) { readRequests(reader, $0, atMost: most) }
        isProcessing = false
        settle()
    }

    /// Goes on with what was kept while an answer was owed. Queued, so that no callback is on the stack.
    func resume() {
        isResuming = false
        guard case .reading = state else { return }
        process(UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// The number of bytes read.
    private func readRequests(
        _ reader: RequestReader, _ unread: UnsafeRawBufferPointer, atMost most: Int
    ) -> Int {
        var used = 0
        var answered = 0
        while case .reading = state {
            guard answered < most else {
                resumeLater()
                break
            }
            let rest = UnsafeRawBufferPointer(rebasing: unread[used...])
            switch reader.next(rest, used: &used) {
            case .needsMore:
                return used
            case .refused(let error):
                refuse(.framing(error))
            case .head(let head):
                answered += 1
                accept(head, reader)
                if pending != nil, used == unread.count { continueIfExpected(head) }
            case .body(let body):
                guard let request = pending else { preconditionFailure("a body without a request") }
                pending = nil
                handle(request.head, body, request.exchange)
            }
        }
        return used
    }

    private func accept(_ head: RequestHead, _ reader: RequestReader) {
        server.deadlines.cancel(slot)
        let exchange = server.newExchange(self, head)
        if let refusal = handler.refusal(of: head, exchange) {
            exchange.state = .answered
            respond(exchange, refusal, closes: head.bodyFraming != .none)
        } else if head.bodyFraming == .none {
            handle(head, [], exchange)
        } else {
            pending = PendingRequest(head, exchange)
            reader.beginBody(head.bodyFraming)
        }
    }

    private func handle(_ head: RequestHead, _ body: [UInt8], _ exchange: Exchange) {
        state = .deciding(exchange)
        handler.handle(head, body: body, exchange)
        if case .deciding = state { preconditionFailure("a request was neither answered nor parked") }
    }

    /// Tells a client that waits for it to send its body. One that has begun to send does not wait (RFC 9110, 10.1.1).
    private func continueIfExpected(_ head: RequestHead) {
        if head.expectsContinue { ResponseHead.continue.withUnsafeBytes { write($0) } }
    }

    /// Refuses what cannot be read, and all that follows it.
    func refuse(_ error: ServerError) {
        let exchange = pending?.exchange ?? server.newExchange(self, nil)
        pending = nil
        let response = handler.response(to: error, exchange)
        exchange.state = .answered
        respond(exchange, response, closes: true)
    }

    func resumeLater() {
        guard !isResuming else { return }
        isResuming = true
        server.loop.queue { [self] in resume() }
    }

    /// What is waited for now that all that could be read has been.
    func settle() {
        if case .parked(_, .longPoll) = state, hasRoom { return watch() }
        guard case .reading = state, !isResuming else { return }
        watch()
        let kind = server.deadlines.kind(of: slot)
        if reader?.isInBody == true {
            if kind != .body { start(.body) }
        } else if reader?.isBetweenRequests == false {
            if kind != .head { start(.head) }
        } else if !isServerFull {
            start(.idle)
        }
    }
}
