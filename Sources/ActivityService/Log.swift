public enum LogLevel: Sendable { case info, warning, error }
public final class Log: Sendable {
    public init() {}
    func info(_ m: String, _ x: [String: String]) {}
    func warning(_ m: String, _ x: [String: String]) {}
    func error(_ m: String, _ x: [String: String]) {}
}
public enum ExitCode: Int32, Sendable {
    case configuration = 78, unavailable = 69, journal = 74, usage = 64, system = 71
}
