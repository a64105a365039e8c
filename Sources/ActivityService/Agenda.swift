import EventHTTP

/// Things to do later on a loop, by their instant: one timer and one heap for all of them.
///
/// Nothing is taken out early: whoever gets its turn too late or in vain says so itself. Adding costs O(log n).
final class Agenda<Item> {
    private let loop: EventLoop
    private let act: (Item) -> Void
    private var heap: [(instant: UInt64, item: Item)] = []
    private var timer: LoopTimer?

    /// - Parameter act: called on the loop with each item whose instant has come.
    init(loop: EventLoop, _ act: @escaping (Item) -> Void) {
        self.loop = loop
        self.act = act
        timer = loop.timer { [unowned self] in takeTurn() }
    }

    /// Has `item` acted upon at `instant`, in nanoseconds of the loop's clock.
    func add(_ item: Item, at instant: UInt64) {
        heap.append((instant, item))
        siftUp(heap.count - 1)
        if heap[0].instant == instant { arm() }
    }

    private func takeTurn() {
        while let first = heap.first, first.instant <= loop.now {
            removeFirst()
            act(first.item)
        }
        arm()
    }

    private func arm() {
        guard let first = heap.first else { return }
        timer?.schedule(afterNanoseconds: first.instant > loop.now ? first.instant - loop.now : 0)
    }

    private func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].instant < heap[least].instant { least = child }
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    private func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].instant < heap[parent].instant else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }
}
