/// What the command line asks for.
struct Options {
    static let help = """
        pending-bench [NAME]...  measures a pendingd that it starts, on loopback, and prints a table

          --pendingd PATH   the daemon (default: the one beside this program)
          --nginx PATH      compare polls with this nginx's `return 200` of the same body
          --json PATH       also write the figures as JSON
          --directory PATH  where journals lie while they are measured (default: /var/tmp)
          --quick           small sizes: whether it works, not how fast
          --list            the names

        The daemon is pinned to core 0, the load to core 1.

        """

    enum Action { case run, list, help }

    var action = Action.run
    var names: [String] = []
    var pendingd: String
    var nginx: String?
    var json: String?
    var directory = "/var/tmp"
    var isQuick = false

    /// Reads `arguments`; `program` is the path by which this one was called.
    init(_ arguments: [String], program: String) throws(BenchError) {
        let folder = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
        pendingd = (folder + ["pendingd"]).joined(separator: "/")
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--pendingd": pendingd = try Self.value(of: argument, &rest)
            case "--nginx": nginx = try Self.value(of: argument, &rest)
            case "--json": json = try Self.value(of: argument, &rest)
            case "--directory": directory = try Self.value(of: argument, &rest)
            case "--quick": isQuick = true
            case "--list": action = .list
            case "--help": action = .help
            default: try add(argument)
            }
        }
    }

    private mutating func add(_ name: String) throws(BenchError) {
        guard Benchmark.all.contains(where: { $0.name == name }) else {
            throw .usage("\(name) is neither a flag nor a benchmark; --help tells what there is")
        }
        names.append(name)
    }

    private static func value(
        of flag: String, _ rest: inout ArraySlice<String>
    ) throws(BenchError) -> String {
        guard let value = rest.popFirst() else { throw .usage("\(flag) wants a value") }
        return value
    }
}
