#!/usr/bin/env python3
"""What a real daemon's screens show: progress, scopes, configurations.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import delays  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case

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
    daemon.configure(task, timing=delays(0, 1500, 0))
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
    daemon.configure(task, timing=delays(600, 0, 0))
    daemon.put(task, title="Root", priority=1)
    eventually(lambda: daemon.screen(task, scope="s")["isPending"], 3)
    daemon.put(task, scope="s", title="Scope", priority=2)
    equal(daemon.screen(task, scope="s")["title"], "Scope", "at once")
    other = suite.name()
    daemon.configure(other, timing=delays(600, 0, 0))
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
    daemon.configure(screen, tasks=["*"], timing=delays(0, 0, 0))
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
    daemon.configure(screen, timing=delays(0, 0, 3000), regularTitle="R", pendingTitle="P")
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
        ({"tasks": ["a*b"]}, "/tasks/0"), ({"tasks": [""]}, "/tasks/0"),
        ({"activityStyle": "blue"}, "/activityStyle"),
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


if __name__ == "__main__":
    suite.main()
