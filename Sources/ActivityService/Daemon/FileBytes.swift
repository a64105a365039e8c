import Glibc

/// Whole files, read at once.
enum FileBytes {
    /// The content of the file at `path`; nil with `errno` set when it cannot be read or has more than `limit` bytes.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(descriptor, &part, part.count)
            if count == 0 { return bytes }
            guard count > 0 else { return nil }
            bytes += part[..<count]
            guard bytes.count <= limit else {
                errno = EFBIG
                return nil
            }
        }
    }
}
