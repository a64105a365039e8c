import Glibc

/// Connections that each send a request as soon as the last one is answered: as many requests as the server answers.
final class ClosedLoop {
    /// What came of it.
    struct Result {
        let requests: Int
        let seconds: Double
        /// The server's own CPU time per request, in microseconds.
        let cpu: Double
        /// Milliseconds from a request to its answer.
        let latency: Spread

        var rate: Double { Double(requests) / seconds }
    }

    private struct Lane {
        let socket: Socket
        var sentAt: UInt64 = 0
        /// What has arrived of an answer that did not come at once.
        var partial: [UInt8] = []
    }

    private let status: ClosedRange<Int>
    private let request: (Int) -> [UInt8]
    private let poller: Poller
    private var lanes: [Lane] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var sent = 0
    private var answered = 0
    private var latencies: [Double] = []
    private var failure: BenchError?

    /// - Parameters:
    ///   - status: what each answer must have.
    ///   - request: the request with this number, from 0.
    init(
        port: UInt16, connections: Int, status: ClosedRange<Int>, _ request: @escaping (Int) -> [UInt8]
    ) throws(BenchError) {
        self.status = status
        self.request = request
        poller = try Poller()
        for number in 0..<connections {
            lanes.append(Lane(socket: try Socket(port: port)))
            poller.add(lanes[number].socket, number)
        }
        latencies.reserveCapacity(1 << 20)
    }

    deinit { buffer.deallocate() }

    /// Keeps all connections busy for `seconds`, or until `limit` requests were sent, and waits for the last answers.
    ///
    /// - Parameter meanwhile: called between two turns.
    func run(
        _ process: ServerProcess, seconds: Double, limit: Int = .max,
        meanwhile: () throws(BenchError) -> Void = {}
    ) throws(BenchError) -> Result {
        let cpu = process.cpuTime
        let begin = Clock.now
        let end = begin + UInt64(seconds * 1e9)
        let limit = limit == .max ? limit : sent + limit
        let answeredBefore = answered
        latencies.removeAll(keepingCapacity: true)
        for number in lanes.indices where sent < limit { send(on: number) }
        while answered < sent {
            poller.wait(milliseconds: 100) { number in
                guard receive(on: number) else { return }
                if sent < limit, lanes[number].sentAt < end { send(on: number) }
            }
            if let failure { throw failure }
            guard Clock.now < end + 30_000_000_000 else {
                throw .daemon("requests stayed unanswered for 30 s")
            }
            try meanwhile()
        }
        let requests = answered - answeredBefore
        return Result(
            requests: requests, seconds: Clock.seconds(since: begin),
            cpu: Double(process.cpuTime - cpu) / 1_000 / Double(max(1, requests)), latency: Spread(latencies))
    }

    private func send(on number: Int) {
        guard lanes[number].socket.send(request(sent)) else {
            failure = .last("send")
            return
        }
        sent += 1
        lanes[number].sentAt = Clock.now
    }

    /// True when the answer is complete.
    private func receive(on number: Int) -> Bool {
        let count = lanes[number].socket.receive(into: buffer, isWaiting: false)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN {
                failure = .daemon("a connection was closed before its answer")
            }
            return false
        }
        var bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if !lanes[number].partial.isEmpty {
            lanes[number].partial += bytes
            return lanes[number].partial.withUnsafeBytes { finish($0, on: number) }
        }
        if finish(bytes, on: number) { return true }
        bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        lanes[number].partial = Array(bytes)
        return false
    }

    private func finish(_ bytes: UnsafeRawBufferPointer, on number: Int) -> Bool {
        guard let answer = AnswerHead(of: bytes), answer.size <= bytes.count else { return false }
        if !status.contains(answer.status) {
            failure = .daemon("unexpected answer: \(String(decoding: bytes, as: UTF8.self))")
        }
        answered += 1
        let now = Clock.now
        latencies.append(Double(now - lanes[number].sentAt) / 1e6)
        lanes[number].sentAt = now
        if !lanes[number].partial.isEmpty { lanes[number].partial = [] }
        return true
    }
}
