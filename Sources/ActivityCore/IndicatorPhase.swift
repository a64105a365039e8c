/// Keeps short work from making an indicator flicker. Reads no clock, starts no timer.
///
/// Events carry their instant, and never go back in time. Intervals are half-open: a deadline at the instant of an
/// event is taken after the event.
struct IndicatorPhase: Equatable, Sendable {
    private enum State: Equatable {
        case idle
        case waiting(until: Instant)
        case shown(since: Instant)
        case lingering(since: Instant, until: Instant)
    }
    private var state = State.idle
    /// In force from the start that ended idleness until the next idleness.
    private var timing = Timing()

    /// The instant at which ``advance(through:)`` would next change the answer; nil while only events can.
    var nextChangeAt: Instant? {
        switch state {
        case .idle, .shown: nil
        case .waiting(let until), .lingering(_, let until): until
        }
    }

    /// When the indicator became visible; nil while it is not.
    var visibleSince: Instant? {
        switch state {
        case .idle, .waiting: nil
        case .shown(let since), .lingering(let since, _): since
        }
    }

    /// Whether work is going on, or the indicator only lingers; nil while it is not visible.
    var visibility: PhaseSnapshot.Visibility? {
        switch state {
        case .idle, .waiting: nil
        case .shown: .shown
        case .lingering: .lingering
        }
    }

    /// True when nothing is visible, and nothing is going to be without an event.
    var isIdle: Bool { state == .idle }

    /// Work starts: the first, or more of it.
    ///
    /// - Parameters:
    ///   - timing: when to show and hide; heeded only by the start that ends idleness.
    ///   - skipsDelay: shows it at once.
    mutating func start(at instant: Instant, timing: Timing, skipsDelay: Bool = false) {
        advance(before: instant)
        switch state {
        case .idle:
            self.timing = timing
            let delay = skipsDelay ? 0 : timing.startDelay
            state =
                delay > 0
                ? .waiting(until: instant.advanced(byMilliseconds: delay)) : .shown(since: instant)
        case .waiting:
            if skipsDelay { state = .shown(since: instant) }
        case .shown: break
        case .lingering(let since, _): state = .shown(since: since)
        }
    }

    /// The last work ends.
    mutating func end(at instant: Instant) {
        advance(before: instant)
        switch state {
        case .idle, .lingering: break
        case .waiting: state = .idle
        case .shown(let since):
            let until = max(
                instant.advanced(byMilliseconds: timing.completionDelay),
                since.advanced(byMilliseconds: timing.minimumVisible))
            state = .lingering(since: since, until: until)
        }
    }

    /// Takes the deadlines until `instant`, itself included.
    mutating func advance(through instant: Instant) {
        switch state {
        case .waiting(let until) where until <= instant: state = .shown(since: until)
        case .lingering(_, let until) where until <= instant: state = .idle
        case .idle, .waiting, .shown, .lingering: break
        }
    }

    /// Takes the deadlines until `instant`, itself excluded: its events come first.
    private mutating func advance(before instant: Instant) {
        advance(through: instant.advanced(byNanoseconds: -1))
    }
}
