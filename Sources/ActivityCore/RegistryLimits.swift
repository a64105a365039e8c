/// How much the registry keeps; most are flags of the daemon.
public struct RegistryLimits: Hashable, Sendable {
    /// Running runs of one scope.
    public var runningPerScope: Int
    /// Running runs of one task in one scope.
    public var runningPerTask: Int
    /// Running runs in all.
    public var running: Int
    /// Runs that ended or were lost, listed and remembered together; above it the oldest are forgotten.
    public var ended: Int
    /// Configured screens.
    public var configurations: Int
    /// Patterns of one configuration.
    public var patterns: Int
    /// Screens that are pending, or wait to be, counted once for each scope in which they are: what all running runs
    /// together may show. 0.65 KiB each.
    public var pendingScreens: Int
    /// Runs of one task in one scope that stay listed after they ended or were lost: the last ones.
    public var listedPerTask: Int
    /// How long, in milliseconds, a run stays listed after it ended or was lost.
    public var listedFor: Int64
    /// How long, in milliseconds, a run is remembered after it left the list.
    public var rememberedFor: Int64

    /// Limits with the daemon's defaults.
    public init(
        runningPerScope: Int = 10_000, runningPerTask: Int = 100, running: Int = 200_000,
        ended: Int = 200_000,
        configurations: Int = 10_000, patterns: Int = 64, pendingScreens: Int = 500_000,
        listedPerTask: Int = 20,
        listedFor: Int64 = 24 * 3_600_000, rememberedFor: Int64 = 3_600_000
    ) {
        self.runningPerScope = runningPerScope
        self.runningPerTask = runningPerTask
        self.running = running
        self.ended = ended
        self.configurations = configurations
        self.patterns = patterns
        self.pendingScreens = pendingScreens
        self.listedPerTask = listedPerTask
        self.listedFor = listedFor
        self.rememberedFor = rememberedFor
    }
}
