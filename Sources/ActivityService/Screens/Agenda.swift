import EventHTTP

/// Something that an agenda may hold, at most once.
protocol AgendaItem: AnyObject {
    /// Its place in the agenda's heap; nil while it is in none. For the agenda alone.
    var agendaPlace: Int? { get set }
}

/// Things to do later on a loop, by their instant: one timer and one heap for all of them, O(log n) each.
final class Agenda<Item: AgendaItem> {
    private let loop: EventLoop
    private let act: (Item) -> Void
    private var heap: [(instant: UInt64, item: Item)] = []
    private var timer: LoopTimer?

    /// - Parameter act: called on the loop with each item whose instant has come; it is no longer held then.
    init(loop: EventLoop, _ act: @escaping (Item) -> Void) {
        self.loop = loop
        self.act = act
        timer = loop.timer { [unowned self] in takeTurn() }
    }

    /// Has `item` acted upon at `instant` (nanoseconds of the loop's clock), and no more when it was due before.
    func schedule(_ item: Item, at instant: UInt64) {
        if let place = item.agendaPlace {
            heap[place].instant = instant
            settle(place)
        } else {
            heap.append((instant, item))
            item.agendaPlace = heap.count - 1
            settle(heap.count - 1)
        }
        if item.agendaPlace == 0 { arm() }
    }

    /// Forgets `item`.
    func cancel(_ item: Item) {
        guard let place = item.agendaPlace else { return }
        swap(place, heap.count - 1)
        heap.removeLast()
        item.agendaPlace = nil
        if place < heap.count { settle(place) }
    }

    private func takeTurn() {
        while let first = heap.first, first.instant <= loop.now {
            cancel(first.item)
            act(first.item)
        }
        arm()
    }

    private func arm() {
        guard let first = heap.first else { return }
        timer?.schedule(afterNanoseconds: first.instant > loop.now ? first.instant - loop.now : 0)
    }

    /// Moves the entry at `start` to where its instant belongs.
    private func settle(_ start: Int) {
        var place = start
        while place > 0, heap[place].instant < heap[(place - 1) / 2].instant {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].instant < heap[least].instant { least = child }
            }
            guard least != place else { return }
            swap(place, least)
            place = least
        }
    }

    private func swap(_ a: Int, _ b: Int) {
        heap.swapAt(a, b)
        heap[a].item.agendaPlace = a
        heap[b].item.agendaPlace = b
    }
}
