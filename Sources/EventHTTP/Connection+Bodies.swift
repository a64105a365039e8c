import HTTPCodec

extension Connection {
    /// Sends the head of a response whose body is `length` bytes, and the first of them.
    func openBody(
        _ exchange: Exchange, _ fields: [UInt8], length: Int, _ first: [UInt8]
    ) -> ResponseBody? {
        precondition(first.count <= length, "a body is longer than was told")
        let ending = ending(of: exchange, closes: false)
        let count = server.assemble { buffer in
            ResponseHead.append(
                status: 200, date: server.date, requestID: exchange.id.bytes, fields: fields,
                framing: .length(length), connection: connectionField(exchange, ending), to: &buffer)
            if !exchange.isHead { buffer.append(contentsOf: first) }
        } send: {
            write($0)
        }
        isFresh = false
        defer { handler.answered(exchange, status: 200, bytes: count) }
        guard !exchange.isHead, first.count < length else {
            finishWriting(ending)
            return nil
        }
        let body = ResponseBody(self, remaining: length - first.count)
        state = .sending(body, ending)
        if queuedBytes > 0 { start(.stalled) }
        return body
    }

    /// Sends the next part, or queues it behind those that are.
    func sendPart(_ part: [UInt8], of body: ResponseBody) {
        guard case .sending(_, let ending) = state else { return }
        part.withUnsafeBytes { write($0) }
        if body.remaining == 0 {
            finishWriting(ending)
        } else if queuedBytes > 0, server.deadlines.kind(of: slot) == nil {
            start(.stalled)
        }
    }

    /// Some of what was handed over has been taken.
    func drained(_ body: ResponseBody) {
        guard queuedBytes == 0 else { return start(.stalled) }
        server.deadlines.cancel(slot)
        handler.bodyDrained(body)
    }
}
