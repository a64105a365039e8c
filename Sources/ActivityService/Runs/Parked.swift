import EventHTTP

/// The requests of a loop that wait for an answer of the registry, by the number that their message carries.
final class Parked {
    private var continuations: [UInt64: (RegistryReply) -> Void] = [:]
    private var lastNumber: UInt64 = 0
    /// What this turn of the loop has for the registry.
    private var outbox: [RegistryMessage] = []
    private let loop: EventLoop
    private let number: Int
    private let registry: Mailbox<RegistryMessage>

    /// - Parameter number: the number of `loop`.
    init(loop: EventLoop, number: Int, registry: Mailbox<RegistryMessage>) {
        self.loop = loop
        self.number = number
        self.registry = registry
    }

    /// How many requests wait.
    var count: Int { continuations.count }

    /// Sends the message that `make` gives an address, and has its answer handed to `answer`, once.
    ///
    /// It leaves at the end of the turn, with all others of the turn: the registry's thread is woken once for them,
    /// and commits them together.
    func send(_ make: (ReplyAddress) -> RegistryMessage, _ answer: @escaping (RegistryReply) -> Void) {
        lastNumber += 1
        continuations[lastNumber] = answer
        if outbox.isEmpty { loop.postpone { [self] in post() } }
        outbox.append(make(ReplyAddress(loop: number, number: lastNumber)))
    }

    private func post() {
        var messages: [RegistryMessage] = []
        swap(&messages, &outbox)
        registry.send(contentsOf: messages)
    }

    /// The registry answered message `number`.
    func resume(_ number: UInt64, with reply: RegistryReply) {
        continuations.removeValue(forKey: number)?(reply)
    }
}
