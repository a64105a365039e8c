import Testing

@testable import WireFormat

@Suite struct TokenTests {
    /// FIPS 180-4 examples and a text longer than one block.
    @Test(arguments: [
        ("", "e3b0c44298fc1c14"), ("abc", "ba7816bf8f01cfea"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8"),
        (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb92"),
    ])
    func isTheStartOfSHA256(_ body: String, _ hex: String) {
        #expect(text(Token(of: Array(body.utf8)).hex) == hex)
    }

    @Test func hexReadsBack() throws {
        var random = RandomValues()
        for _ in 0..<1_000 {
            let token = Token(rawValue: random.next())
            #expect(Token(hex: token.hex) == token)
        }
        #expect(Token(rawValue: 0).hex == Array("0000000000000000".utf8))
    }

    @Test(arguments: [
        "", "9f2c1b77a01d33e", "9f2c1b77a01d33e40", "9F2C1B77A01D33E4", "9f2c1b77a01d33eg",
        "\"f2c1b77a01d33e\"",
    ])
    func refusesOtherText(_ hex: String) {
        #expect(Token(hex: hex.utf8) == nil)
    }
}
