import Glibc

/// Small files as text.
enum TextFile {
    static func read(_ path: String) throws(BenchError) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .last(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = Glibc.read(file, &buffer, buffer.count), count > 0 {
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func write(_ text: String, to path: String) throws(BenchError) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .last(path) }
        defer { close(file) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw .last(path) }
            rest = rest.dropFirst(count)
        }
    }
}

/// A folder of its own for journals and logs, removed with its owner.
final class ScratchFolder {
    let path: String

    init(in parent: String) throws(BenchError) {
        var template = Array("\(parent)/pending-bench-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw .last(parent) }
        path = String(cString: made)
    }

    deinit {
        // A child of ours writes only flat files here.
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if name != ".", name != ".." { unlink("\(path)/\(name)") }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
