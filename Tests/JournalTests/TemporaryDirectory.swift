import Glibc
import Journal
import Testing

/// A directory of one test's own, removed with it.
final class TemporaryDirectory {
    let path: String

    init() {
        var template = Array("/tmp/journal-tests-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? ""
        }
        precondition(!path.isEmpty, "A directory for tests can be made.")
    }

    deinit {
        for name in names { remove(file(name)) }
        rmdir(path)
    }

    /// The names of the files in it.
    var names: [String] {
        guard let stream = opendir(path) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func file(_ name: String) -> String { path + "/" + name }
}

/// What a replay hands out, in order, as text.
func contents(of journal: some Journal) throws -> [String] {
    var entries: [String] = []
    try journal.replay { entries.append("\($0.key)=\($0.value.map { "\($0)" } ?? "nil")") }
    return entries
}
