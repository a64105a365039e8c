import ActivityCore
import EventHTTP
import HTTPCodec
import WireFormat

/// One view of one screen on one event stream. Subscriber, subscription, group and node hold each other until
/// ``Hub/unsubscribe(_:)`` takes the subscription out of all of them.
final class Subscription {
    let subscriber: Subscriber
    let group: ViewGroup
    /// Its place among the group's subscriptions.
    var index = 0
    /// What was sent last; nil before the first.
    var sent: Token?
    /// How new the reading was that the last sent state shows.
    var sentGeneration: UInt64 = 0
    /// True while an event of it may still be queued, unsent.
    var isQueued = false
    /// True when the newest state did not fit: it follows as room appears.
    var isMarked = false

    init(subscriber: Subscriber, group: ViewGroup) {
        self.subscriber = subscriber
        self.group = group
    }
}

/// One open event stream and the views on it.
final class Subscriber {
    let stream: EventStream
    let heartbeat: HeartbeatStyle
    /// Who reads it, and in which scope.
    let credential: Credential?
    let scope: Scope
    var subscriptions: [Subscription] = []
    /// Its place among the loop's subscribers.
    var index = 0
    /// When it is closed for its age, in nanoseconds of the loop's clock.
    let closesAt: UInt64
    /// How long it may be silent before the next heartbeat, in nanoseconds.
    var quiet: UInt64
    /// True while some subscription is marked.
    var hasMarked = false

    init(
        stream: EventStream, heartbeat: HeartbeatStyle, credential: Credential?, scope: Scope,
        closesAt: UInt64, quiet: UInt64
    ) {
        self.stream = stream
        self.heartbeat = heartbeat
        self.credential = credential
        self.scope = scope
        self.closesAt = closesAt
        self.quiet = quiet
    }
}

/// The subscriptions of one view: they all get the same bytes.
final class ViewGroup {
    let node: ScopeNode
    let key: ViewKey
    private(set) var subscriptions: [Subscription] = []
    /// What its subscriptions are to have, and how new the reading is that it shows.
    var event: ViewEvent?
    var generation: UInt64 = 0
    /// The walk over the subscriptions: where it goes on, and how many are still to be visited; 0 when none runs.
    private var cursor = 0
    private(set) var remaining = 0

    init(node: ScopeNode, key: ViewKey) {
        self.node = node
        self.key = key
    }

    func add(_ subscription: Subscription) {
        subscription.index = subscriptions.count
        subscriptions.append(subscription)
        if remaining > 0 { remaining = subscriptions.count }
    }

    func remove(_ subscription: Subscription) {
        let last = subscriptions.removeLast()
        if last !== subscription {
            last.index = subscription.index
            subscriptions[subscription.index] = last
        }
        // The one that moved may have stood before the walk or behind it: go round once more, it costs a glance.
        if remaining > 0 { remaining = subscriptions.count }
    }

    /// Starts a walk, or lets a newer state join the one under way where it stands.
    ///
    /// - Returns: True when none was under way.
    func beginWalk() -> Bool {
        let isNew = remaining == 0
        remaining = subscriptions.count
        return isNew && remaining > 0
    }

    /// The next subscription of the walk; nil at its end.
    func nextInWalk() -> Subscription? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        if cursor >= subscriptions.count { cursor = 0 }
        defer { cursor += 1 }
        return subscriptions[cursor]
    }
}

/// Everyone who watches one screen from one scope.
final class ScopeNode: AgendaItem {
    let key: ScreenKey
    let chain: [Scope]
    var groups: [ViewRequest: ViewGroup] = [:]
    var polls: [ObjectIdentifier: LongPoll] = [:]
    /// What was fanned out last, and when (nanoseconds of the loop's clock).
    var reading: Reading
    var fannedOutAt: UInt64 = 0
    /// True while a change of progress is held back.
    var isHoldingBack = false
    var agendaPlace: Int?
    /// How new the newest state is that any subscriber got on its own, outside a fan-out.
    var newestSent: UInt64 = 0

    init(key: ScreenKey, chain: [Scope], reading: Reading) {
        self.key = key
        self.chain = chain
        self.reading = reading
    }

    var isEmpty: Bool { groups.isEmpty && polls.isEmpty }

    /// True when some subscriber may have another state than `newest`.
    func isBehind(_ newest: Reading) -> Bool {
        !newest.shows(the: reading) || newestSent > reading.generation
    }
}

/// The watchers of one screen, found by the scope of the watcher and by each of its ancestors.
struct ScreenNode {
    private(set) var scopes: [Scope: ScopeNode] = [:]
    /// The nodes whose chain holds a scope: those that a change in it reaches.
    private var reached: [Scope: [ObjectIdentifier: ScopeNode]] = [:]

    var isEmpty: Bool { scopes.isEmpty }

    /// The nodes that a change in `scope` reaches.
    func nodes(reachedFrom scope: Scope) -> some Collection<ScopeNode> {
        (reached[scope] ?? [:]).values
    }

    mutating func add(_ node: ScopeNode) {
        scopes[node.key.scope] = node
        for scope in node.chain { reached[scope, default: [:]][ObjectIdentifier(node)] = node }
    }

    mutating func remove(_ node: ScopeNode) {
        scopes[node.key.scope] = nil
        for scope in node.chain {
            reached[scope]?[ObjectIdentifier(node)] = nil
            if reached[scope]?.isEmpty == true { reached[scope] = nil }
        }
    }
}
