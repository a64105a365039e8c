#!/usr/bin/env python3
"""When a real daemon's screens show, and with which title: the timing table, played.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import delays  # noqa: E402
from suite import Suite, equal, eventually, near  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case

#: Seconds that an edge may be off on a loaded machine, on top of what the machine is seen to be late.
EDGE = 0.12


class Timeline:
    """Watches a screen while steps are played: (milliseconds, what to do), each on time."""

    def __init__(self, daemon, screen, scope=None):
        self.daemon = daemon
        self.prefix = f"/v1/scopes/{scope}" if scope else "/v1"
        self.stream = daemon.stream(f"{self.prefix}/screens/{screen}")
        assert self.stream.next().json["isPending"] is False

    def play(self, steps, until):
        """Runs the steps; returns when each really happened, in seconds since the start of the play."""
        self.started = time.monotonic() + 0.05
        happened = []
        with self.daemon.connect() as connection:
            for milliseconds, method, target, body in sorted(steps, key=lambda step: step[0]):
                time.sleep(max(0, self.started + milliseconds / 1000 - time.monotonic()))
                before = time.monotonic()
                answer = connection.ask(method, target, body=body)
                assert answer.status < 500, answer
                happened.append((before + time.monotonic()) / 2 - self.started)
            time.sleep(max(0, self.started + until / 1000 - time.monotonic()))
        return happened

    def intervals(self):
        """[(from, to, title)] in milliseconds; a title change begins a new interval."""
        self.stream.close()
        result, open_since, title = [], None, None
        for event in self.stream.states[1:]:
            state = event.json
            at = (event.at - self.started) * 1000
            shown = state["title"] if state["isPending"] else None
            if shown == title:
                continue
            if title is not None:
                result.append((open_since, at, title))
            open_since, title = at, shown
        if title is not None:
            result.append((open_since, None, title))
        return result


def compare(found, expected, started):
    allowed = (EDGE + suite.lag.since(started)) * 1000
    equal(len(found), len(expected), f"number of intervals in {found}, expected {expected}")
    for one, two in zip(found, expected):
        near(one[0], two[0], allowed, f"beginning in {found}, expected {expected}")
        near(one[1], two[1], allowed, f"end in {found}, expected {expected}")
        if len(two) > 2:
            equal(one[2], two[2], "title")


def row(label, numbers, runs, expected, limits=(500, 500, 200), until=None):
    """A row of the timing table: runs as {name: (start, end)}, shown intervals in milliseconds."""

    def check(daemon):
        # An edge of the table is 100 ms or more from any deadline, but a machine that stalls for longer
        # than that plays another row; then the row is played again.
        for _ in range(3):
            screen = suite.name()
            daemon.configure(screen, timing=delays(*limits))
            steps = []
            for run, (start, end) in runs.items():
                path = f"/v1/tasks/{screen}/runs/{run}"
                steps.append((start, "PUT", path, {"ttl": 5}))
                if end is not None:
                    steps.append((end, "PUT", path, {"state": "succeeded"}))
            timeline = Timeline(daemon, screen)
            planned = [step[0] / 1000 for step in sorted(steps, key=lambda step: step[0])]
            happened = timeline.play(steps, until or max(end or 6500 for _, end in runs.values()) + 2400)
            if max(abs(a - b) for a, b in zip(happened, planned)) < 0.04:
                break
        compare(timeline.intervals(), expected, timeline.started)

    suite.cases.append(("".join(f"[{number}] " for number in numbers) + f"timing: {label}", check))


row("row 1, short work never shows", [], {"A": (0, 300)}, [])
row("row 4, shown briefly it stays its minimum", [], {"A": (0, 800)}, [(500, 1000)])
row("row 5, the completion delay rules when it is later", [], {"A": (0, 900)}, [(500, 1100)])
row("row 6, long work", [], {"A": (0, 2000)}, [(500, 2200)])
row("row 7, two short works with a gap", [], {"A": (0, 300), "B": (400, 700)}, [])
row("row 8, overlapping works are one", [], {"A": (0, 400), "B": (300, 1000)}, [(500, 1200)])
row("row 9, a start while lingering goes on", [23], {"A": (0, 1000), "B": (1100, 1300)}, [(500, 1500)])
row("row 11, a start after lingering waits again", [], {"A": (0, 1000), "B": (1350, 2000)},
    [(500, 1200), (1850, 2350)])
row("row 12, a short second work within the minimum", [22], {"A": (0, 600), "B": (700, 800)}, [(500, 1000)])
row("row 13, without delays what is, is shown", [], {"A": (3, 200)}, [(3, 200)], (0, 0, 0))
row("row 14, a flash is stretched to the minimum", [], {"A": (0, 1)}, [(0, 2000)], (0, 2000, 0))
row("row 15, a long start delay", [], {"A": (0, 1200)}, [(1000, 1400)], (1000, 0, 200))
row("row 16, a silent worker", [24], {"A": (0, None)}, [(500, 6200)], until=6800)
row("a delay of 250 ms alone", [22], {"A": (0, 3000)}, [(250, 3000)], (250, 0, 0))
row("a stale delay of one run does not show the next", [21], {"A": (0, 300), "B": (360, 2000)}, [(860, 2200)])
row("an end and a start at once are one interval", [20], {"A": (0, 1000), "B": (1001, 1800)}, [(0, 1900)],
    (0, 0, 100))


@case("timing: row 17, repeated starts and ends of one run change nothing")
def repeated(daemon):
    screen = suite.name()
    daemon.configure(screen, timing=delays(500, 500, 200))
    path = f"/v1/tasks/{screen}/runs/A"
    timeline = Timeline(daemon, screen)
    timeline.play([(0, "PUT", path, {}), (100, "PUT", path, {}), (900, "PUT", path, {"state": "succeeded"}),
                   (950, "PUT", path, {"state": "succeeded"})], 1800)
    compare(timeline.intervals(), [(500, 1100)], timeline.started)


@case("timing: row 18, an end that overtakes its start wins")
def overtaken(daemon):
    screen = suite.name()
    timeline = Timeline(daemon, screen)
    path = f"/v1/tasks/{screen}/runs/X"
    timeline.play([(0, "PUT", path, {"state": "succeeded"}), (5, "PUT", path, {})], 500)
    equal(timeline.intervals(), [])


@case("a run too short to become visible causes no event")
def invisible(daemon):
    screen = suite.name()
    daemon.configure(screen, timing=delays(500, 500, 200))
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        for i in range(5):
            daemon.put(screen, f"r{i}")
            daemon.end(screen, f"r{i}")
        assert not stream.wait(lambda: len(stream.states) > 1, 1.2), stream.states


@case("titles: the higher priority takes over at once and hands back at once")
def titles(daemon):
    screen = suite.name()
    daemon.configure(screen, timing=delays(500, 500, 200))
    update, connect = f"/v1/tasks/{screen}/runs/u", f"/v1/tasks/{screen}/runs/c"
    timeline = Timeline(daemon, screen)
    timeline.play([(0, "PUT", update, {"title": "Updating", "priority": 200}),
                   (1000, "PUT", connect, {"title": "Connecting", "priority": 300}),
                   (1500, "PUT", connect, {"state": "succeeded"}), (3000, "PUT", update, {"state": "succeeded"})],
                  3700)
    compare(timeline.intervals(), [(500, 1000, "Updating"), (1000, 1500, "Connecting"), (1500, 3200, "Updating")],
            timeline.started)


@case("a title change while shown is sent at once, whatever the start delay", 25)
def title_change(daemon):
    screen = suite.name()
    daemon.configure(screen, timing=delays(400, 0, 0))
    daemon.put(screen, title="First")
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        assert stream.wait(lambda: stream.states[-1].json["title"] == "First", 3)
        waits = []
        for i in range(5):
            before = time.monotonic()
            daemon.put(screen, title=f"Title {i}")
            assert stream.wait(lambda i=i: stream.states[-1].json["title"] == f"Title {i}", 2)
            waits.append(stream.states[-1].at - before)
        assert min(waits) < 0.1, waits


@case("equal priorities: the older run gives the title, also after it was lost and came back")
def title_order(daemon):
    screen = suite.name()
    daemon.put(screen, "old", title="Old", ttl=5)
    daemon.put(screen, "new", title="New", ttl=60)
    equal(daemon.screen(screen)["title"], "Old")
    eventually(lambda: daemon.screen(screen)["title"] == "New", 8, "the old run is lost")
    daemon.run("PATCH", screen, "old", {})
    equal(daemon.screen(screen)["title"], "Old", "a revival keeps its place")
    daemon.run("PATCH", screen, "new", {"priority": 1})
    equal(daemon.screen(screen)["title"], "New")


@case("a run without title shows the configured one; an empty title shows none; idle shows the regular one")
def title_fallbacks(daemon):
    screen = suite.name()
    equal(daemon.screen(screen)["title"], screen, "a screen nobody configured is called by its id")
    daemon.configure(screen, regularTitle="Chats", pendingTitle="Working…")
    idle = daemon.screen(screen)
    equal((idle["title"], idle["announcement"], idle["pendingSince"], idle["runCount"]), ("Chats", "", None, 0))
    daemon.put(screen)
    pending = daemon.screen(screen)
    equal((pending["title"], pending["announcement"]), ("Working…", "Working…"))
    daemon.put(screen, title="")
    empty = daemon.screen(screen)
    equal((empty["isPending"], empty["title"], empty["announcement"]), (True, "", ""))
    equal(empty["layout"]["titleLabel"], None)
    equal(empty["layout"]["preferredSize"], {"width": 20, "height": 20})


@case("a lingering indicator keeps its title and its progress")
def lingering(daemon):
    screen = suite.name()
    daemon.configure(screen, timing=delays(0, 0, 1500))
    daemon.put(screen, title="Almost", progress={"completed": 1, "total": 2})
    daemon.end(screen)
    state = daemon.screen(screen)
    equal((state["isPending"], state["title"], state["runCount"]), (True, "Almost", 0))
    assert state["fractionCompleted"] is not None, state
    assert state["pendingSince"], state


if __name__ == "__main__":
    suite.main()
