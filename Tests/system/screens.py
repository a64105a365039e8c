#!/usr/bin/env python3
"""Several screens at once from a real daemon, as JSON, by long poll and as one stream.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import request_bytes, token  # noqa: E402

suite = Suite("--loops", 2, "--heartbeat", 5, "--cors-origin", "https://app.example")
case = suite.case

SSE = {"Accept": "text/event-stream"}


@case("a whole app on one stream: each screen in the order asked, each with its size", 51)
def several_screens(daemon):
    a, b, c = (suite.name() for _ in range(3))
    daemon.put(b, title="B")
    query = f"id={c}:390x44&id={a}&id={b}:200x20&id={c}:390x44"
    answer = daemon.ask("GET", f"/v1/screens?{query}")
    views = [screen["view"] for screen in answer.json["screens"]]
    equal(views, [f"{c}:390x44", a, f"{b}:200x20"], "order, and a repeated id once")
    equal(answer.json["version"], token(answer.body))
    equal(answer.etag, f'"{answer.json["version"]}"')
    equal(answer.json["screens"][0]["layout"]["bounds"], {"x": 0, "y": 0, "width": 390, "height": 44})
    equal(daemon.ask("GET", f"/v1/screens?{query}", {"If-None-Match": answer.etag}).status, 304)
    alone = daemon.screen(b, "?width=200&height=20")
    inside = answer.json["screens"][2]
    for key in set(alone) - {"version"}:
        equal(inside[key], alone[key], f"{key}, alone and among others")
    with daemon.stream(f"/v1/screens?{query}", {"Last-Event-ID": alone["version"]}) as stream:
        assert stream.wait(lambda: len(stream.states) >= 3)
        equal([event.json["view"] for event in stream.states], views, "the first states")
        for event in stream.states:
            data = re.search(rb"id: " + event.id.encode() + rb"\ndata: (.*)\n", stream.raw)[1]
            equal(event.id, token(data), "the view is inside the token")
        daemon.put(a, title="A")
        assert stream.wait(lambda: len(stream.states) == 4)
        event = stream.states[-1].json
        equal((event["view"], event["title"], event["screen"]), (a, "A", a))


@case("seven screens and their changes, none lost", 51)
def seven_screens(daemon):
    names = [suite.name() for _ in range(7)]
    with daemon.stream("/v1/screens?" + "&".join(f"id={name}" for name in names)) as stream:
        for i in range(5):
            for name in names:
                daemon.put(name, title=f"{name} {i}")
        expected = {name: f"{name} 4" for name in names}
        assert stream.wait(lambda: {event.json["view"]: event.json["title"] for event in stream.states} == expected)
        for name in names:
            titles = [event.json["title"] for event in stream.states if event.json["view"] == name][1:]
            equal(titles, sorted(set(titles)))


@case("two sizes of one screen are two views")
def two_sizes(daemon):
    name = suite.name()
    with daemon.stream(f"/v1/screens?id={name}:100x20&id={name}:300x20") as stream:
        assert stream.wait(lambda: len(stream.states) == 2)
        daemon.put(name, title="T")
        assert stream.wait(lambda: len(stream.states) == 4)
        equal(sorted(event.json["view"] for event in stream.states[2:]), [f"{name}:100x20", f"{name}:300x20"])
        equal(sorted(event.json["layout"]["bounds"]["width"] for event in stream.states[2:]), [100, 300])


@case("wrong ids and sizes are refused; 256 ids are served, 257 are not")
def wrong_ids(daemon):
    for query in ("id=", "id=.a", "id=a:", "id=a:1", "id=a:1x", "id=a:x1", "id=a:-1x2", "id=a:1x99999",
                  "id=a:1x2x3", "id=a:nanx1", "id=a%00"):
        answer = daemon.ask("GET", f"/v1/screens?{query}")
        equal((answer.status, answer.problem in ("invalid-parameter", "invalid-name")), (400, True), query)
    many = "&".join(f"id=many{i}" for i in range(256))
    with daemon.stream(f"/v1/screens?{many}") as stream:
        assert stream.wait(lambda: len(stream.states) == 256, 10), len(stream.states)
        equal([event.json["view"] for event in stream.states], [f"many{i}" for i in range(256)])
    answer = daemon.ask("GET", f"/v1/screens?{many}&id=one-more", SSE)
    equal(answer.status, 400)
    equal(daemon.ask("GET", "/v1/screens?id=a", {"Accept": "image/png"}).status, 406)


@case("without ids: configured, subscribed and pending screens, by bytes")
def all_screens(_):
    with Daemon() as daemon:
        equal(daemon.ask("GET", "/v1/screens").json["screens"], [])
        daemon.configure("chats", tasks=["chats.*"])
        daemon.put("imports.photos.raw")
        daemon.put("chats.sync", title="T")
        with daemon.stream("/v1/screens/watched") as watched:
            assert watched.next()
            answer = daemon.ask("GET", "/v1/screens")
            names = [screen["screen"] for screen in answer.json["screens"]]
            equal(names, ["chats", "imports", "watched"])
            equal(daemon.ask("GET", "/v1/screens", {"If-None-Match": answer.etag}).status, 304)
            page = daemon.ask("GET", "/v1/screens?limit=2").json
            equal([screen["screen"] for screen in page["screens"]], ["chats", "imports"])
            page = daemon.ask("GET", f"/v1/screens?limit=2&cursor={page['next']}").json
            equal([screen["screen"] for screen in page["screens"]], ["watched"])
            assert "next" not in page
            with daemon.stream("/v1/screens") as stream:
                assert stream.wait(lambda: len(stream.states) >= 3)
                equal([event.json["screen"] for event in stream.states[:3]], names)
                daemon.put("chats.sync", title="U")
                assert stream.wait(lambda: stream.states[-1].json["title"] == "U")
                equal(stream.states[-1].json["view"], "chats")
        eventually(lambda: [s["screen"] for s in daemon.ask("GET", "/v1/screens").json["screens"]]
                   == ["chats", "imports"], what="an unwatched idle screen is gone")


@case("several screens can be waited for")
def wait_for_several(daemon):
    a, b = suite.name(), suite.name()
    path = f"/v1/screens?id={a}&id={b}"
    etag = daemon.ask("GET", path).etag
    with daemon.connect() as connection:
        connection.send(request_bytes("GET", path, {"If-None-Match": etag, "Prefer": "wait=20"}))
        assert connection.is_silent(0.4)
        daemon.put(b, title="B")
        answer = connection.response()
        equal((answer.status, [screen["isPending"] for screen in answer.json["screens"]]), (200, [False, True]))


@case("who draws by itself is told with what: fonts, colour, direction; others get not a byte more, and the same tokens")
def appearance(daemon):
    name, search = suite.name(), suite.name()
    daemon.configure(name, titleColor="#ff3b30", direction="rtl", activityStyle="white",
                     titleFont={"family": "Inter", "size": 20, "weight": 700})
    daemon.configure(search, kind="searchBar", regularTitle="Search 👋")
    plain = daemon.screen(name)
    full = daemon.screen(name, "?include=appearance&fontScale=1.5&direction=ltr")
    assert "appearance" not in plain
    fonts = full["appearance"].pop("fonts")
    equal(full["appearance"], {"direction": "ltr", "activityStyle": "white", "titleColor": "#ff3b30",
                               "titleFont": {"family": "Inter", "size": 30, "weight": 700}})
    equal([one["family"] for one in fonts], full["layout"]["fonts"])
    assert re.fullmatch(r"/fonts/[0-9a-f]{16,}\.(otf|ttf)", fonts[0]["src"]), fonts
    equal(fonts[0]["weight"], "700")
    same = daemon.screen(name, "?include=appearance")
    assert same["version"] != plain["version"]
    equal({key: value for key, value in same.items() if key not in ("appearance", "version")},
          {key: value for key, value in plain.items() if key != "version"})
    found = daemon.screen(search, "?include=appearance")
    equal(found["appearance"]["fonts"][0]["family"], "Inter", "a search bar's text is drawn with fonts, too")
    assert len(found["appearance"]["fonts"]) > 1, "and the emoji's"
    listed = daemon.ask("GET", f"/v1/screens?id={name}&id={search}:300x50&include=appearance").json["screens"]
    equal([sorted(one["appearance"]) for one in listed],
          [["activityStyle", "direction", "fonts", "titleColor", "titleFont"]] * 2)
    for one in daemon.ask("GET", "/v1/screens?include=appearance").json["screens"]:
        assert "appearance" in one, one
    for query in ("include=fonts", "include=", "include=appearance&include=appearance"):
        problem(daemon.ask("GET", f"/v1/screens/{name}?{query}"), 400, "invalid-parameter", parameter="include")


@case("a stream whose reader draws by itself tells of a new colour; one whose reader does not has nothing to tell")
def new_colour(daemon):
    name = suite.name()
    with daemon.stream(f"/v1/screens/{name}?include=appearance") as drawing, \
            daemon.stream(f"/v1/screens/{name}") as reading:
        equal(drawing.next().json["appearance"]["titleColor"], "#1c1c1e")
        assert reading.next()
        daemon.configure(name, regularTitle=name, titleColor="#00ff00")
        equal(drawing.next().json["appearance"]["titleColor"], "#00ff00")
        daemon.put(name, title="Next")
        equal(reading.next().json["title"], "Next")


if __name__ == "__main__":
    suite.main()
