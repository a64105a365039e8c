import HTTPCodec

/// A poller's request, read once, and the answer that it got last.
final class HotRead {
    /// Longer answers, of many screens, are put together anew each time, so that memory has a bound.
    private static let longestBody = 16 * 1_024

    let request: ScreenRequest
    /// How new the board was when `rendered` was made.
    private(set) var generation: UInt64 = 0
    private(set) var rendered: RenderedView?

    init(_ request: ScreenRequest) { self.request = request }

    /// Keeps what was answered when the board had this number.
    func remember(_ rendered: RenderedView, _ generation: UInt64) {
        self.rendered = rendered.body.count <= Self.longestBody ? rendered : nil
        self.generation = generation
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

    /// The most targets remembered; beyond it all are forgotten, and come back as they are asked for.
    private static let capacity = 1_024
    /// Longer targets are not remembered, so that memory has a bound.
    private static let longestTarget = 512

    private var reads: [Target: HotRead] = [:]

    /// What is remembered of the request with `head`; nil for one that says more than its target.
    func find(_ head: RequestHead) -> HotRead? {
        guard Self.isPlain(head) else { return nil }
        return reads[Target(bytes: head.target)]
    }

    /// Remembers that `head` asks for `request` as JSON, if its target means that each time.
    mutating func remember(_ request: ScreenRequest, _ head: RequestHead) -> HotRead {
        let read = HotRead(request)
        guard Self.isPlain(head), head.target.count <= Self.longestTarget else { return read }
        if reads.count >= Self.capacity { reads.removeAll(keepingCapacity: true) }
        reads[Target(bytes: ArraySlice(Array(head.target)))] = read
        return read
    }

    /// True when nothing but the target decides what is asked for.
    private static func isPlain(_ head: RequestHead) -> Bool {
        guard let accept = head.value(of: .accept) else { return true }
        return accept.elementsEqual("*/*".utf8)
    }
}
