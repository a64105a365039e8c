import Glibc

/// Many event streams, and what they see of numbered titles such as `#17#`.
final class Subscribers {
    private enum Step: UInt8 { case connecting, waiting, ready, failed }

    private struct Stream {
        let socket: Socket
        var step = Step.connecting
        /// The number that is being read, after a `#`; nil outside of one.
        var digits: Int32?
        /// The newest number seen, and how often: an event holds its title twice.
        var last: Int32 = 0
        var appearances = 0
    }

    private static let appearancesPerEvent = 2

    private let port: UInt16
    private let poller: Poller
    private let request: (Int) -> [UInt8]
    private var streams: [Stream] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    private var opening = 0
    private(set) var ready = 0
    private(set) var failed = 0
    /// Streams that ended by themselves after they were ready.
    private(set) var lost = 0
    private(set) var events = 0
    /// Events whose number was seen before on the same stream, or is lower than one seen.
    private(set) var repeated = 0
    private(set) var reordered = 0
    /// How many streams have seen `awaited`.
    private(set) var arrived = 0
    private var awaited: Int32 = 0
    /// When each number was published, by number; 0 is none.
    private var publishedAt: [UInt64] = [0]
    private var latencies: [Double] = []

    /// - Parameter request: what stream number N sends.
    init(port: UInt16, batch: Int = 256, _ request: @escaping (Int) -> [UInt8]) throws(BenchError) {
        self.port = port
        self.request = request
        poller = try Poller(batch: batch)
    }

    deinit { buffer.deallocate() }

    /// Milliseconds from a publication to each stream that saw it.
    var latency: Spread { Spread(latencies) }

    /// Opens `count` streams, at most `inFlight` at a time, and waits for their first state. Seconds that it took.
    @discardableResult func open(
        _ count: Int, inFlight: Int = 256, timeout: Double = 60
    ) throws(BenchError) -> Double {
        let begin = Clock.now
        let end = streams.count + count
        while ready + failed < end {
            while streams.count < end, opening < inFlight {
                let socket = try Socket(port: port, isBlocking: false)
                poller.add(socket, streams.count, isConnecting: true)
                streams.append(Stream(socket: socket))
                opening += 1
            }
            turn(milliseconds: 100)
            guard Clock.seconds(since: begin) < timeout else {
                throw .daemon("\(end - ready - failed) of \(count) streams stayed without a state")
            }
        }
        return Clock.seconds(since: begin)
    }

    /// The next number, which is published now.
    func nextNumber() -> Int {
        awaited += 1
        arrived = 0
        publishedAt.append(Clock.now)
        return Int(awaited)
    }

    /// Reads until every stream has seen the newest number. Milliseconds since it was published.
    func waitForAll(timeout: Double = 30) throws(BenchError) -> Double {
        let begin = publishedAt[Int(awaited)]
        while arrived < ready - lost {
            turn(milliseconds: 100)
            guard Clock.seconds(since: begin) < timeout else {
                throw .daemon("\(ready - lost - arrived) streams did not see number \(awaited)")
            }
        }
        return Clock.seconds(since: begin) * 1_000
    }

    /// Takes one batch of what has arrived.
    func turn(milliseconds: Int32) {
        poller.wait(milliseconds: milliseconds) { number in
            switch streams[number].step {
            case .connecting: start(number)
            case .waiting, .ready: read(number)
            case .failed: break
            }
        }
    }

    private func start(_ number: Int) {
        streams[number].step = .waiting
        poller.connected(streams[number].socket, number)
        if !streams[number].socket.send(request(number)) { fail(number) }
    }

    private func fail(_ number: Int) {
        if streams[number].step == .ready {
            lost += 1
        } else {
            failed += 1
            opening -= 1
        }
        streams[number].step = .failed
        shutdown(streams[number].socket.descriptor, Int32(SHUT_RDWR))
    }

    private func read(_ number: Int) {
        let count = streams[number].socket.receive(into: buffer, isWaiting: false)
        guard count > 0 else {
            if count == 0 || errno != EAGAIN { fail(number) }
            return
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        if streams[number].step == .waiting {
            // Head and first state are sent at once, and loopback does not cut them.
            guard bytes.starts(with: "HTTP/1.1 200".utf8),
                AnswerHead(of: bytes).map({ $0.size < count }) == true
            else { return fail(number) }
            streams[number].step = .ready
            ready += 1
            opening -= 1
        }
        scan(bytes, &streams[number])
    }

    private func scan(_ bytes: UnsafeRawBufferPointer, _ stream: inout Stream) {
        guard let base = bytes.baseAddress else { return }
        var at = 0
        while at < bytes.count {
            if stream.digits == nil {
                guard let mark = memchr(base + at, 0x23, bytes.count - at) else { return }
                at = UnsafeRawPointer(mark) - base + 1
                stream.digits = 0
                continue
            }
            let byte = bytes[at]
            at += 1
            switch byte {
            case 0x30...0x39: stream.digits = (stream.digits ?? 0) &* 10 &+ Int32(byte - 0x30)
            case 0x23:
                let number = stream.digits ?? 0
                stream.digits = nil
                if number > 0 { see(number, &stream) }
            default: stream.digits = nil
            }
        }
    }

    private func see(_ number: Int32, _ stream: inout Stream) {
        if number == stream.last {
            stream.appearances += 1
            if stream.appearances > Self.appearancesPerEvent { repeated += 1 }
            return
        }
        if number < stream.last { reordered += 1 }
        stream.last = number
        stream.appearances = 1
        events += 1
        guard number <= awaited else { return }
        if number == awaited { arrived += 1 }
        latencies.append(Double(Clock.now - publishedAt[Int(number)]) / 1e6)
    }
}
