import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// Where the answer to a message goes: a loop, and the number that it gave the parked request.
struct ReplyAddress: Sendable {
    let loop: Int
    let number: UInt64
}

/// What a request demands of the present value before it changes anything (RFC 9110, section 13).
struct Preconditions: Sendable {
    var ifMatch: EntityTags?
    var ifNoneMatch: EntityTags?

    /// True when nothing is demanded.
    var isEmpty: Bool { ifMatch == nil && ifNoneMatch == nil }

    /// True when a value with `token` (nil: there is none) satisfies them.
    func areMet(by token: Token?) -> Bool {
        if let ifMatch, !ifMatch.holds(token) { return false }
        if let ifNoneMatch, ifNoneMatch.excludes(token) { return false }
        return true
    }
}

extension EntityTags {
    /// `If-Match`: something is there, and it is one of these.
    fileprivate func holds(_ token: Token?) -> Bool { token.map { matchesStrongly($0.hex) } ?? false }

    /// `If-None-Match`: something is there that is one of these.
    fileprivate func excludes(_ token: Token?) -> Bool { token.map { matchesWeakly($0.hex) } ?? false }
}

/// A question about runs; it is answered on the registry's thread after all changes of its batch.
enum RunQuestion: Sendable {
    /// One run; with `isWatched` the loop hears of its next change, once, also if nobody waits for it any more.
    case run(RunKey, isWatched: Bool)
    case history(TaskName, Scope)
    case page(RunQuery)
}

/// What the registry's thread is told.
enum RegistryMessage: Sendable {
    case change(Command, Preconditions, ReplyAddress)
    case question(RunQuestion, ReplyAddress)
    /// The screens file was read again.
    case apply([(ScreenName, ScreenConfiguration)])
    case stop
}

/// A run with what its lease has left, in seconds; nil unless it is running.
struct LeasedRun: Sendable {
    let key: RunKey
    let run: Run
    let expiresIn: Double?
}

/// What a parked request is answered with.
enum RegistryReply: Sendable {
    case outcome(Outcome)
    /// A precondition failed; the token of what is there.
    case preconditionFailed(current: Token?)
    /// The journal could not be written: nothing of the batch happened.
    case unavailable
    case run(Run?)
    case runs([LeasedRun], hasMore: Bool)
}

/// What an I/O loop is told.
enum LoopMessage: Sendable {
    case published(screens: [ScreenKey], configurations: [ScreenName], at: UInt64)
    case runChanged(RunKey, Run?)
    case reply(RegistryReply, UInt64)
    /// A picture that the loop asked for is drawn.
    case painted(Token, [UInt8])
    /// A part of a font that the loop asked for by this number; nil if it cannot be had.
    case read(UInt64, FontPart?)
    /// The keys were read again: who may no longer see what is sent to them is sent away.
    case accessChanged
    /// The daemon is shutting down; streams close over `seconds`.
    case drain(DrainStep, seconds: Double)
}
