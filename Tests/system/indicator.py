#!/usr/bin/env python3
"""What a screen shows, when, and where its spinner and label stand, against a real daemon.

A number in brackets is that of a known fault of comparable software, listed in the project's case table.
"""

import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from suite import Suite, equal, eventually, near, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case

#: Seconds that an edge may be off on a loaded machine, on top of what the machine is seen to be late.
EDGE = 0.12


def timing(start, minimum, completion):
    return {"startDelay": start / 1000, "minimumVisible": minimum / 1000, "completionDelay": completion / 1000}


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


def row(label, numbers, runs, expected, delays=(500, 500, 200), until=None):
    """A row of the timing table: runs as {name: (start, end)}, shown intervals in milliseconds."""

    def check(daemon):
        # An edge of the table is 100 ms or more from any deadline, but a machine that stalls for longer
        # than that plays another row; then the row is played again.
        for _ in range(3):
            screen = suite.name()
            daemon.configure(screen, timing=timing(*delays))
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


# -- when it shows -------------------------------------------------------------------------------------------

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
    daemon.configure(screen, timing=timing(500, 500, 200))
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
    daemon.configure(screen, timing=timing(500, 500, 200))
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        for i in range(5):
            daemon.put(screen, f"r{i}")
            daemon.end(screen, f"r{i}")
        assert not stream.wait(lambda: len(stream.states) > 1, 1.2), stream.states


@case("titles: the higher priority takes over at once and hands back at once")
def titles(daemon):
    screen = suite.name()
    daemon.configure(screen, timing=timing(500, 500, 200))
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
    daemon.configure(screen, timing=timing(400, 0, 0))
    daemon.put(screen, title="First")
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        assert stream.wait(lambda: stream.states[-1].json["title"] == "First", 3)
        delays = []
        for i in range(5):
            before = time.monotonic()
            daemon.put(screen, title=f"Title {i}")
            assert stream.wait(lambda i=i: stream.states[-1].json["title"] == f"Title {i}", 2)
            delays.append(stream.states[-1].at - before)
        assert min(delays) < 0.1, delays


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
    daemon.configure(screen, timing=timing(0, 0, 1500))
    daemon.put(screen, title="Almost", progress={"completed": 1, "total": 2})
    daemon.end(screen)
    state = daemon.screen(screen)
    equal((state["isPending"], state["title"], state["runCount"]), (True, "Almost", 0))
    assert state["fractionCompleted"] is not None, state
    assert state["pendingSince"], state


# -- progress, announcement ----------------------------------------------------------------------------------

@case("the announcement changes only with the title or isPending", 30)
def announcement(daemon):
    screen = suite.name()
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        for i in range(30):
            daemon.put(screen, title="Loading", progress={"completed": i, "total": 30})
            time.sleep(0.03)
        daemon.end(screen)
        assert stream.wait(lambda: not stream.states[-1].json["isPending"] and len(stream.states) > 2)
        seen = [event.json["announcement"] for event in stream.states]
    equal([text for i, text in enumerate(seen) if i == 0 or text != seen[i - 1]], ["", "Loading", ""])


@case("fractions are exact thousandths, rounded down, null while a run does not say")
def fractions(daemon):
    for completed, total, shown in ((1, 3, 0.333), (2, 3, 0.666), (3, 10, 0.3), (7, 10, 0.7), (999, 1000, 0.999),
                                    (9999, 10000, 0.999), (2**53 - 2, 2**53 - 1, 0.999), (0, 5, 0), (5, 5, 1),
                                    (1, 1001, 0), (29, 100, 0.29), (57, 100, 0.57)):
        screen = suite.name()
        daemon.put(screen, progress={"completed": completed, "total": total})
        body = daemon.ask("GET", f"/v1/screens/{screen}").body
        assert f'"fractionCompleted":{shown},'.encode() in body, (completed, total, body)
    daemon.put(screen, "silent-about-it")
    equal(daemon.screen(screen)["fractionCompleted"], None)
    daemon.put(screen, "silent-about-it", isSilent=True)
    assert daemon.screen(screen)["fractionCompleted"] is not None
    daemon.end(screen, "a")
    idle = daemon.screen(screen)
    equal((idle["isPending"], idle["fractionCompleted"]), (False, None))


