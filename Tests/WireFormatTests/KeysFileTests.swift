import AccessRules
import ActivityCore
import Testing

@testable import WireFormat

private let hash = String(repeating: "0f", count: 32)

private func decoded(_ json: String) throws -> [Key] { try KeysFile.decode(Array(json.utf8)) }

private func faults(_ json: String) -> [String] {
    do {
        _ = try KeysFile.decode(Array(json.utf8))
        return []
    } catch BodyError.invalidMembers(let faults) {
        return faults.map(\.pointer)
    } catch {
        return ["no JSON"]
    }
}

@Suite struct KeysFileTests {
    @Test func readsTheFileOfTheDesign() throws {
        let keys = try decoded(
            #"{"keys":[{"id":"worker","sha256":"\#(hash)","grants":[{"allow":["tasks:write"],"#
                + #""scope":"acme.>","tasks":["chats.*"]},{"allow":["admin","screens:read"],"scope":""}]}]}"#)
        let key = try #require(keys.first)
        #expect(keys.count == 1 && key.id == "worker")
        #expect(key.digest == Array(repeating: 0x0F, count: 32))
        #expect(
            key.grants
                == Grants([
                    Grant(
                        permissions: [.writeTasks], scope: .from(try #require(Scope("acme"))),
                        tasks: [.prefix("chats.")]),
                    Grant(permissions: [.admin, .readScreens], scope: .exactly(.root)),
                ]))
    }

    @Test func takesNoKeysAndNoGrants() throws {
        #expect(try decoded(#"{"keys":[]}"#).isEmpty)
        let none = try decoded(
            #"{"keys":[{"id":"a","sha256":"\#(hash.uppercased())","grants":[]}]}"#)
        #expect(none.first?.grants == Grants())
    }

    @Test func aListOfTasksThatIsEmptyIsNoneAtAll() throws {
        let keys = try decoded(
            #"{"keys":[{"id":"a","sha256":"\#(hash)","grants":[{"allow":["tasks:read"],"scope":">","tasks":[]}]}]}"#
        )
        let task = try #require(TaskName("a"))
        #expect(keys.first?.grants.allow(.task(.readTasks, task, in: .root)) == false)
    }

    @Test(arguments: [
        (#"{}"#, "/keys"), (#"{"keys":1}"#, "/keys"), (#"{"keys":[1]}"#, "/keys/0"),
        (#"{"keys":[],"more":1}"#, "/more"), (#"{"keys":[{"sha256":"H","grants":[]}]}"#, "/keys/0/id"),
        (#"{"keys":[{"id":"","sha256":"H","grants":[]}]}"#, "/keys/0/id"),
        (#"{"keys":[{"id":"a b","sha256":"H","grants":[]}]}"#, "/keys/0/id"),
        (#"{"keys":[{"id":"a","grants":[]}]}"#, "/keys/0/sha256"),
        (#"{"keys":[{"id":"a","sha256":"Hx","grants":[]}]}"#, "/keys/0/sha256"),
        (#"{"keys":[{"id":"a","sha256":"H"}]}"#, "/keys/0/grants"),
        (#"{"keys":[{"id":"a","sha256":"H","grants":[{"scope":""}]}]}"#, "/keys/0/grants/0/allow"),
        (#"{"keys":[{"id":"a","sha256":"H","grants":[{"allow":[]}]}]}"#, "/keys/0/grants/0/scope"),
        (
            #"{"keys":[{"id":"a","sha256":"H","grants":[]},{"id":"a","sha256":"H","grants":[]}]}"#, "/keys/1"
        ),
        (
            #"{"keys":[{"id":"a","sha256":"H","grants":[]},{"id":"b","sha256":"H","grants":[]}]}"#, "/keys/1"
        ),
    ])
    func namesWhatIsWrong(json: String, pointer: String) {
        #expect(faults(json.replacing("H", with: hash)) == [pointer])
    }

    @Test func aFaultTellsNoHash() {
        let json = #"{"keys":[{"id":"a","sha256":"\#(hash)0","grants":[]}]}"#
        #expect(throws: BodyError.self) { try decoded(json) }
        do {
            _ = try KeysFile.decode(Array(json.utf8))
        } catch {
            #expect(!"\(error)".contains("0f0f"))
        }
    }
}

@Suite struct SecretTests {
    /// https://csrc.nist.gov/CSRC/media/Projects/Cryptographic-Standards-and-Guidelines/documents/examples/SHA256.pdf
    @Test func hashesAsSHA256Does() {
        let hex = Secret.digest(of: "abc".utf8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func comparesAllBytes() {
        var other = Secret.digest(of: "abc".utf8)
        #expect(Secret.areEqual(other, Secret.digest(of: "abc".utf8)))
        other[31] ^= 1
        #expect(!Secret.areEqual(other, Secret.digest(of: "abc".utf8)))
        #expect(!Secret.areEqual(other, Array(other.dropLast())))
    }

    @Test func aFreshOneIsNewAndWellFormed() {
        let secrets = (0..<100).map { _ in Secret.fresh() }
        #expect(Set(secrets).count == 100)
        for secret in secrets {
            #expect(secret.utf8.count == 43)
            #expect(
                secret.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }
}
