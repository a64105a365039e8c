#!/usr/bin/env python3
"""Where spinner and label stand, told by a real daemon with real text.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from suite import Suite, equal, near, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case


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
    for query, name in (("width=-1", "width"), ("width=10000.5", "width"), ("height=x", "height"),
                        ("width=", "width"),
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