@case("an ended run of the interval counts as done, and a new interval starts afresh", 12)
def interval(daemon):
    screen = suite.name()
    daemon.put(screen, "a", progress={"completed": 0, "total": 10})
    daemon.put(screen, "b", progress={"completed": 1, "total": 2})
    daemon.end(screen, "a")
    equal(daemon.screen(screen)["fractionCompleted"], 0.75)
    daemon.end(screen, "b")
    daemon.put(screen, "c", progress={"completed": 1, "total": 10})
    equal(daemon.screen(screen)["fractionCompleted"], 0.1)


# -- scopes --------------------------------------------------------------------------------------------------

@case("a screen shows the runs of its scope and of its ancestors, label by label", 53)
def scopes(daemon):
    task = suite.name()
    daemon.put(task, scope="acme.u-42", title="Mine")
    shows = {scope: daemon.screen(task, scope=scope)["isPending"]
             for scope in (None, "acme", "acme.u-4", "acme.u-42", "acme.u-421", "acme.u-42.x", "ac", "u-42",
                           "acme.u-42.x.y", "Acme.u-42")}
    equal([scope for scope, pending in shows.items() if pending], ["acme.u-42", "acme.u-42.x", "acme.u-42.x.y"])
    equal(daemon.screen(task, scope="acme.u-42")["scope"], "acme.u-42")
    problem(daemon.run("GET", task, "a"), 404, "not-found")
    problem(daemon.run("GET", task, "a", scope="acme"), 404, "not-found")
    problem(daemon.run("GET", task, "a", scope="acme.u-42.x"), 404, "not-found")
    for scope, count in ((None, 0), ("acme", 0), ("acme.u-421", 0), ("acme.u-42", 1), ("acme.u-42.x", 0)):
        prefix = f"/v1/scopes/{scope}" if scope else "/v1"
        equal(len(daemon.ask("GET", f"{prefix}/runs?task={task}&state=all").json["items"]), count, f"{scope}: list")
        equal(len(daemon.ask("GET", f"{prefix}/tasks/{task}/runs").json["items"]), count, f"{scope}: history")
    daemon.run("DELETE", task, "a", scope="acme")
    equal(daemon.screen(task, scope="acme.u-42")["isPending"], True, "another scope's DELETE")
    daemon.put(task, "maintenance", title="Maintenance…", priority=900)
    for scope in (None, "acme", "acme.u-42", "acme.u-421", "x.y.z.w"):
        state = daemon.screen(task, scope=scope)
        equal((state["isPending"], state["title"]), (True, "Maintenance…"), scope)
    equal(daemon.screen(task, scope="acme.u-42")["runCount"], 2, "sum over the chain")


@case("streams keep scopes apart too", 53)
def scoped_streams(daemon):
    task = suite.name()
    near_by = {scope: daemon.stream(f"/v1/scopes/{scope}/screens/{task}") for scope in ("a.u-42", "a.u-421", "a")}
    daemon.put(task, scope="a.u-42", title="Secret")
    assert near_by["a.u-42"].wait(lambda: len(near_by["a.u-42"].states) == 2)
    time.sleep(0.3)
    for scope in ("a.u-421", "a"):
        equal(len(near_by[scope].states), 1, scope)
    daemon.put(task, "m", title="All")
    for stream in near_by.values():
        assert stream.wait(lambda stream=stream: stream.states[-1].json["runCount"] >= 1)
        stream.close()


