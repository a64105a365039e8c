import ActivityCore
import Synchronization

/// A screen's configuration as it is published: immutable, shared by reference, compared by identity.
final class PublishedConfiguration: Sendable {
    let value: ScreenConfiguration

    init(_ value: ScreenConfiguration) { self.value = value }
}

/// What the board shows of one screen to the viewers of one scope.
struct Reading {
    /// Nil for a screen that nobody configured.
    let configuration: PublishedConfiguration?
    let state: IndicatorState
    /// Rises with every publication: of two readings of a screen the one with the higher number is newer.
    let generation: UInt64

    /// True when `other` shows the same thing, whenever it was read.
    func shows(the other: Reading) -> Bool {
        configuration === other.configuration && state == other.state
    }

    /// True when `other` differs in more than progress and the number of runs, so that it may not wait.
    func differsUrgently(from other: Reading) -> Bool {
        configuration !== other.configuration || state.isPending != other.state.isPending
            || state.title != other.state.title || state.pendingSince != other.state.pendingSince
    }
}

/// What the registry publishes after one batch.
struct Publication: Sendable {
    var screens: [(key: ScreenKey, snapshot: PhaseSnapshot?)] = []
    var configurations: [(screen: ScreenName, configuration: ScreenConfiguration?)] = []

    var isEmpty: Bool { screens.isEmpty && configurations.isEmpty }
}

/// The newest published state of every screen. Written by the registry's thread, read by the I/O loops without
/// a hop: one short lock, immutable values behind it. Idle screens have no entry.
final class Board: Sendable {
    private struct Contents {
        var phases: [Scope: [ScreenName: PhaseSnapshot]] = [:]
        var configurations: [ScreenName: PublishedConfiguration] = [:]
        /// How many loops hold subscribers of a screen, by their scope.
        var subscribed: [Scope: [ScreenName: Int]] = [:]
        /// The patterns of all configurations.
        var patterns = PatternIndex()
        /// Rises when a list of screens may have others in it than before.
        var membership: UInt64 = 0
        /// The lists made last, by the scope of who asked.
        var lists: [Scope: ScreenList] = [:]

        /// Puts `snapshot` in the place of what is there; nil removes it.
        mutating func show(_ snapshot: PhaseSnapshot?, of key: ScreenKey) {
            if let snapshot {
                let old = phases[key.scope, default: [:]].updateValue(snapshot, forKey: key.screen)
                if old == nil { membership += 1 }
            } else if phases[key.scope]?.removeValue(forKey: key.screen) != nil {
                membership += 1
                if phases[key.scope]?.isEmpty == true { phases[key.scope] = nil }
            }
        }
    }

    /// The screens of one scope's list while the board's membership is the same.
    private struct ScreenList {
        let membership: UInt64
        let screens: [ScreenName]
    }

    /// The most lists kept; beyond it all are forgotten.
    private static let listCapacity = 32

    private let contents = Mutex(Contents())
    private let newest = Atomic<UInt64>(1)

    /// Rises with every publication, and when a screen is subscribed to first or no more: while it stands still,
    /// nothing that is read here has changed.
    var generation: UInt64 { newest.load(ordering: .acquiring) }

    /// Shows `publication`; afterwards every read sees all of it.
    func publish(_ publication: Publication) {
        contents.withLock { contents in
            for (screen, configuration) in publication.configurations {
                if let old = contents.configurations[screen] {
                    contents.patterns.remove(old.value.patterns(for: screen))
                }
                contents.configurations[screen] = configuration.map(PublishedConfiguration.init)
                if let configuration { contents.patterns.add(configuration.patterns(for: screen)) }
                contents.membership += 1
            }
            for (key, snapshot) in publication.screens { contents.show(snapshot, of: key) }
            newest.add(1, ordering: .releasing)
        }
    }

    /// What viewers see of `screen`. `chain` is their scope and its ancestors, nearest first.
    func read(_ screen: ScreenName, in chain: [Scope]) -> Reading {
        contents.withLock { contents in
            let configuration = contents.configurations[screen]
            let generation = newest.load(ordering: .relaxed)
            let snapshots = chain.compactMap { contents.phases[$0]?[screen] }
            return Reading(
                configuration: configuration,
                state: snapshots.isEmpty ? .idle : IndicatorState(folding: snapshots), generation: generation)
        }
    }

