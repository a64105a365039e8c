import EventHTTP
import Testing

@testable import ActivityService

private final class Note: AgendaItem {
    let name: Int
    var agendaPlace: Int?

    init(_ name: Int) { self.name = name }
}

@Suite struct AgendaTests {
    @Test func actsInTheOrderOfInstantsAndForgetsWhatWasCancelled() throws {
        let loop = try EventLoop()
        var acted: [Int] = []
        let start = loop.now
        let agenda = Agenda<Note>(loop: loop) { note in
            acted.append(note.name)
            if note.name == 99 { loop.stop() }
        }
        let notes = (0..<100).map(Note.init)
        // In a scattered order; each tenth is moved, each other tenth cancelled.
        for number in 0..<100 {
            let note = notes[number * 37 % 100]
            agenda.schedule(note, at: start + UInt64(note.name) * 10_000)
        }
        for note in notes where note.name % 10 == 3 { agenda.cancel(note) }
        for note in notes where note.name % 10 == 5 {
            agenda.schedule(note, at: start + UInt64(note.name) * 10_000 - 15_000)
        }
        agenda.cancel(notes[3])
        loop.run()
        let expected = (0..<100).filter { $0 % 10 != 3 }.sorted { a, b in
            func instant(_ name: Int) -> Double { name % 10 == 5 ? Double(name) - 1.5 : Double(name) }
            return instant(a) < instant(b)
        }
        #expect(acted == expected)
        #expect(notes.allSatisfy { $0.agendaPlace == nil })
    }
}
