import IndicatorLayout

/// The instant of an event, and a reading of both clocks near it, to tell what the wall clock showed.
struct PhaseClock {
    var instant: Instant
    var moment: Moment
}

/// What one visible phase shows: of its winning run, or of its last one while it lingers.
struct Face: Equatable {
    @Verbatim var title: String?
    var priority: Int
    var ordinal: UInt64
    var thousandths: Int?
}

/// The phase of one screen in one scope: its active runs, when it shows, and what.
struct Phase: Sendable {
    let key: ScreenKey
    var machine = IndicatorPhase()
    private(set) var active = OrderedKeys<Rank>()
    private var progress = ProgressInterval()
    /// What is shown while lingering: what was seen last while work was going on.
    private var lastFace: Face?
    /// The instant of the newest events, and what was seen before the first of them.
    private var openedAt: Instant?
    private var faceBefore: Face?
    private var visibleSince: Instant?
    var pendingSince = Timestamp(milliseconds: 0)
    /// The snapshot taken last, and whether it may be outdated.
    var taken: PhaseSnapshot?
    var isTouched = false

    init(key: ScreenKey) { self.key = key }

    /// Before each event: at the first one of an instant, remembers what is seen. What begins and ends within the
    /// instant nobody sees, so it does not stay while lingering.
    mutating func open(at instant: Instant, showing winner: ActiveRun?) {
        guard openedAt != instant else { return }
        openedAt = instant
        faceBefore = face(of: winner)
        progress.hold()
    }

    /// A run becomes active. The machine's start is the caller's.
    mutating func join(_ run: ActiveRun, slot: Int) {
        if active.isEmpty { progress = ProgressInterval() }
        active.insert(Rank(run, slot: slot))
        progress.join(share: run.share)
    }

    /// An active run reports.
    mutating func report(from old: ActiveRun, to new: ActiveRun, slot: Int) {
        if old.priority != new.priority {
            active.remove(Rank(old, slot: slot))
            active.insert(Rank(new, slot: slot))
        }
        if old.share != new.share { progress.change(from: old.share, to: new.share) }
    }

    /// A run is active no longer; `winner` is the winning run before that.
    mutating func leave(_ run: ActiveRun, slot: Int, winner: ActiveRun?, at instant: Instant) {
        if active.count == 1 { lastFace = faceBefore ?? face(of: winner) }
        active.remove(Rank(run, slot: slot))
        progress.leave(share: run.share)
        if active.isEmpty { machine.end(at: instant) }
    }

    /// Notes when the indicator became visible, after each step of the machine.
    mutating func noteVisibility(at clock: PhaseClock) {
        guard machine.visibleSince != visibleSince else { return }
        visibleSince = machine.visibleSince
        if let visibleSince { pendingSince = clock.moment.wall(at: visibleSince) }
    }

    /// What is seen, when `winner` is the winning run; nil while nothing is visible.
    func face(of winner: ActiveRun?) -> Face? {
        switch machine.visibility {
        case nil: nil
        case .lingering: lastFace
        case .shown:
            winner.map {
                Face(
                    title: $0.title, priority: $0.priority, ordinal: $0.ordinal,
                    thousandths: progress.thousandths)
            }
        }
    }

    /// The snapshot of a visible phase that shows `face`.
    func snapshot(showing face: Face) -> PhaseSnapshot {
        PhaseSnapshot(
            visibility: machine.visibility ?? .lingering, title: face.title, priority: face.priority,
            ordinal: face.ordinal, pendingSince: pendingSince, thousandths: face.thousandths,
            runCount: active.count)
    }
}
