import ActivityCore
import IndicatorLayout
import Testing

@testable import WireFormat

private func decodingFault(_ key: String, _ value: String?) -> String? {
    do throws(RecordError) {
        _ = try RecordFormat.decode(key: key, value: value.map { Array($0.utf8) })
        return nil
    } catch {
        return error.detail
    }
}

@Suite struct RecordFormatTests {
    @Test func writesWhatIsThere() throws {
        let (key, value) = RecordFormat.encode(.run(try sampleKey(), sampleRun()))
        #expect(key == "run//chats.sync/7f3a")
        #expect(
            value.map(text)
                == #"{"state":"running","startedAt":1796068053120,"ordinal":1,"ttl":60,"title":"Updating…","#
                + #""progress":{"completed":3,"total":10},"priority":200}"#)
        let scope = try #require(Scope("acme.u-42"))
        #expect(
            RecordFormat.encode(.runForgotten(try sampleKey(scope: scope))).key
                == "run/acme.u-42/chats.sync/7f3a")
    }

    @Test func everyRunReadsBack() throws {
        var random = RandomValues()
        for _ in 0..<1_000 {
            let record = Record.run(random.key(), random.run())
            let (key, value) = RecordFormat.encode(record)
            let read = try RecordFormat.decode(key: key, value: value)
            #expect(read == record, "seed \(random.seed)")
            // `String ==` takes canonically equivalent texts for one; the bytes tell them apart.
            #expect(RecordFormat.encode(read).value == value, "seed \(random.seed)")
        }
    }

    @Test func everyConfigurationReadsBack() throws {
        var random = RandomValues()
        for _ in 0..<300 {
            let record = Record.configuration(random.screen(), random.configuration())
            let (key, value) = RecordFormat.encode(record)
            let read = try RecordFormat.decode(key: key, value: value)
            #expect(read == record, "seed \(random.seed)")
            #expect(RecordFormat.encode(read).value == value, "seed \(random.seed)")
        }
    }

    @Test func removalsReadBack() throws {
        for record in [Record.runForgotten(try sampleKey()), .configurationRemoved(try sampleScreen())] {
            let (key, value) = RecordFormat.encode(record)
            #expect(value == nil)
            #expect(try RecordFormat.decode(key: key, value: value) == record)
        }
    }

    @Test func theExtremesReadBack() throws {
        var run = sampleRun()
        run.ordinal = 9_007_199_254_740_991
        run.startedAt = Timestamp(milliseconds: -1)
        // Not accepted at the door, but a stored text must be read whatever the rule is today.
        (run.declaration.title, run.declaration.reason) = ("", "\u{0}\u{202E}\u{2028}")
        for hash in [0, 1, UInt64.max] {
            run.origin = .keyed(bodyHash: hash)
            let record = Record.run(try sampleKey(), run)
            let (key, value) = RecordFormat.encode(record)
            #expect(try RecordFormat.decode(key: key, value: value) == record)
        }
    }

    @Test(arguments: [
        "", "run", "run//a", "run//a/b/c", "run/a/b", "run/a..b/t/r", "run//t/.r", "run// /r", "Run//t/r",
        "configuration/", "configuration/a/b", "configuration/a b", "screen/a",
    ])
    func refusesOtherKeys(_ key: String) {
        for value in [nil, "{}"] {
            #expect(decodingFault(key, value) == "The key is of no kind that this version knows.")
        }
    }

    @Test(arguments: [
        (#"{"state":"running","startedAt":1,"ordinal":1,"ttl":60,"zone":1}"#, "/zone is not a member"),
        (
            #"{"state":"running","startedAt":1,"ordinal":1,"ttl":60,"progress":{"completed":1,"total":1,"x":1}}"#,
            "/progress/x is not a member"
        ),
        (#"{"state":"paused","startedAt":1,"ordinal":1,"ttl":60}"#, "/state must be one of"),
        (#"{"startedAt":1,"ordinal":1}"#, "/state is required; /ttl is required"),
        (#"{"state":"running","startedAt":1,"ordinal":-1,"ttl":60}"#, "/ordinal must be"),
        (#"{"state":"running","startedAt":1,"ordinal":1,"ttl":60,"bodyHash":"1"}"#, "/bodyHash must be"),
        (#"{"state":"running","startedAt":1,"ordinal":1,"ttl":60,"title":3}"#, "/title must be"),
        (#"{"state":"running""#, "it ends too early"), ("", "it ends too early"),
        ("[]", " must be an object"),
    ])
    func refusesDamagedAndNewerValues(_ value: String, _ detail: String) throws {
        let fault = try #require(decodingFault("run//t/r", value))
        #expect(fault.hasPrefix("The value is damaged, or of a newer version: ") && fault.contains(detail))
    }

    @Test(arguments: [#"{"glow":1}"#, #"{"kind":"toolbar"}"#, "[]", ""])
    func refusesConfigurationsOfANewerVersion(_ value: String) {
        #expect(decodingFault("configuration/chats", value)?.contains("newer version") == true)
    }
}
