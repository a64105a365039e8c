import Glibc

/// Why a benchmark gave no figures.
enum BenchError: Error {
    /// The command line is wrong.
    case usage(String)
    /// A system call failed, with its error number.
    case system(String, Int32)
    /// The daemon did not do what it must.
    case daemon(String)

    static func last(_ call: String) -> BenchError { .system(call, errno) }

    var message: String {
        switch self {
        case .usage(let text), .daemon(let text): text
        case .system(let call, let code): "\(call): \(String(cString: strerror(code)))"
        }
    }
}
