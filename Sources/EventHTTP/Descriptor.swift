import Glibc

/// A file descriptor that is closed with its last owner.
///
/// The number never changes, so it may be shared between threads.
final class Descriptor: Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }
    deinit { close(number) }

    /// `/dev/null`: nothing but a place in the file table.
    static func spare() -> Descriptor? {
        let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
        return number < 0 ? nil : Descriptor(number)
    }
}