@case("a shown phase beats a lingering one of another scope, whatever their priorities")
def shown_beats_lingering(daemon):
    task = suite.name()
    daemon.configure(task, timing=timing(0, 1500, 0))
    daemon.put(task, title="Root", priority=900)
    daemon.put(task, scope="s", title="Scope", priority=1)
    equal(daemon.screen(task, scope="s")["title"], "Root")
    daemon.end(task)
    state = daemon.screen(task, scope="s")
    equal((state["title"], state["runCount"]), ("Scope", 1), "the root's phase only lingers")
    daemon.end(task, scope="s")
    equal(daemon.screen(task, scope="s")["title"], "Root", "both linger: the title rule decides")


@case("a start while an ancestor shows skips the delay; the other way round it waits")
def delay_in_scopes(daemon):
    task = suite.name()
    daemon.configure(task, timing=timing(600, 0, 0))
    daemon.put(task, title="Root", priority=1)
    eventually(lambda: daemon.screen(task, scope="s")["isPending"], 3)
    daemon.put(task, scope="s", title="Scope", priority=2)
    equal(daemon.screen(task, scope="s")["title"], "Scope", "at once")
    other = suite.name()
    daemon.configure(other, timing=timing(600, 0, 0))
    daemon.put(other, scope="s", title="Scope", priority=1)
    eventually(lambda: daemon.screen(other, scope="s")["isPending"], 3)
    daemon.put(other, title="Root", priority=2)
    before = time.monotonic()
    equal(daemon.screen(other, scope="s")["title"], "Scope", "the root still waits")
    eventually(lambda: daemon.screen(other, scope="s")["title"] == "Root", 3)
    assert time.monotonic() - before > 0.4


# -- configuration -------------------------------------------------------------------------------------------

@case("changed tasks take effect at once, in both directions", 58)
def changed_tasks(daemon):
    screen, task = suite.name(), suite.name()
    daemon.put(task, title="T")
    daemon.configure(screen, tasks=["*"], timing=timing(0, 0, 0))
    equal(daemon.screen(screen)["isPending"], True, "by mistake everything")
    daemon.configure(screen, tasks=[screen])
    equal(daemon.screen(screen)["isPending"], False, "mended")
    daemon.configure(screen, tasks=[f"{task}*"])
    equal(daemon.screen(screen)["title"], "T")
    daemon.ask("DELETE", f"/v1/screens/{screen}/configuration")
    equal(daemon.screen(screen)["isPending"], False, "the default tasks again")


@case("tasks are exact names and prefixes")
def patterns(daemon):
    stem = suite.name()
    for pattern, names, others in ((f"{stem}.*", [f"{stem}.a", f"{stem}.a.b"], [stem, f"{stem}x"]),
                                   (f"{stem}*", [stem, f"{stem}x", f"{stem}.a"], []),
                                   (f"{stem}.a", [f"{stem}.a"], [f"{stem}.a.b", f"{stem}.ab"])):
        for name in names + others:
            screen = suite.name("screen")
            daemon.configure(screen, tasks=[pattern])
            daemon.put(name)
            equal(daemon.screen(screen)["isPending"], name in names, f"{pattern} and {name}")
            daemon.run("DELETE", name, "a")
    screen = suite.name()
    daemon.put(f"{screen}.part")
    equal(daemon.screen(screen)["isPending"], True, "by default a screen shows its own name and below")
    daemon.put(f"{screen}2")
    equal(daemon.screen(screen)["runCount"], 1, "and no neighbour")


@case("one screen has one state, however many runs and patterns cover it", 31)
def one_state(daemon):
    screen = suite.name()
    daemon.configure(screen, tasks=[screen, f"{screen}*", f"{screen}.*", "*"])
    for run in ("a", "b"):
        daemon.put(f"{screen}.only", run)
    daemon.configure(screen, tasks=[f"{screen}*", f"{screen}.*", f"{screen}.only"])
    body = daemon.ask("GET", f"/v1/screens/{screen}").body
    equal(body.count(b'"activityIndicator"'), 1)
    equal(daemon.screen(screen)["runCount"], 2)


