import Glibc
@testable import HTTPCodec

// Tells how this server reads requests, for comparison with another implementation. Compiled by
// scripts/differential, with the RequestReader that a connection uses.
//
// Input: of each connection the number of its bytes and where they are cut (two big-endian words of 32 bits),
// then the bytes. Output: a line each, described in compare.py.

/// One connection: what was read on it so far, as text.
final class Conversation {
    private let reader = RequestReader(limits: CodecLimits())
    private var pending: RequestHead?
    private var isOver = false
    private(set) var text = ""

    func take(_ bytes: UnsafeRawBufferPointer) {
        guard !isOver else { return }
        reader.withUnread(bytes) { read($0) }
    }

    /// The end of the bytes: a head that was accepted without its whole body is told too.
    func finish() {
        guard !isOver else { return }
        if let pending { text += description(of: pending) + " ...|" }
        text += "more"
    }

    private func read(_ unread: UnsafeRawBufferPointer) -> Int {
        var used = 0
        while !isOver {
            switch reader.next(UnsafeRawBufferPointer(rebasing: unread[used...]), used: &used) {
            case .needsMore: return used
            case .refused(let error): end("refused \(error.status)")
            case .head(let head) where head.bodyFraming == .none: complete(head, [])
            case .head(let head):
                pending = head
                reader.beginBody(head.bodyFraming)
            case .body(let body):
                guard let head = pending else { preconditionFailure("A body without a head.") }
                pending = nil
                complete(head, body)
            }
        }
        return used
    }

    private func complete(_ head: RequestHead, _ body: [UInt8]) {
        text += description(of: head) + " " + hex(body[...]) + "|"
        if !head.keepsAlive { end("closed") }
    }

    private func end(_ reason: String) {
        if let pending { text += description(of: pending) + " ...|" }
        text += reason
        isOver = true
    }

    private func description(of head: RequestHead) -> String {
        let line = head.bytes.split(separator: Byte.space, maxSplits: 2)
        let fields = head.fields.map { hex(head.bytes[$0.name]) + ":" + hex(head.bytes[$0.value]) }
        let connection = head.keepsAlive ? "keep" : "close"
        return "\(head.method.rawValue) \(hex(line[1])) 1.\(head.minorVersion) \(connection) "
            + fields.joined(separator: ",")
    }
}

private func hex(_ bytes: ArraySlice<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: text, as: UTF8.self)
}

private func readAll() -> [UInt8] {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(0, &part, part.count), count > 0 { all += part[..<count] }
    return all
}

@main
enum Echo {
    static func main() {
        var rest = readAll()[...]
        while rest.count >= 8 {
            let words = [rest.prefix(4), rest.dropFirst(4).prefix(4)].map {
                $0.reduce(0) { $0 << 8 | Int($1) }
            }
            let bytes = [UInt8](rest.dropFirst(8).prefix(words[0]))
            rest = rest.dropFirst(8 + words[0])
            let conversation = Conversation()
            bytes.withUnsafeBytes {
                conversation.take(UnsafeRawBufferPointer(rebasing: $0[..<words[1]]))
                conversation.take(UnsafeRawBufferPointer(rebasing: $0[words[1]...]))
            }
            conversation.finish()
            print(conversation.text)
        }
    }
}
