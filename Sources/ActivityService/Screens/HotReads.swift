import HTTPCodec

/// A poller's request, read once, and the answer that it got last.
final class HotRead {
    /// Longer answers, of many screens, are put together anew each time: few of them would drive out thousands.
    private static let longestBody = 16 * 1_024

    let request: ScreenRequest
    /// How new the board was when the answer was made.
    private(set) var generation: UInt64 = 0
    /// An answer with one screen: the renderer remembers it, and counts what it costs.
    private weak var view: RenderedView?
    /// An answer with several screens, which nobody else remembers.
    private var list: RenderedView?
    /// What ``HotReads`` counts it for, in bytes; 0 until it is remembered.
    fileprivate(set) var countedSize = 0
    private let requestSize: Int

    init(_ request: ScreenRequest) {
        self.request = request
        requestSize = request.size
    }

    /// What was answered last, if it is still there.
    var rendered: RenderedView? { view ?? list }
    /// What it costs without its target, in bytes.
    fileprivate var size: Int { requestSize + (list?.size ?? 0) }

    /// Keeps what was answered when the board had this number.
    func remember(_ rendered: RenderedView, _ generation: UInt64) {
        self.generation = generation
        if case .one = request.selection {
            view = rendered
        } else {
            list = rendered.body.count <= Self.longestBody ? rendered : nil
        }
    }

    /// What the metrics call it.
    var label: RouteLabel {
        switch request.selection {
        case .one: .screen
        case .several, .all: .screens
        }
    }
}

/// Remembers what targets mean, since pollers ask for the same one over and over: with it a poll costs no parsing,
/// and none but a look at the board's number while nothing changes. Confined to its loop.
struct HotReads {
    /// A target's bytes, hashed and compared as memory.
    private struct Target: Hashable {
        let bytes: ArraySlice<UInt8>

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// What may be remembered, in bytes: half of it holds more than 10 000 screens that a dashboard asks for in turn.
    private static let memory = 16 << 20
    /// What a target costs beside its bytes: its place in the dictionary.
    private static let targetSize = 160
    /// Longer targets are rarely asked for twice.
    private static let longestTarget = 512

    private var reads = BoundedCache<Target, HotRead>(limit: memory)

    /// What is remembered of the request with `head`; nil for one that says more than its target.
    mutating func find(_ head: RequestHead) -> HotRead? {
        guard Self.isPlain(head) else { return nil }
        return reads.value(for: Target(bytes: head.target))
    }

    /// Remembers that `head` asks for `read` as JSON, if its target means that each time. Follows each answer, which
    /// may be longer than the one before.
    mutating func remember(_ read: HotRead, _ head: RequestHead) {
        guard read.countedSize != read.size, head.target.count <= Self.longestTarget, Self.isPlain(head)
        else {
            return
        }
        read.countedSize = read.size
        reads.remember(
            read, for: Target(bytes: ArraySlice(Array(head.target))),
            size: Self.targetSize + head.target.count + read.size)
    }

    /// True when nothing but the target decides what is asked for.
    private static func isPlain(_ head: RequestHead) -> Bool {
        guard let accept = head.value(of: .accept) else { return true }
        return accept.elementsEqual("*/*".utf8)
    }
}
