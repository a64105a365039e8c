import EventHTTP
import Glibc

@testable import ActivityService

/// A whole service on a port of its own, in this process; ended when it is let go of.
final class TestService {
    private let service: Service
    let port: UInt16

    init(_ change: (inout ServiceSettings) -> Void = { _ in }) throws {
        var settings = ServiceSettings()
        settings.listen = [.tcp(host: "127.0.0.1", port: 0)]
        settings.loops = 2
        settings.drain = 0
        change(&settings)
        service = try Service(settings, log: Log(level: .error)) { error in
            preconditionFailure("the service failed: \(error.message)")
        }
        guard case .tcp(_, let port) = service.addresses[0] else {
            preconditionFailure("a TCP port was asked for")
        }
        self.port = port
        while try get("/readyz").status != 200 { usleep(1_000) }
    }

    deinit {
        service.drain(.closing)
        service.drain(.ending)
        service.join()
    }

    /// A connection that is closed when it is let go of.
    func connect() throws -> TestConnection { try TestConnection(port: port) }

    func get(_ target: String, _ fields: String...) throws -> TestAnswer {
        try connect().ask("GET \(target)", fields)
    }

    @discardableResult func send(_ method: String, _ target: String, _ body: String) throws -> TestAnswer {
        try connect().ask("\(method) \(target)", ["Content-Length: \(body.utf8.count)"], body)
    }
}

struct TestFailure: Error {
    let text: String
}

struct TestAnswer {
    let status: Int
    let head: String
    let body: String

    /// The value of a header field.
    func field(_ name: String) -> String? {
        head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
            .map { String($0.dropFirst(name.count + 2)) }
    }
}

/// One blocking connection; every wait ends after 10 s with a failure.
final class TestConnection {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let failure = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
        guard failure == 0 else { throw TestFailure(text: "connect: \(errno)") }
    }

    deinit { close(descriptor) }

    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Sends one request, and reads its answer by Content-Length.
    func ask(_ start: String, _ fields: [String] = [], _ body: String = "") throws -> TestAnswer {
        let lines = ["\(start) HTTP/1.1", "Host: localhost"] + fields
        write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        let head = try read(upTo: "\r\n\r\n")
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        let answer = TestAnswer(status: status, head: head, body: "")
        let length =
            status == 304 || status == 204 ? 0 : answer.field("Content-Length").flatMap { Int($0) } ?? 0
        while received.count < length { try receive() }
        let text = String(decoding: received[..<length], as: UTF8.self)
        received.removeFirst(length)
        return TestAnswer(status: status, head: head, body: text)
    }

    /// Asks for an event stream and reads its head. HTTP/1.0, so that what follows is the stream itself.
    func subscribe(_ target: String) throws {
        write("GET \(target) HTTP/1.0\r\nAccept: text/event-stream\r\n\r\n")
        _ = try read(upTo: "\r\n\r\n")
    }

    /// The data of the next `event: state`.
    func nextState() throws -> String {
        while true {
            let block = try read(upTo: "\n\n")
            guard block.contains("event: state\n"), let data = block.split(separator: "\n").last else {
                continue
            }
            return String(data.dropFirst("data: ".count))
        }
    }

    func read(upTo end: String) throws -> String {
        let wanted = Array(end.utf8)
        var from = 0
        while true {
            if received.count >= wanted.count {
                for start in from...(received.count - wanted.count)
                where received[start..<start + wanted.count].elementsEqual(wanted) {
                    defer { received.removeFirst(start + wanted.count) }
                    return String(decoding: received[..<start], as: UTF8.self)
                }
                from = received.count - wanted.count + 1
            }
            try receive()
        }
    }

    private func receive() throws {
        var part = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &part, part.count, 0)
        guard count > 0 else { throw TestFailure(text: "the connection ended, or nothing came: \(errno)") }
        received += part[..<count]
    }
}

/// The text of a member of a flat JSON object.
func member(_ name: String, of json: String) -> String? {
    guard let start = json.range(after: "\"\(name)\":\"") else { return nil }
    return String(json[start...].prefix { $0 != "\"" })
}

extension String {
    fileprivate func range(after text: String) -> Index? {
        let (own, wanted) = (Array(utf8), Array(text.utf8))
        guard own.count >= wanted.count else { return nil }
        let found = (0...(own.count - wanted.count)).first {
            own[$0..<$0 + wanted.count].elementsEqual(wanted)
        }
        return found.map { utf8.index(utf8.startIndex, offsetBy: $0 + wanted.count) }
    }
}
