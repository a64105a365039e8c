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
        var phases: [ScreenName: [Scope: PhaseSnapshot]] = [:]
        var configurations: [ScreenName: PublishedConfiguration] = [:]
        /// How many loops hold subscribers of a screen in a scope.
        var subscribed: [ScreenKey: Int] = [:]
    }

    private let contents = Mutex(Contents())
    private let newest = Atomic<UInt64>(1)

    /// Rises with every publication, and when a screen is subscribed to first or no more: while it stands still,
    /// nothing that is read here has changed.
    var generation: UInt64 { newest.load(ordering: .acquiring) }

    /// Shows `publication`; afterwards every read sees all of it.
    func publish(_ publication: Publication) {
        contents.withLock { contents in
            for (screen, configuration) in publication.configurations {
                contents.configurations[screen] = configuration.map(PublishedConfiguration.init)
            }
            for (key, snapshot) in publication.screens {
                contents.phases[key.screen, default: [:]][key.scope] = snapshot
                if contents.phases[key.screen]?.isEmpty == true { contents.phases[key.screen] = nil }
            }
            newest.add(1, ordering: .releasing)
        }
    }

    /// What viewers see of `screen`. `chain` is their scope and its ancestors, nearest first.
    func read(_ screen: ScreenName, in chain: [Scope]) -> Reading {
        contents.withLock { contents in
            let configuration = contents.configurations[screen]
            let generation = newest.load(ordering: .relaxed)
            guard let phases = contents.phases[screen] else {
                return Reading(configuration: configuration, state: .idle, generation: generation)
            }
            let snapshots = chain.compactMap { phases[$0] }
            return Reading(
                configuration: configuration, state: IndicatorState(folding: snapshots),
                generation: generation)
        }
    }

    /// The screens that a list without ids names, in the order of their bytes: the configured ones, those
    /// subscribed to in this scope, and the first part of every visible task that none of these shows.
    /// O(configured + visible screens).
    func listedScreens(in chain: [Scope]) -> [ScreenName] {
        contents.withLock { contents in
            var listed = Set(contents.configurations.keys)
            for key in contents.subscribed.keys where key.scope == chain.first { listed.insert(key.screen) }
            let patterns = listed.flatMap { screen in
                contents.configurations[screen]?.value.patterns(for: screen)
                    ?? ScreenConfiguration.standardPatterns(for: screen)
            }
            let visible = contents.phases.filter { _, phases in chain.contains { phases[$0] != nil } }.keys
            let parents = Set(visible.compactMap { ScreenName($0.rawValue.droppingLastPart) })
            for leaf in visible where !parents.contains(leaf) && !listed.contains(leaf) {
                guard let task = TaskName(leaf.rawValue), !patterns.contains(where: { $0.matches(task) }),
                    let screen = ScreenName(leaf.rawValue.firstPart)
                else { continue }
                listed.insert(screen)
            }
            return listed.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
        }
    }

    /// A loop got its first subscriber of this screen.
    func subscribe(_ key: ScreenKey) {
        contents.withLock { $0.subscribed[key, default: 0] += 1 }
        newest.add(1, ordering: .releasing)
    }

    /// A loop lost its last subscriber of this screen.
    func unsubscribe(_ key: ScreenKey) {
        contents.withLock { contents in
            guard let count = contents.subscribed[key] else { return }
            contents.subscribed[key] = count > 1 ? count - 1 : nil
        }
        newest.add(1, ordering: .releasing)
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
}