@case("new timing waits for the next idle, look and texts do not")
def changed_timing(daemon):
    screen = suite.name()
    daemon.put(screen)
    daemon.configure(screen, timing=timing(0, 0, 3000), regularTitle="R", pendingTitle="P")
    equal(daemon.screen(screen)["title"], "P")
    daemon.end(screen)
    equal(daemon.screen(screen)["isPending"], False, "the old completion delay of 0")
    daemon.put(screen, "b")
    daemon.end(screen, "b")
    equal(daemon.screen(screen)["isPending"], True, "the new one of 3 s")


@case("a configuration is read back whole, with defaults, ETag and preconditions")
def configuration(daemon):
    screen = suite.name()
    path = f"/v1/screens/{screen}/configuration"
    created = daemon.ask("PUT", path, body={})
    equal(created.status, 201)
    full = daemon.ask("GET", path)
    equal({key: full.json[key] for key in ("kind", "tasks", "activityStyle", "frame", "interItemSpace",
                                           "regularTitle", "pendingTitle", "titleColor", "titleFont",
                                           "arrangement", "direction", "scale")},
          {"kind": "navigationBar", "tasks": [screen, f"{screen}.*"], "activityStyle": "gray",
           "frame": {"x": 0, "y": 0, "width": 120, "height": 20}, "interItemSpace": 8, "regularTitle": screen,
           "pendingTitle": "Updating…", "titleColor": "#1c1c1e",
           "titleFont": {"family": "Inter", "size": 17, "weight": 600}, "arrangement": "leading",
           "direction": "ltr", "scale": None})
    equal(full.json["timing"], {"startDelay": 0, "minimumVisible": 0, "completionDelay": 0})
    equal(daemon.ask("GET", path, {"If-None-Match": full.etag}).status, 304)
    changed = daemon.ask("PUT", path, {"If-Match": full.etag}, {"kind": "searchBar"})
    equal(changed.status, 200)
    problem(daemon.ask("PUT", path, {"If-Match": full.etag}, {}), 412, "precondition-failed")
    problem(daemon.ask("DELETE", path, {"If-Match": full.etag}), 412, "precondition-failed")
    problem(daemon.ask("PUT", path, {"If-None-Match": "*"}, {}), 412, "precondition-failed")
    search = daemon.ask("GET", path).json
    equal((search["frame"], search["icon"], search["iconSize"]),
          ({"x": 0, "y": 0, "width": 320, "height": 56}, "magnifyingglass", {"width": 14, "height": 14}))
    equal(daemon.ask("DELETE", path, {"If-Match": daemon.ask("GET", path).etag}).status, 204)
    equal(daemon.ask("DELETE", path).status, 204)
    equal(daemon.ask("PUT", path, body={}).status, 201)
    round_trip = daemon.ask("GET", path).json
    round_trip.pop("version", None)
    again = daemon.ask("PUT", path, body=round_trip)
    equal((again.status, again.etag), (200, daemon.ask("GET", path).etag), "what GET shows can be PUT back")


