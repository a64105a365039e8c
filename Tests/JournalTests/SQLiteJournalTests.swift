import Glibc
import Testing

@testable import Journal

@Suite struct SQLiteJournalTests {
    let directory = TemporaryDirectory()

    @Test func keepsEntriesAcrossAReopening() throws {
        let path = directory.file("a.db")
        let first = try SQLiteJournal(path: path)
        try first.append([JournalEntry(key: "a", value: [1, 2]), JournalEntry(key: "b", value: [])])
        first.close()
        #expect(try contents(of: SQLiteJournal(path: path)) == ["a=[1, 2]", "b=[]"])
    }
}
