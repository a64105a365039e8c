import EventHTTP

/// The requests of a loop that wait for an answer of the registry, by the number that their message carries.
final class Parked {
    private var continuations: [UInt64: (RegistryReply) -> Void] = [:]
    private var lastNumber: UInt64 = 0
    private let loop: Int
    private let registry: Mailbox<RegistryMessage>

    /// - Parameter loop: the number of the loop that this belongs to.
    init(loop: Int, registry: Mailbox<RegistryMessage>) {
        self.loop = loop
        self.registry = registry
    }

    /// How many requests wait.
    var count: Int { continuations.count }

    /// Sends the message that `make` gives an address, and has its answer handed to `answer`, once.
    func send(_ make: (ReplyAddress) -> RegistryMessage, _ answer: @escaping (RegistryReply) -> Void) {
        lastNumber += 1
        continuations[lastNumber] = answer
        registry.send(make(ReplyAddress(loop: loop, number: lastNumber)))
    }

    /// The registry answered message `number`.
    func resume(_ number: UInt64, with reply: RegistryReply) {
        continuations.removeValue(forKey: number)?(reply)
    }
}
