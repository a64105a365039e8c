import ActivityCore
import IndicatorLayout

/// Random values that are valid, from a seed that a failing test tells (SplitMix64).
struct RandomValues: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64 = .random(in: .min ... .max)) {
        self.seed = seed
        state = seed
        print("seed \(seed)")
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func bool() -> Bool { next() & 1 == 0 }

    mutating func maybe<Value>(_ make: (inout RandomValues) -> Value) -> Value? { bool() ? make(&self) : nil }

    mutating func one<Value>(of values: [Value]) -> Value { values[Int(next() % UInt64(values.count))] }

    mutating func int(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &self) }

    /// Halves, thousandths, and doubles with all their digits.
    mutating func double(_ range: ClosedRange<Double>) -> Double {
        var value = Double.random(in: range, using: &self)
        switch next() % 3 {
        case 0: value = (value * 2).rounded() / 2
        case 1: value = (value * 1_000).rounded() / 1_000
        default: break
        }
        return min(max(value, range.lowerBound), range.upperBound)
    }

    mutating func text(upTo length: Int) -> String {
        let pieces: [Unicode.Scalar] = [
            "a", "Z", "0", " ", "\"", "\\", "/", "<", "ä", "ß", "…", "日", "\u{FEFF}", "\u{0301}", "😀",
            "\u{10FFFF}", "\u{E000}", "\u{00A0}", "\u{200F}", "~", "{", "}", "\u{2027}", "\u{202F}",
            "\u{206A}",
        ]
        var text = ""
        for _ in 0..<int(0...Int64(length)) { text.unicodeScalars.append(one(of: pieces)) }
        return text
    }

    private mutating func name(first: String, rest: String, upTo length: Int64) -> String {
        String(one(of: Array(first))) + String((0..<int(0...length - 1)).map { _ in one(of: Array(rest)) })
    }

    mutating func task() -> TaskName {
        TaskName(name(first: "abZ9", rest: "abcXYZ019_-", upTo: 128)) ?? task()
    }

    mutating func screen() -> ScreenName {
        ScreenName(name(first: "abZ9", rest: "abcXYZ01.", upTo: 40)) ?? screen()
    }

    mutating func key() -> RunKey {
        let label = name(first: "abZ9_-", rest: "abZ9_-", upTo: 64)
        guard let run = RunID(name(first: "ab_-", rest: "abZ9._-", upTo: 64)),
            let scope = bool() ? .root : Scope(bool() ? label : label + ".u-42")
        else { return key() }
        return RunKey(scope: scope, task: task(), run: run)
    }

    mutating func declaration(_ states: [RunState]) -> RunDeclaration {
        RunDeclaration(
            state: one(of: states), title: maybe { $0.text(upTo: 200) },
            progress: maybe {
                Progress(
                    completed: $0.int(0...9_007_199_254_740_991), total: $0.int(1...9_007_199_254_740_991))
            },
            priority: Int(int(-1_000...1_000)), ttl: Int(int(5...86_400)), isSilent: bool(),
            reason: maybe { $0.text(upTo: 400) })
    }

    mutating func timestamp() -> Timestamp { Timestamp(milliseconds: int(0...4_102_444_800_000)) }

    mutating func run() -> Run {
        Run(
            declaration: declaration(RunState.allCases), cancelRequested: bool(), isLate: bool(),
            revivalCount: Int(int(0...3)), startedAt: timestamp(), endedAt: maybe { $0.timestamp() },
            ordinal: UInt64(int(0...9_007_199_254_740_991)),
            origin: bool() ? .declared : .keyed(bodyHash: next()), isRemembered: bool())
    }

    mutating func configuration() -> ScreenConfiguration {
        let appearance = Appearance(
            kind: one(of: IndicatorKind.allCases), regularTitle: text(upTo: 200),
            pendingTitle: text(upTo: 200),
            activityStyle: one(of: ActivityStyle.allCases),
            frame: maybe {
                Rect(
                    x: $0.double(Bounds.origin), y: $0.double(Bounds.origin), width: $0.double(Bounds.side),
                    height: $0.double(Bounds.side))
            },
            interItemSpace: double(Bounds.side), titleColor: one(of: ["#1c1c1e", "#ABCDEF80", "#000000"]),
            titleFont: TitleFont(
                family: "F" + text(upTo: 99), size: double(Bounds.fontSize), weight: Int(int(1...1_000))),
            arrangement: one(of: Arrangement.allCases), direction: one(of: LayoutDirection.allCases),
            scale: maybe { $0.double(Bounds.scale) }, icon: one(of: ["magnifyingglass", "a.b_c-9"]),
            iconSize: Size(width: double(Bounds.side), height: double(Bounds.side)))
        return ScreenConfiguration(
            tasks: maybe { random in
                (0..<random.int(0...64)).map { _ in
                    random.bool() ? .exact(random.task()) : .prefix(random.one(of: ["", "a", "chats."]))
                }
            },
            timing: maybe {
                Timing(
                    startDelay: $0.int(0...60_000), minimumVisible: $0.int(0...60_000),
                    completionDelay: $0.int(0...60_000))
            }, appearance: appearance)
    }
}
