/// Which screens show the runs of a task.
///
/// Configured screens are found by their patterns: one look-up for the exact name, one for each length that some
/// prefix has. Screens without a configuration are the parts of the task's name that end at a dot, and all of it.
struct ScreenIndex: Sendable {
    private var configurations: [ScreenName: ScreenConfiguration] = [:]
    private var exact: [TaskName: [ScreenName]] = [:]
    private var prefixed: [String: [ScreenName]] = [:]
    /// How many different prefixes there are of each length in bytes, 0…128.
    private var prefixCounts = [Int](repeating: 0, count: 129)

    /// What is configured of `screen`; nil when nothing is.
    func configuration(of screen: ScreenName) -> ScreenConfiguration? { configurations[screen] }

    /// The patterns in force on `screen`.
    func patterns(for screen: ScreenName) -> [TaskPattern] {
        configurations[screen]?.patterns(for: screen) ?? ScreenConfiguration.standardPatterns(for: screen)
    }

    /// Replaces what is configured of `screen`, or takes it away.
    mutating func configure(_ screen: ScreenName, _ configuration: ScreenConfiguration?) {
        let old = Set(configurations[screen]?.patterns(for: screen) ?? [])
        let new = Set(configuration?.patterns(for: screen) ?? [])
        for pattern in old.subtracting(new) { remove(screen, from: pattern) }
        for pattern in new.subtracting(old) { add(screen, to: pattern) }
        configurations[screen] = configuration
    }

    /// The screens that show the runs of `task`, each once.
    func screens(showing task: TaskName) -> [ScreenName] {
        let name = task.rawValue.utf8
        var found = exact[task] ?? []
        for length in 0...name.count where prefixCounts[length] > 0 {
            found += prefixed[String(Substring(name.prefix(length)))] ?? []
        }
        for index in name.indices where name[index] == UInt8(ascii: ".") {
            appendUnconfigured(name[..<index], to: &found)
        }
        appendUnconfigured(name[...], to: &found)
        var seen = Set<ScreenName>()
        return found.count < 2 ? found : found.filter { seen.insert($0).inserted }
    }

    /// How many ``screens(showing:)`` has at most; cheaper.
    func mostScreens(showing task: TaskName) -> Int {
        let name = task.rawValue.utf8
        var count = 1 + name.count { $0 == UInt8(ascii: ".") } + (exact[task]?.count ?? 0)
        for length in 0...name.count where prefixCounts[length] > 0 {
            count += prefixed[String(Substring(name.prefix(length)))]?.count ?? 0
        }
        return count
    }

    private func appendUnconfigured(_ name: Substring.UTF8View, to found: inout [ScreenName]) {
        guard let screen = ScreenName(String(Substring(name))), configurations[screen] == nil else { return }
        found.append(screen)
    }

    private mutating func add(_ screen: ScreenName, to pattern: TaskPattern) {
        switch pattern {
        case .exact(let task): exact[task, default: []].append(screen)
        case .prefix(let prefix):
            if prefixed[prefix] == nil { prefixCounts[prefix.utf8.count] += 1 }
            prefixed[prefix, default: []].append(screen)
        }
    }

    private mutating func remove(_ screen: ScreenName, from pattern: TaskPattern) {
        switch pattern {
        case .exact(let task):
            exact[task]?.removeAll { $0 == screen }
            if exact[task]?.isEmpty == true { exact[task] = nil }
        case .prefix(let prefix):
            prefixed[prefix]?.removeAll { $0 == screen }
            guard prefixed[prefix]?.isEmpty == true else { return }
            prefixed[prefix] = nil
            prefixCounts[prefix.utf8.count] -= 1
        }
    }
}
