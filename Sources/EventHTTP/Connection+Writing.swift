import CLibevent
import Glibc
import HTTPCodec

extension Connection {
    /// Bytes that the kernel has not taken yet.
    var queuedBytes: Int { output.count - outputSent }

    /// Sends at once what the kernel takes, and queues the rest.
    func write(_ bytes: UnsafeRawBufferPointer) {
        guard !isBroken else { return }
        guard queuedBytes == 0 else { return queue(bytes) }
        let count = transmit(bytes)
        guard count >= 0 else { return breakOff() }
        if count < bytes.count { queue(UnsafeRawBufferPointer(rebasing: bytes[count...])) }
    }

    /// The number of bytes that the kernel took; −1 if the client is gone.
    private func transmit(_ bytes: UnsafeRawBufferPointer) -> Int {
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        let count = send(descriptor, bytes.baseAddress, bytes.count, flags)
        if count < 0, errno == EAGAIN || errno == EINTR || errno == ENOBUFS { return 0 }
        return count
    }

    private func queue(_ bytes: UnsafeRawBufferPointer) {
        if outputSent > output.count / 2 {
            output.removeFirst(outputSent)
            outputSent = 0
        }
        output.append(contentsOf: bytes)
        server.countUnread(bytes.count)
        guard writeEvent == nil, !isBroken else { return }
        writeEvent = LoopEvent(server.loop, descriptor, EV_WRITE | EV_PERSIST, connectionWritable, self)
        writeEvent?.add()
    }

    /// The client is gone, which was found out while the application was sending: it is told later.
    private func breakOff() {
        isBroken = true
        detach()
        server.loop.postpone { [self] in close() }
    }

    /// Whoever sends more is told, by the stream or body, that it is in vain.
    private func detach() {
        switch state {
        case .streaming(let stream): stream.detach()
        case .sending(let body, _): body.detach()
        case .reading, .deciding, .parked, .writing, .finishing, .lingering, .closed: break
        }
    }

    /// Drops what its reader has not taken; it is reset at the end of the turn.
    func giveUp() {
        dropOutput()
        isBroken = true
        detach()
        server.loop.postpone { [self] in abort() }
    }

    func dropOutput() {
        server.countUnread(-queuedBytes)
        output = []
        outputSent = 0
        writeEvent = nil
    }

    fileprivate func becameWritable() {
        let before = queuedBytes
        let count = output.withUnsafeBytes { transmit(UnsafeRawBufferPointer(rebasing: $0[outputSent...])) }
        guard count >= 0 else { return close() }
        guard count > 0 else { return }
        outputSent += count
        server.countUnread(-count)
        if queuedBytes == 0 { dropOutput() }
        switch state {
        case .writing(let ending): if queuedBytes == 0 { end(ending) } else { start(.stalled) }
        case .finishing(let stream): if queuedBytes == 0 { startLingering(stream) } else { start(.stalled) }
        case .streaming(let stream): drained(stream, from: before)
        case .sending(let body, _): drained(body)
        case .reading, .deciding, .parked, .lingering, .closed: break
        }
    }

    private func drained(_ stream: EventStream, from before: Int) {
        if queuedBytes == 0 { server.deadlines.cancel(slot) } else { start(.stalled) }
        let half = server.limits.streamQueue / 2
        if queuedBytes == 0 || (before > half && queuedBytes <= half) { handler.streamDrained(stream) }
    }
}

private func connectionWritable(_: Int32, _: Int16, _ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<Connection>.fromOpaque(argument)._withUnsafeGuaranteedRef { $0.becameWritable() }
}

// MARK: - Responses