@case("wrong configurations are refused with a pointer and change nothing")
def wrong_configurations(daemon):
    screen = suite.name()
    daemon.configure(screen, regularTitle="Kept")
    path = f"/v1/screens/{screen}/configuration"
    before = daemon.ask("GET", path).body
    wrong = [
        ({"kind": "toolbar"}, "/kind"), ({"tasks": "a"}, "/tasks"), ({"tasks": ["a", "*b"]}, "/tasks/1"),
        ({"tasks": ["a*b"]}, "/tasks/0"), ({"tasks": [""]}, "/tasks/0"), ({"activityStyle": "blue"}, "/activityStyle"),
        ({"frame": {"x": 0, "y": 0, "width": -1, "height": 1}}, "/frame/width"),
        ({"frame": {"x": 0, "y": 0, "width": 10001, "height": 1}}, "/frame/width"),
        ({"frame": {"x": -10001, "y": 0, "width": 1, "height": 1}}, "/frame/x"),
        ({"interItemSpace": -1}, "/interItemSpace"), ({"titleColor": "red"}, "/titleColor"),
        ({"titleColor": "#12345"}, "/titleColor"), ({"titleFont": {"size": 0}}, "/titleFont/size"),
        ({"titleFont": {"size": 513}}, "/titleFont/size"), ({"titleFont": {"weight": 1001}}, "/titleFont/weight"),
        ({"scale": 0.2}, "/scale"), ({"scale": 11}, "/scale"), ({"arrangement": "left"}, "/arrangement"),
        ({"direction": "auto"}, "/direction"), ({"timing": {"startDelay": 61}}, "/timing/startDelay"),
        ({"timing": {"startDelay": -0.1}}, "/timing/startDelay"), ({"timing": {"delay": 1}}, "/timing/delay"),
        ({"regularTitle": "a\nb"}, "/regularTitle"), ({"pendingTitle": "a\u202eb"}, "/pendingTitle"),
        ({"spinner": True}, "/spinner"),
    ]
    for body, pointer in wrong:
        document = problem(daemon.ask("PUT", path, body=body), 422, "invalid-member")
        assert any(error["pointer"] == pointer for error in document["errors"]), (body, document)
    equal(daemon.ask("PUT", path, body={"tasks": [f"t{i}" for i in range(64)]}).status, 200)
    equal(daemon.ask("PUT", path, body={"tasks": [f"t{i}" for i in range(65)]}).status, 429)
    daemon.configure(screen, regularTitle="Kept")
    equal(daemon.ask("GET", path).body, before)


@case("configurations are global: with a scope there is no such path")
def no_scoped_configuration(daemon):
    screen = suite.name()
    for method in ("GET", "PUT", "DELETE"):
        equal(daemon.ask(method, f"/v1/scopes/s/screens/{screen}/configuration").status, 404, method)
    daemon.configure(screen, regularTitle="Global")
    equal(daemon.screen(screen, scope="acme.u-1")["title"], "Global")


# -- layout --------------------------------------------------------------------------------------------------

def frame(rectangle):
    return None if rectangle is None else tuple(rectangle[key] for key in ("x", "y", "width", "height"))


@case("the worked example: real text in a navigation bar, with and without a pixel grid")
def worked_example(daemon):
    screen = suite.name()
    daemon.put(screen)
    layout = daemon.screen(screen, "?width=200&scale=2")["layout"]
    equal(frame(layout["bounds"]), (0, 0, 200, 20))
    equal(frame(layout["activityIndicator"]), (0, 0, 20, 20))
    equal(frame(layout["titleLabel"]), (28, -0.5, 89.5, 21))
    equal((layout["isTruncated"], layout["preferredSize"], layout["fonts"]),
          (False, {"width": 117.5, "height": 21}, ["Inter"]))
    layout = daemon.screen(screen, "?width=200")["layout"]
    x, y, width, height = frame(layout["titleLabel"])
    equal(x, 28)
    near(width, 89.17, 0.05)
    near(height, 20.57, 0.05)
    near(y, (20 - height) / 2, 1e-9)


@case("text widths are those of the browser for Latin, umlauts and Cyrillic")
def text_widths(daemon):
    for text, width in (("Updating…", 89.17), ("Chats", 48.48), ("Wird aktualisiert…", 148.95),
                        ("Обновление…", 117.89)):
        screen = suite.name()
        daemon.put(screen, title=text)
        layout = daemon.screen(screen, "?width=400")["layout"]
        near(layout["titleLabel"]["width"], width, 0.05, text)
        scaled = daemon.screen(screen, "?width=800&fontScale=2")["layout"]
        near(scaled["titleLabel"]["width"], 2 * layout["titleLabel"]["width"], 1e-6, "linear in the size")
        equal(frame(scaled["activityIndicator"])[2:], (20, 20), "fontScale changes the font only")


@case("the fallback font of another script is named")
def fallback_fonts(daemon):
    screen = suite.name()
    daemon.put(screen, title="جارٍ التحديث")
    fonts = daemon.screen(screen)["layout"]["fonts"]
    assert fonts and fonts != ["Inter"], fonts


