/// A list of slots from which any slot can be taken out in O(1): a doubly linked list in two arrays.
struct SlotList: Sendable {
    private static var none: Int32 { -1 }
    private var previous: [Int32] = []
    private var next: [Int32] = []
    private var head = none
    private var tail = none

    /// The first slot.
    var first: Int? { head == Self.none ? nil : Int(head) }
    /// The last slot.
    var last: Int? { tail == Self.none ? nil : Int(tail) }

    /// The slot before `slot`, which is in the list.
    func slot(before slot: Int) -> Int? { previous[slot] == Self.none ? nil : Int(previous[slot]) }

    /// Puts `slot`, which is not in the list, behind `other`; nil: to the front.
    mutating func insert(_ slot: Int, after other: Int?) {
        while next.count <= slot {
            previous.append(Self.none)
            next.append(Self.none)
        }
        let before = other.map(Int32.init) ?? Self.none
        let after = other.map { next[$0] } ?? head
        link(before, Int32(slot))
        link(Int32(slot), after)
    }

    /// Takes out `slot`, which is in the list.
    mutating func remove(_ slot: Int) { link(previous[slot], next[slot]) }

    private mutating func link(_ a: Int32, _ b: Int32) {
        if a == Self.none { head = b } else { next[Int(a)] = b }
        if b == Self.none { tail = a } else { previous[Int(b)] = a }
    }
}
