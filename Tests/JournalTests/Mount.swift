import Glibc
import Testing

/// A file system mounted for one test; only root can.
final class Mount {
    private let path: String
    private var isMounted = false

    /// Fails the test where nothing can be mounted.
    init(at path: String, _ type: String, flags: UInt = 0, options: String) throws {
        self.path = path
        isMounted = mount(type, path, type, flags, options) == 0
        try #require(isMounted, "these tests run as root: \(String(cString: strerror(errno)))")
    }

    deinit { end() }

    func end() {
        if isMounted { umount2(path, Int32(MNT_DETACH)) }
        isMounted = false
    }
}
