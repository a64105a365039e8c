import CLibevent
import Glibc
import Synchronization

/// The way to a loop from any thread: values go in, the loop's receiver takes them all at once.
///
/// A send costs a short lock, and one eventfd write if the mailbox was empty. Unbounded: who sends bounds what it sends.
public final class Mailbox<Message: Sendable>: Sendable {
    fileprivate struct Contents {
        var messages: [Message] = []
        var isSignalled = false
    }

    private let contents = Mutex(Contents())
    private let wakeup: Descriptor

    /// An empty mailbox. Throws when there is no descriptor left for its eventfd.
    public init() throws(EventHTTPError) {
        let number = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard number >= 0 else { throw .lastError(of: "eventfd") }
        wakeup = Descriptor(number)
    }

    /// Adds a message. From any thread.
    public func send(_ message: Message) {
        signal(
            if: contents.withLock { contents in
                contents.messages.append(message)
                return contents.claimSignal()
            })
    }

    /// Adds messages, kept together and in order. From any thread.
    public func send(contentsOf messages: [Message]) {
        guard !messages.isEmpty else { return }
        signal(
            if: contents.withLock { contents in
                if contents.messages.isEmpty {
                    contents.messages = messages
                } else {
                    contents.messages.append(contentsOf: messages)
                }
                return contents.claimSignal()
            })
    }

    var descriptor: Descriptor { wakeup }

    /// What has arrived since the last call. The eventfd is read first, then the flag is cleared, then the list is
    /// taken: a message sent in between signals once more at worst, and is never left behind.
    func takeAll() -> [Message] {
        var count: UInt64 = 0
        read(wakeup.number, &count, MemoryLayout<UInt64>.size)
        return contents.withLock { contents in
            contents.isSignalled = false
            var taken: [Message] = []
            swap(&taken, &contents.messages)
            return taken
        }
    }

    private func signal(if isNeeded: Bool) {
        guard isNeeded else { return }
        var one: UInt64 = 1
        write(wakeup.number, &one, MemoryLayout<UInt64>.size)
    }
}

extension Mailbox.Contents {
    fileprivate mutating func claimSignal() -> Bool {
        defer { isSignalled = true }
        return !isSignalled
    }
}