    /// The screens that a list without ids names, in the order of their bytes: the configured ones, those
    /// subscribed to in this scope, and the first part of every visible task that none of these shows.
    /// Costs O(what is configured, and subscribed to and visible in the chain) after a screen has come or gone, else
    /// a look at the last answer: a thousand parked lists make one list per change, not a thousand.
    func listedScreens(in chain: [Scope]) -> [ScreenName] {
        let scope = chain.first ?? .root
        let (known, membership) = contents.withLock { ($0.lists[scope], $0.membership) }
        if let known, known.membership == membership { return known.screens }
        let screens = makeList(in: chain)
        contents.withLock { contents in
            if contents.lists.count >= Self.listCapacity { contents.lists.removeAll() }
            // With the number from before: what came meanwhile makes the next one look again.
            contents.lists[scope] = ScreenList(membership: membership, screens: screens)
        }
        return screens
    }

    private func makeList(in chain: [Scope]) -> [ScreenName] {
        let (configured, subscribed, patterns, visible) = contents.withLock { contents in
            (
                Set(contents.configurations.keys),
                Set(chain.first.flatMap { contents.subscribed[$0] }.map { Array($0.keys) } ?? []),
                contents.patterns, Set(chain.flatMap { contents.phases[$0].map { Array($0.keys) } ?? [] })
            )
        }
        var listed = configured.union(subscribed)
        let parents = Set(visible.compactMap { ScreenName($0.rawValue.droppingLastPart) })
        // Every visible task shows on a screen of its own name, unless that is configured otherwise: the leaves.
        for leaf in visible where !parents.contains(leaf) && !listed.contains(leaf) {
            guard let task = TaskName(leaf.rawValue), !patterns.covers(task),
                !leaf.rawValue.dottedPrefixes.contains(where: { part in
                    ScreenName(part).map { subscribed.contains($0) && !configured.contains($0) } ?? false
                }), let screen = ScreenName(leaf.rawValue.firstPart)
            else { continue }
            listed.insert(screen)
        }
        return listed.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
    }

    /// A loop got its first subscriber of this screen.
    func subscribe(_ key: ScreenKey) {
        contents.withLock { contents in
            let count = contents.subscribed[key.scope]?[key.screen] ?? 0
            contents.subscribed[key.scope, default: [:]][key.screen] = count + 1
            if count == 0 { contents.membership += 1 }
        }
        newest.add(1, ordering: .releasing)
    }

    /// A loop lost its last subscriber of this screen.
    func unsubscribe(_ key: ScreenKey) {
        contents.withLock { contents in
            guard let count = contents.subscribed[key.scope]?[key.screen] else { return }
            contents.subscribed[key.scope]?[key.screen] = count > 1 ? count - 1 : nil
            if count == 1 { contents.membership += 1 }
            if contents.subscribed[key.scope]?.isEmpty == true { contents.subscribed[key.scope] = nil }
        }
        newest.add(1, ordering: .releasing)
    }
}

/// Patterns with how often each occurs; whether one of them covers a task costs O(the name's length).
private struct PatternIndex {
    private var exact: [TaskName: Int] = [:]
    private var prefixes: [String: Int] = [:]

    mutating func add(_ patterns: [TaskPattern]) { change(patterns, by: 1) }

    mutating func remove(_ patterns: [TaskPattern]) { change(patterns, by: -1) }

    private mutating func change(_ patterns: [TaskPattern], by amount: Int) {
        for pattern in patterns {
            switch pattern {
            case .exact(let name):
                exact[name, default: 0] += amount
                if exact[name] == 0 { exact[name] = nil }
            case .prefix(let prefix):
                prefixes[prefix, default: 0] += amount
                if prefixes[prefix] == 0 { prefixes[prefix] = nil }
            }
        }
    }

    func covers(_ task: TaskName) -> Bool {
        if exact[task] != nil || prefixes[""] != nil { return true }
        let text = task.rawValue
        return text.indices.contains { prefixes[String(text[...$0])] != nil }
    }
}

extension String {
    /// What stands before the first dot, or all of it.
    fileprivate var firstPart: String {
        String(self[..<(utf8.firstIndex(of: UInt8(ascii: ".")) ?? endIndex)])
    }

    /// What stands before the last dot; `""` without a dot.
    fileprivate var droppingLastPart: String {
        String(self[..<(utf8.lastIndex(of: UInt8(ascii: ".")) ?? startIndex)])
    }

    /// The name itself, and what stands before each of its dots.
    fileprivate var dottedPrefixes: [String] {
        utf8.indices.filter { utf8[$0] == UInt8(ascii: ".") }.map { String(self[..<$0]) } + [self]
    }
}
