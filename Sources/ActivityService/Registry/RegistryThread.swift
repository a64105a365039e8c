import ActivityCore
import EventHTTP
import Glibc
import Journal
import WireFormat

/// Where runs and configurations are kept.
public enum JournalChoice: Hashable, Sendable {
    /// Nowhere: they go with the process.
    case memory
    /// In an SQLite file at this path.
    case sqlite(String)
}

/// What the registry's thread needs to begin.
struct RegistryThread: Sendable {
    let journal: JournalChoice
    /// Seconds to wait for another process that holds the journal.
    let journalWait: Double
    let limits: RegistryLimits
    let timing: Timing
    /// What the screens file holds.
    let screens: [(ScreenName, ScreenConfiguration)]
    let shared: SharedState

    /// Opens the journal, replays it, and serves until told to stop. The thread's body.
    func run() throws(ServiceError) {
        guard let journal = try open() else { return }
        var registry = Registry(limits: limits, timing: timing)
        var ticketKey: [UInt8]?
        do throws(JournalError) {
            try journal.replay { entry throws(JournalError) in
                do throws(RecordError) {
                    if let key = try TicketKeyFormat.decode(key: entry.key, value: entry.value) {
                        ticketKey = key
                        return
                    }
                    registry.replay(try RecordFormat.decode(key: entry.key, value: entry.value))
                } catch {
                    throw JournalError.corrupt("\(error.key): \(error.detail)")
                }
            }
            if !shared.access.isOpen { try signTickets(with: ticketKey, journal) }
        } catch {
            throw failure(error)
        }
        let loop: EventLoop
        do throws(EventHTTPError) {
            loop = try EventLoop()
        } catch {
            throw ServiceError.system("\(error)")
        }
        let registrar = Registrar(
            loop: loop, registry: registry, timing: timing, journal: journal, shared: shared)
        loop.receive(from: shared.registry) { registrar.consume($0) }
        registrar.start(with: screens)
        loop.run()
    }

    /// The first daemon with tokens makes the key, the others find it: so tickets outlive a restart.
    private func signTickets(with known: [UInt8]?, _ journal: any JournalStore) throws(JournalError) {
        let key = known ?? Secret.random()
        if known == nil {
            let (name, value) = TicketKeyFormat.encode(key)
            try journal.append([JournalEntry(key: name, value: value)])
        }
        shared.access.signTickets(with: key)
    }

    /// Waits for the journal as long as it must. Nil when the daemon ended before it was free.
    private func open() throws(ServiceError) -> (any JournalStore)? {
        guard case .sqlite(let path) = journal else { return MemoryJournal() }
        let deadline = Clock.monotonic() + UInt64(journalWait * 1_000_000_000)
        var hasTold = false
        while true {
            do throws(JournalError) {
                return try SQLiteJournal(path: path)
            } catch .locked where Clock.monotonic() < deadline {
                if shared.status.drainStep == .ending { return nil }
                if !hasTold { shared.log.warning("Another process holds the journal; waiting for it", [:]) }
                hasTold = true
                usleep(50_000)
            } catch {
                throw failure(error)
            }
        }
    }

    /// The error in a line that names the journal.
    private func failure(_ error: JournalError) -> ServiceError {
        switch journal {
        case .memory: .journal("The journal \(error)")
        case .sqlite(let path): .journal("The journal \(path) \(error)")
        }
    }
}
