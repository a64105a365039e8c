import Testing

@testable import HTTPCodec

@Suite struct EntityTagsTests {
    /// Field values, the current tag, and whether it matches weakly and strongly.
    @Test(
        arguments: [
            (["\"a\""], "a", true, true), (["W/\"a\""], "a", true, false), (["\"b\""], "a", false, false),
            (["\"b\", W/\"c\",\"a\""], "a", true, true), (["\"b\"", "\"a\""], "a", true, true),
            (["*"], "a", true, true), (["\"a,b\""], "a,b", true, true), (["\"a,b\""], "a", false, false),
            ([" ,, \"a\" ,\t"], "a", true, true), (["W/\"a\", \"a\""], "a", true, true),
            (["\"\""], "", true, true),
            (["\"A\""], "a", false, false), (["\"ab\""], "a", false, false), (["\"a\""], "ab", false, false),
            (["\"*\""], "a", false, false), (["\"é\""], "é", true, true),
        ] as [([String], String, Bool, Bool)])
    func comparesByStrength(values: [String], current: String, weakly: Bool, strongly: Bool) {
        let tags = EntityTags(values.map(slice))
        #expect(tags.matchesWeakly(current.utf8) == weakly)
        #expect(tags.matchesStrongly(current.utf8) == strongly)
    }

    /// All hold the tag `a` in some way, and a fault.
    @Test(arguments: [
        ["a"], ["\"a"], ["a\""], ["\"a\" \"a\""], ["\"a\"\"a\""], ["\"a\", b"], ["w/\"a\""], ["W/ \"a\""],
        ["W \"a\""],
        ["W/a"], ["*", "\"a\""], ["\"a\"", "*"], ["*, \"a\""], ["\"a\", *"], ["\"a\";"], ["\"a\", \"b c\""],
        ["\"a\", \"\u{1}\""], ["\"a\", \"\u{7F}\""], ["\"a\"", "b"], ["'a'"], ["\"\"a\"\""], ["*", "*"],
    ])
    func aDamagedListMatchesNothing(values: [String]) {
        let tags = EntityTags(values.map(slice))
        #expect(tags == .list([]))
        #expect(!tags.matchesWeakly("a".utf8) && !tags.matchesStrongly("a".utf8))
    }

    @Test func anAbsentFieldIsNotAnEmptyList() throws {
        let head = try #require(acceptedHead("GET / HTTP/1.1\r\nHost: a\r\nIf-Match:\r\n\r\n"))
        #expect(head.entityTags(.ifNoneMatch) == nil)
        #expect(head.entityTags(.ifMatch) == .list([]))
    }
}

@Suite struct PreferTests {
    @Test(
        arguments: [
            ([], nil), (["wait=10"], 10), (["WAIT=10"], 10), (["wait=\"10\""], 10), (["wait = 10"], 10),
            (["wait=0"], 0),
            (["respond-async, wait=5; a=b"], 5), (["return=minimal", "wait=7"], 7), (["wait=5, wait=6"], 5),
            (["wait=x, wait=6"], nil), (["wait"], nil), (["wait="], nil), (["wait=-1"], nil),
            (["wait=1.5"], nil),
            (["wait=99999999999999999999"], .max), (["waits=1"], nil), (["a; wait=3"], nil),
            (["a=\", wait=3\""], nil),
            (["a=\"\\\", wait=3\", wait=4"], 4), (["\"wait=1\", wait=2"], 2), ([",, wait=2"], 2),
            (["wait=\"\""], nil),
            (["wait=\""], nil), (["a=\", wait=3"], nil),
        ] as [([String], Int?)])
    func theFirstWaitCounts(values: [String], wait: Int?) {
        #expect(Prefer(values.map(slice)).wait == wait)
    }

    @Test func isReadFromAllFieldsOfARequest() throws {
        let head = try #require(
            acceptedHead("GET / HTTP/1.1\r\nHost: a\r\nPrefer: x\r\nPrefer: wait=9\r\n\r\n"))
        #expect(head.prefer.wait == 9)
    }
}