@case("a long title is cut at the view and never pushed over the buttons", 26)
def long_title(daemon):
    screen = suite.name()
    daemon.put(screen, title="Wird gerade noch einmal vollständig aktualisiert…")
    layout = daemon.screen(screen, "?width=120")["layout"]
    equal(frame(layout["titleLabel"])[::2], (28, 92))
    equal(layout["isTruncated"], True)
    for width, x, w in ((140, 117.5, 140), (180, 110, 180), (250, 110, 221)):
        query = f"?width={width}&height=20&barWidth=375&leadingInset=110&trailingInset=44"
        layout = daemon.screen(screen, query)["layout"]
        equal((layout["frameInBar"]["x"], layout["frameInBar"]["width"]), (x, w), f"title view of {width}")
        equal(layout["bounds"]["width"], w)
        right = daemon.screen(screen, query + "&direction=rtl")["layout"]["frameInBar"]
        equal((right["x"], right["width"]), (375 - x - w, w), "mirrored")
    layout = daemon.screen(screen, "?width=140&barWidth=100&leadingInset=80&trailingInset=80")["layout"]
    equal(layout["bounds"]["width"], 0, "insets wider than the bar")
    equal((layout["activityIndicator"], layout["titleLabel"], layout["isTruncated"]), (None, None, True))


@case("right to left: everything mirrored, spinner and label disjoint", 27)
def right_to_left(daemon):
    for arrangement in ("leading", "centered"):
        screen = suite.name()
        daemon.configure(screen, arrangement=arrangement)
        daemon.put(screen, title="Wird aktualisiert…")
        for width in (0, 10, 20, 28, 29, 60, 120, 375, 1000.5):
            left = daemon.screen(screen, f"?width={width}")["layout"]
            right = daemon.screen(screen, f"?width={width}&direction=rtl")["layout"]
            for name in ("activityIndicator", "titleLabel"):
                one, two = frame(left[name]), frame(right[name])
                if one is None:
                    equal(two, None, name)
                else:
                    near(two[0], width - one[0] - one[2], 1e-9, f"{name} at {width}")
                    equal(two[1:], one[1:])
            if left["activityIndicator"] and left["titleLabel"]:
                spinner, label = frame(left["activityIndicator"]), frame(left["titleLabel"])
                assert spinner[0] + spinner[2] <= label[0], (spinner, label)


@case("120, 375 and back to 120 wide: identical frames", 28)
def rotation(daemon):
    screen = suite.name()
    daemon.put(screen, title="Wird aktualisiert…", progress={"completed": 1, "total": 2})
    before, between, after = (daemon.ask("GET", f"/v1/screens/{screen}?width={w}") for w in (120, 375, 120))
    equal((before.body, before.etag), (after.body, after.etag))
    assert before.etag != between.etag
    one, two = before.json, between.json
    for document in (one, two):
        del document["layout"], document["version"]
    equal(one, two, "geometry changes the frames and nothing else")


@case("a search bar: loading set twice, then not: the icon is the configured one", 29)
def search_bar(daemon):
    screen = suite.name()
    daemon.configure(screen, kind="searchBar", icon="globe")

    def look():
        state = daemon.screen(screen)
        layout = state["layout"]
        equal((state["isLoading"], layout["leftView"]["icon"]), (state["isPending"], "globe"))
        equal([frame(layout[name]) for name in ("bounds", "field", "textField")],
              [(0, 0, 320, 56), (8, 10, 304, 36), (42, 10, 236, 36)])
        equal(frame(layout["leftView"]), (18, 21, 14, 14))
        return state["isLoading"], layout["leftView"]["content"], frame(layout["activityIndicator"])

    equal(look(), (False, "icon", None))
    daemon.put(screen, "a")
    daemon.put(screen, "b")
    equal(look(), (True, "activityIndicator", (15, 18, 20, 20)))
    daemon.end(screen, "a")
    equal(look(), (True, "activityIndicator", (15, 18, 20, 20)))
    daemon.end(screen, "b")
    equal(look(), (False, "icon", None))


