import Glibc
import Testing

/// A directory of one test's own, removed with it; in memory where that is possible, because waiting for a disk proves
/// nothing here: what a killed process wrote is there with and without one.
final class TemporaryDirectory: Sendable {
    let path: String

    init() {
        let root = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(root)/journal-tests-XXXXXX".utf8CString)
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

/// The permission bits of a file; nil if there is none.
func mode(of path: String) -> mode_t? {
    var file = stat()
    return stat(path, &file) == 0 ? file.st_mode & 0o7777 : nil
}

/// The bytes of a whole file.
func bytes(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &part, part.count)
        guard count > 0 else { return bytes }
        bytes += part[..<count]
    }
}

/// Makes a file of these bytes, or replaces it.
func write(_ bytes: [UInt8], to path: String) throws {
    unlink(path)
    let descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
}