extension Connection {
    /// Sends the response to the request that is being answered.
    func respond(_ exchange: Exchange, _ response: Response, closes: Bool = false) {
        let ending = ending(of: exchange, closes: closes || response.closes)
        let count = server.assemble { buffer in
            ResponseHead.append(
                response, isHead: exchange.isHead, date: server.date, requestID: exchange.id.bytes,
                connection: connectionField(exchange, ending), to: &buffer)
        } send: {
            write($0)
        }
        isFresh = false
        finishWriting(ending)
        handler.answered(exchange, status: response.status, bytes: count)
    }

    /// The whole of a response was handed over.
    func finishWriting(_ ending: Ending) {
        if queuedBytes == 0 {
            end(ending)
        } else {
            state = .writing(ending)
            start(.stalled)
        }
    }

    func ending(of exchange: Exchange, closes: Bool) -> Ending {
        if closes || exchange.isServerFull || server.isDraining { return .close }
        return exchange.keepsAlive ? .nextRequest : .close
    }

    func connectionField(_ exchange: Exchange, _ ending: Ending) -> ResponseHead.Connection {
        ending != .nextRequest ? .close : exchange.minorVersion == 0 ? .keepAlive : .unsaid
    }

    private func end(_ ending: Ending) {
        switch ending {
        case .nextRequest: readNext()
        case .close: startLingering(nil)
        }
    }

    private func readNext() {
        state = .reading
        guard !isProcessing else { return }
        if reader?.isBetweenRequests == false { resumeLater() } else { settle() }
    }

    private func startLingering(_ stream: EventStream?) {
        state = .lingering(stream)
        pending = nil
        reader = nil
        shutdown(descriptor, Int32(SHUT_WR))
        start(.linger)
        watch()
    }

    func park(_ exchange: Exchange, _ kind: ParkKind) {
        state = .parked(exchange, kind)
        if !isProcessing { settle() }
    }
}

// MARK: - Streams

extension Connection {
    func openStream(
        _ exchange: Exchange, _ fields: [UInt8], _ first: EventChunk, isLast: Bool
    ) -> EventStream? {
        let isRaw = exchange.minorVersion == 0
        let count = server.assemble { buffer in
            ResponseHead.append(
                status: 200, date: server.date, requestID: exchange.id.bytes, fields: fields,
                framing: isRaw ? .none : .chunked, connection: .close, to: &buffer)
            append(first, isRaw: isRaw, to: &buffer)
            if isLast, !isRaw { buffer.append(contentsOf: EventChunk.terminator) }
        } send: {
            write($0)
        }
        isFresh = false
        defer { handler.answered(exchange, status: 200, bytes: count) }
        guard !isLast else {
            state = .writing(.close)
            if queuedBytes == 0 { end(.close) } else { start(.stalled) }
            return nil
        }
        reader = nil
        let stream = EventStream(self, isRaw: isRaw, now: now)
        server.streamCount += 1
        state = .streaming(stream)
        watch()
        if queuedBytes == 0 { server.deadlines.cancel(slot) } else { start(.stalled) }
        return stream
    }

    /// Sends an event, or queues it behind those that are.
    func sendEvent(_ bytes: UnsafeRawBufferPointer) {
        let wasQueued = queuedBytes > 0
        write(bytes)
        if queuedBytes > 0, !wasQueued { start(.stalled) }
    }

    func finishStream(_ last: EventChunk?, isRaw: Bool) {
        guard case .streaming(let stream) = state else { return }
        _ = server.assemble { buffer in
            if let last { append(last, isRaw: isRaw, to: &buffer) }
            if !isRaw { buffer.append(contentsOf: EventChunk.terminator) }
        } send: {
            write($0)
        }
        if queuedBytes == 0 {
            startLingering(stream)
        } else {
            if case .streaming = state { state = .finishing(stream) }
            if server.deadlines.kind(of: slot) == nil { start(.stalled) }
        }
    }

    private func append(_ chunk: EventChunk, isRaw: Bool, to buffer: inout [UInt8]) {
        buffer.append(contentsOf: isRaw ? chunk.framed[chunk.payload] : chunk.framed[...])
    }
}