@case("narrow search bars lose what has no room, and nothing is negative")
def narrow_search_bar(daemon):
    screen = suite.name()
    daemon.configure(screen, kind="searchBar")
    daemon.put(screen)
    for width, has_icon, has_text in ((0, False, False), (16, False, False), (39, False, False), (40, True, False),
                                      (83, True, False), (85, True, True)):
        layout = daemon.screen(screen, f"?width={width}")["layout"]
        equal((layout["leftView"] is not None, layout["activityIndicator"] is not None), (has_icon, has_icon), width)
        equal(layout["textField"] is not None, has_text, f"text field at {width}")
        assert layout["field"]["width"] >= 0


@case("a geometry out of range is refused and named; at a bound it is served")
def geometry_bounds(daemon):
    screen = suite.name()
    daemon.put(screen)
    for query, name in (("width=-1", "width"), ("width=10000.5", "width"), ("height=x", "height"), ("width=", "width"),
                        ("scale=0.1", "scale"), ("scale=11", "scale"), ("scale=nan", "scale"), ("width=inf", "width"),
                        ("width=1e999", "width"), ("fontScale=0.2", "fontScale"), ("fontScale=4.1", "fontScale"),
                        ("barWidth=-0.5", "barWidth"), ("leadingInset=1,5", "leadingInset"), ("width=0x10", "width"),
                        ("trailingInset=10001", "trailingInset"), ("direction=up", "direction"),
                        ("direction=RTL", "direction"), ("width=1&width=1", "width"), ("width=%20", "width")):
        problem(daemon.ask("GET", f"/v1/screens/{screen}?{query}"), 400, "invalid-parameter", parameter=name)
        answer = daemon.ask("GET", f"/v1/screens/{screen}?{query}", {"Accept": "text/event-stream"})
        problem(answer, 400, "invalid-parameter", parameter=name)
    for query in ("width=0", "width=10000&height=10000", "scale=0.25", "scale=10", "fontScale=4",
                  "color=red&color=blue", "width=120.5&height=0"):
        equal(daemon.ask("GET", f"/v1/screens/{screen}?{query}").status, 200, query)


@case("with a pixel grid every edge is on it")
def pixel_grid(daemon):
    screen = suite.name()
    daemon.configure(screen, arrangement="centered")
    daemon.put(screen, title="Wird aktualisiert…")
    for scale in (1.1, 2.625, 2.75, 3.5, 3):
        for width in (120, 200.3, 333):
            layout = daemon.screen(screen, f"?width={width}&scale={scale}&height=43.7")["layout"]
            for name in ("activityIndicator", "titleLabel"):
                for value in frame(layout[name]):
                    near(value * scale, round(value * scale), 1e-6, f"{name} at {scale}")


@case("many at once: a set of runs, never a counter, under parallel starts and ends", 7, 18, 19)
def parallel_set(daemon):
    screen = suite.name()

    def worker(part):
        with daemon.connect() as connection:
            for i in range(15):
                path = f"/v1/tasks/{screen}/runs/{part}-{i}"
                for body in ("{}", "{}", '{"state":"succeeded"}', '{"state":"succeeded"}'):
                    connection.send(request_bytes("PUT", path, {"Content-Type": "application/json"}, body))
                for _ in range(4):
                    assert connection.response("PUT").status in (200, 201)

    threads = [threading.Thread(target=worker, args=(part,)) for part in range(6)]
    daemon.put(screen, "stays")
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        state = daemon.screen(screen)
        assert state["isPending"] and 1 <= state["runCount"] <= 7, state
    for thread in threads:
        thread.join()
    equal(daemon.screen(screen)["runCount"], 1)
    daemon.end(screen, "stays")
    equal(daemon.screen(screen)["isPending"], False)


if __name__ == "__main__":
    suite.main()
