"""What each screen must have shown, computed from the workers' log alone: the rules of the service once more.

Written from the rules in docs/screens-and-timing.md, slow and obvious on purpose, and sharing nothing with the
daemon. Times are seconds since the start of the story.
"""

import dataclasses
import heapq
import itertools

MILLION = 1_000_000


@dataclasses.dataclass(frozen=True)
class State:
    """What a reader sees of a screen."""

    isPending: bool
    title: str
    fraction: object
    runCount: int


@dataclasses.dataclass
class Run:
    ordinal: int
    state: str = "running"
    title: object = None
    priority: int = 0
    ttl: float = 60
    is_silent: bool = False
    progress: object = None
    deadline: object = None


class Phase:
    """One screen: idle, waiting, shown, lingering; with the progress of the interval."""

    def __init__(self, configuration):
        timing = configuration["timing"]
        self.delay, self.minimum, self.completion = (
            timing[name] for name in ("startDelay", "minimumVisible", "completionDelay"))
        self.tasks = configuration["tasks"]
        self.regular = configuration["regularTitle"]
        self.pending = configuration["pendingTitle"]
        self.kind, self.since, self.until = "idle", None, None
        self.active = {}
        self.last_title = None
        self.done, self.counted, self.highest, self.shown_fraction = 0, 0, 0, None

    def covers(self, task):
        return any(task.startswith(pattern[:-1]) if pattern.endswith("*") else task == pattern
                   for pattern in self.tasks)

    def start(self, key, run, now):
        if not self.active:
            self.done, self.counted, self.highest = 0, 0, 0
            if self.kind == "idle":
                self.kind, self.until = "waiting", now + self.delay
            elif self.kind == "lingering":
                self.kind, self.until = "shown", None
        self.active[key] = run
        self.counted += 1

    def stop(self, key, now):
        del self.active[key]
        self.done += 1
        if not self.active:
            if self.kind == "waiting":
                self.kind, self.until = "idle", None
            elif self.kind == "shown":
                self.kind, self.until = "lingering", max(now + self.completion, self.since + self.minimum)

    def expire(self):
        """The phase's own deadline has come."""
        if self.kind == "waiting":
            self.kind, self.since, self.until = "shown", self.until, None
        else:
            self.kind, self.since, self.until = "idle", None, None

    def update(self):
        """Takes title and progress over from the active runs; while lingering both stay."""
        if not self.active:
            return
        winner = min(self.active.values(), key=lambda run: (-run.priority, run.ordinal))
        self.last_title = self.pending if winner.title is None else winner.title
        if any(run.progress is None for run in self.active.values()):
            self.shown_fraction = None
            return
        shares = [MILLION * min(done, total) // total for done, total in
                  (run.progress for run in self.active.values())]
        mean = (sum(shares) + self.done * MILLION) // self.counted
        self.highest = max(self.highest, mean)
        self.shown_fraction = self.highest // 1000 / 1000

    def state(self):
        if self.kind in ("shown", "lingering"):
            return State(True, self.last_title, self.shown_fraction,
                         len(self.active) if self.kind == "shown" else 0)
        return State(False, self.regular, None, 0)


class Model:
    """Plays a log; ``timelines`` has each screen's changes as (second, State)."""

    def __init__(self, configurations):
        self.phases = {name: Phase(configuration) for name, configuration in configurations.items()}
        self.timelines = {name: [(0.0, phase.state())] for name, phase in self.phases.items()}
        self.runs = {}
        self.ordinals = itertools.count()
        self.late, self.revived = set(), set()

    def play(self, log, until):
        """``log`` is a list of (second, method, task, run, body), of answers that were 2xx."""
        steps = sorted(log, key=lambda step: step[0])
        for step in steps:
            self.advance(step[0])
            self.command(*step)
            self.publish(step[0])
        self.advance(until)

    def advance(self, until):
        """Deadlines before ``until``, in their order; those of that very instant come after what happens at it."""
        while True:
            due = [(phase.until, 1, name) for name, phase in self.phases.items() if phase.until is not None]
            due += [(run.deadline, 0, key) for key, run in self.runs.items() if run.deadline is not None]
            if not due or min(due, key=lambda item: item[:2])[0] >= until:
                return
            at, kind, which = heapq.nsmallest(1, due, key=lambda item: item[:2])[0]
            if kind == 0:
                run = self.runs[which]
                run.state, run.deadline = "lost", None
                self.leave(which, at)
            else:
                self.phases[which].expire()
            self.publish(at)

    def command(self, at, method, task, run_id, body):
        key = (task, run_id)
        run = self.runs.get(key)
        if run is None:
            run = self.runs[key] = Run(next(self.ordinals), state="new")
        before = run.state
        if method == "PATCH" and set(body) == {"cancelRequested"}:
            return
        changes = dict(body)
        if method == "PUT":
            changes = {"title": None, "priority": 0, "ttl": 60, "isSilent": False, "progress": None,
                       "state": "running", **body}
        run.title = changes.get("title", run.title)
        run.priority = changes.get("priority", run.priority)
        run.ttl = changes.get("ttl", run.ttl)
        was_silent, run.is_silent = run.is_silent, changes.get("isSilent", run.is_silent)
        if changes.get("progress"):
            done, total = changes["progress"]["completed"], changes["progress"]["total"]
            if run.progress and run.progress[1] == total:
                done = max(done, run.progress[0])
            run.progress = (done, total)
        elif "progress" in changes and changes["progress"] is None:
            run.progress = None
        run.state = changes.get("state", "running")
        if run.state == "running":
            run.deadline = at + run.ttl + max(1, 0.05 * run.ttl)
            if before == "lost":
                self.revived.add(key)
            if before != "running" and not run.is_silent:
                self.join(key, at)
            elif before == "running" and was_silent != run.is_silent:
                (self.leave if run.is_silent else self.join)(key, at)
        else:
            run.deadline = None
            if before == "running":
                self.leave(key, at)
            elif before == "lost":
                self.late.add(key)

    def join(self, key, at):
        for phase in self.phases.values():
            if phase.covers(key[0]):
                phase.start(key, self.runs[key], at)

    def leave(self, key, at):
        for phase in self.phases.values():
            if key in phase.active:
                phase.stop(key, at)

    def publish(self, at):
        for name, phase in self.phases.items():
            phase.update()
            state = phase.state()
            if self.timelines[name][-1][1] != state:
                self.timelines[name].append((at, state))
