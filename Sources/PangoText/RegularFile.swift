import Glibc

/// A regular file, open for reading.
struct RegularFile: ~Copyable {
    /// Which file it is, and in which version, as far as the file system tells.
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let node: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int
    }

    let identity: Identity
    private let descriptor: Int32

    /// Nil when there is none at `path`, or it cannot be read.
    init?(_ path: String) {
        // A FIFO would have us wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        identity = Identity(
            device: UInt64(status.st_dev), node: UInt64(status.st_ino), size: Int(status.st_size),
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }

    deinit { close(descriptor) }

    /// In bytes.
    var size: Int { identity.size }

    /// All of `range`; nil when it is not there, or cannot be read.
    func read(_ range: Range<Int>) -> [UInt8]? {
        guard range.lowerBound >= 0, range.upperBound <= size else { return nil }
        var isComplete = true
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let rest = UnsafeMutableRawBufferPointer(buffer)[count...]
                let part = pread(
                    descriptor, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress, rest.count,
                    off_t(range.lowerBound + count))
                if part < 0, errno == EINTR { continue }
                guard part > 0 else {
                    isComplete = false
                    return
                }
                count += part
            }
        }
        return isComplete ? bytes : nil
    }
}
