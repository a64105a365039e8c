import IndicatorLayout

/// What a run is doing, or how it ended.
public enum RunState: String, Hashable, Sendable, CaseIterable {
    /// Its lease holds.
    case running
    /// Its lease ran out: a suspicion that a renewal takes back.
    case lost
    case succeeded, failed, canceled

    /// True for `succeeded`, `failed` and `canceled`, which nothing changes any more.
    public var isFinal: Bool {
        switch self {
        case .running, .lost: false
        case .succeeded, .failed, .canceled: true
        }
    }
}

/// How far a run is; `completed` may exceed `total`.
public struct Progress: Hashable, Sendable {
    /// The units done, 0…2^53−1.
    public var completed: Int64
    /// The units there are, 1…2^53−1.
    public var total: Int64

    /// Progress of `completed` out of `total` units.
    public init(completed: Int64, total: Int64) {
        self.completed = completed
        self.total = total
    }
}

/// How a run came to be, which decides what its id may be used for again.
public enum RunOrigin: Hashable, Sendable {
    /// Declared by PUT, or by POST without a key.
    case declared
    /// Started by POST with an `Idempotency-Key`; the hash of the body it came with (SHA-256, its first 8 bytes).
    case keyed(bodyHash: UInt64)
}

/// What a worker says of its run: the whole state but what the service adds.
public struct RunDeclaration: Hashable, Sendable {
    /// `running` or a final state; never `lost`.
    public var state: RunState
    /// At most 200 Unicode scalars; `""` shows no text, nil the screen's `pendingTitle`.
    @Verbatim public var title: String?
    /// Nil while indeterminate.
    public var progress: Progress?
    /// −1000…1000; the highest gives the title.
    public var priority: Int
    /// The lease in seconds, 5…86 400.
    public var ttl: Int
    /// A silent run is listed, but never makes a screen pending.
    public var isSilent: Bool
    /// Why it ended, at most 2 000 scalars.
    @Verbatim public var reason: String?

    /// A declaration with the defaults of a body that says nothing.
    public init(
        state: RunState = .running, title: String? = nil, progress: Progress? = nil, priority: Int = 0,
        ttl: Int = 60, isSilent: Bool = false, reason: String? = nil
    ) {
        self.state = state
        self.title = title
        self.progress = progress
        self.priority = priority
        self.ttl = ttl
        self.isSilent = isSilent
        self.reason = reason
    }
}

/// One member of a merge patch (RFC 7396): absent, null (back to the default), or a value.
public enum Patch<Value: Hashable & Sendable>: Hashable, Sendable {
    case absent, null
    case value(Value)
}

/// The `progress` object of a merge patch, itself merged member by member.
public struct ProgressPatch: Hashable, Sendable {
    /// The units done.
    public var completed: Patch<Int64>
    /// The units there are.
    public var total: Patch<Int64>

    /// A patch of neither or either member.
    public init(completed: Patch<Int64> = .absent, total: Patch<Int64> = .absent) {
        self.completed = completed
        self.total = total
    }
}

/// A merge patch of a run; with every member absent it only renews.
public struct RunPatch: Hashable, Sendable {
    /// `running` or a final state; null means `running`.
    public var state: Patch<RunState> = .absent
    /// Null goes back to the screen's `pendingTitle`.
    public var title: Patch<String> = .absent
    /// Null goes back to indeterminate.
    public var progress: Patch<ProgressPatch> = .absent
    /// Null means 0.
    public var priority: Patch<Int> = .absent
    /// Null means 60.
    public var ttl: Patch<Int> = .absent
    /// Null means false.
    public var isSilent: Patch<Bool> = .absent
    /// Null takes the reason away.
    public var reason: Patch<String> = .absent
    /// Asks the worker to stop. It alone, without another member, does not renew.
    public var requestsCancel = false

    /// The patch that only renews.
    public init() {}
}

/// One run as it is stored and shown: a record of the journal holds all of it.
public struct Run: Hashable, Sendable {
    /// What the worker declared, with `state` as it is now (also `lost`).
    public var declaration: RunDeclaration
    /// Set by PATCH, never taken back.
    public var cancelRequested: Bool
    /// True when its end came after it had been lost.
    public var isLate: Bool
    /// How often a renewal revived it.
    public var revivalCount: Int
    /// When its first record was made.
    public var startedAt: Timestamp
    /// When it ended or was lost; nil while running.
    public var endedAt: Timestamp?
    /// The order of first records: lower is older. A revival keeps it.
    public var ordinal: UInt64
    /// How it came to be.
    public var origin: RunOrigin
    /// True when only id, state, `endedAt` and origin are still kept, so that a late message starts no ghost.
    /// Such a run is listed nowhere, and GET does not know it.
    public var isRemembered: Bool

    /// A run with all its members.
    public init(
        declaration: RunDeclaration, cancelRequested: Bool = false, isLate: Bool = false,
        revivalCount: Int = 0,
        startedAt: Timestamp, endedAt: Timestamp? = nil, ordinal: UInt64, origin: RunOrigin = .declared,
        isRemembered: Bool = false
    ) {
        self.declaration = declaration
        self.cancelRequested = cancelRequested
        self.isLate = isLate
        self.revivalCount = revivalCount
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.ordinal = ordinal
        self.origin = origin
        self.isRemembered = isRemembered
    }

    /// What it is doing, or how it ended.
    public var state: RunState { declaration.state }
}
