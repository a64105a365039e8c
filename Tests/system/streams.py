#!/usr/bin/env python3
"""Event streams of a real daemon, down to the bytes: the first write, positions, order, text.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import json
import pathlib
import random
import re
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import request_bytes, token  # noqa: E402

suite = Suite("--loops", 2, "--heartbeat", 5, "--cors-origin", "https://app.example")
case = suite.case

TOKEN = re.compile(r"[0-9a-f]{16}")
SSE = {"Accept": "text/event-stream"}


# -- the first write -----------------------------------------------------------------------------------------

@case("the first write holds head, retry and state, in one piece and at once", 39)
def first_write(daemon):
    screen = suite.name()
    waits = []
    for _ in range(15):
        with daemon.connect() as connection:
            before = time.monotonic()
            connection.send(request_bytes("GET", f"/v1/screens/{screen}", SSE))
            first = connection.socket.recv(65536)
            waits.append(time.monotonic() - before)
        assert first.startswith(b"HTTP/1.1 200 OK\r\n"), first
        head, _, rest = first.partition(b"\r\n\r\n")
        assert b"retry:" in rest and b"event: state\n" in rest and rest.endswith(b"\n\n\r\n"), first
    assert statistics.median(waits) < 0.05 + suite.lag.since(0), waits


@case("the head forbids buffering, compression and caching, whatever the client accepts", 40)
def stream_head(daemon):
    with daemon.stream(f"/v1/screens/{suite.name()}", {"Accept-Encoding": "gzip, br, deflate, zstd, *"}) as stream:
        equal(stream.head.get("content-type").split(";")[0], "text/event-stream")
        equal(stream.head.get("cache-control"), "private, no-cache, no-store, no-transform")
        equal(stream.head.get("x-accel-buffering"), "no")
        equal((stream.head.get("content-encoding"), stream.head.get("content-length")), (None, None))
        equal(stream.head.get("transfer-encoding"), "chunked")
        assert stream.head.get("x-request-id") and stream.head.get("date")


@case("an event is the JSON of GET on one line, its id the token, its lines end in LF")
def event_bytes(daemon):
    screen = suite.name()
    daemon.put(screen, title="Größe \"1\" \\ </script> 🚀", progress={"completed": 1, "total": 3})
    body = daemon.ask("GET", f"/v1/screens/{screen}?width=200").body
    version = json.loads(body)["version"]
    equal(version, token(body), "token")
    with daemon.stream(f"/v1/screens/{screen}?width=200") as stream:
        assert stream.next()
        text = re.sub(rb"^retry: ?\d+\n(\n)?", b"", stream.raw)
        equal(text, b"event: state\nid: " + version.encode() + b"\ndata: " + body + b"\n\n")
        daemon.end(screen)
        assert stream.next()
        equal(len(stream.chunks[1:]), 1, "one chunk per event")
        assert b"\r" not in stream.raw and not stream.raw.startswith(b"\xef\xbb\xbf")


@case("retry is 2 500 to 4 500 ms and differs from client to client", 46)
def retry_jitter(daemon):
    screen, seen = suite.name(), []
    for _ in range(12):
        with daemon.stream(f"/v1/screens/{screen}") as stream:
            assert stream.next()
            seen.append(stream.retry)
    assert all(2500 <= value <= 4500 for value in seen) and len(set(seen)) > 3, seen


@case("an unknown, old or odd Last-Event-ID gets the current state", 32, 33)
def odd_positions(daemon):
    screen = suite.name()
    old = daemon.screen(screen)["version"]
    daemon.put(screen, title="Now")
    values = ["0", "-1", "99999999999999999999", old, "f" * 16, "f" * 17, "*", '"' + old + '"', "latest", "%00",
              "x" * 20_000, "\u00e9\u00ff", "2026-11-30T00:00:00Z", "$", "$LAST", "{}", ""]
    for value in values:
        with daemon.stream(f"/v1/screens/{screen}", {"Last-Event-ID": value}) as stream:
            event = stream.next()
            assert event and event.kind == "state" and event.json["title"] == "Now", (value[:40], event)
            equal(len(stream.events), 1, "no history")
    for value in ("0", old, "a%20b", "x" * 5000):
        with daemon.stream(f"/v1/screens/{screen}?last_event_id={value}") as stream:
            assert stream.next().json["title"] == "Now"


@case("with the current token the first state is left out, and the next change comes", 33, 50)
def current_position(daemon):
    screen = suite.name()
    daemon.put(screen, title="One")
    version = daemon.screen(screen)["version"]
    for target, headers in ((f"/v1/screens/{screen}", {"Last-Event-ID": version}),
                            (f"/v1/screens/{screen}?last_event_id={version}", {}),
                            (f"/v1/screens/{screen}?last_event_id=old", {"Last-Event-ID": version})):
        with daemon.stream(target, headers) as stream:
            assert stream.wait(lambda: stream.retry is not None), "retry comes all the same"
            assert stream.next(timeout=0.4) is None, stream.events
            daemon.put(screen, title="Two")
            equal(stream.next().json["title"], "Two")
        daemon.put(screen, title="One")
        equal(daemon.screen(screen)["version"], version)
    with daemon.stream(f"/v1/screens/{screen}?last_event_id={version}", {"Last-Event-ID": "old"}) as stream:
        equal(stream.next().json["title"], "One", "the header wins")
    with daemon.stream(f"/v1/screens/{screen}?width=77", {"Last-Event-ID": version}) as stream:
        assert stream.next(), "the token of another geometry is another token"


@case("after a restart an idle screen's token still holds, and a pending one's state is sent once more", 33)
def position_after_restart(_):
    with temporary_directory() as place, Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
        daemon.configure("busy", timing={"startDelay": 0.2, "minimumVisible": 0, "completionDelay": 0})
        daemon.put("busy.task", title="Busy")
        eventually(lambda: daemon.screen("busy")["isPending"])
        idle, busy = daemon.screen("idle")["version"], daemon.screen("busy")
        daemon.kill()
        daemon.start()
        with daemon.stream("/v1/screens/idle", {"Last-Event-ID": idle}) as stream:
            assert stream.next(timeout=0.4) is None
        with daemon.stream("/v1/screens/busy", {"Last-Event-ID": busy["version"]}) as stream:
            event = stream.next()
            equal((event.json["isPending"], event.json["title"]), (True, "Busy"))
            assert event.json["pendingSince"] < busy["pendingSince"], "the start of its earliest run"


# -- order ---------------------------------------------------------------------------------------------------

@case("a change around the subscription is seen exactly once, in order", 34)
def subscription_races(daemon):
    screen = suite.name()
    last = 300
    streams, faults = [], []
    daemon.put(screen, title="0")

    def write():
        with daemon.connect() as connection:
            for i in range(1, last + 1):
                connection.ask("PUT", f"/v1/tasks/{screen}/runs/a", body={"title": str(i)})

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive() and len(streams) < 60:
        streams.append(daemon.stream(f"/v1/screens/{screen}"))
        time.sleep(random.random() * 0.004)
    writer.join()
    for stream in streams:
        if not stream.wait(lambda stream=stream: stream.states and stream.states[-1].json["title"] == str(last), 8):
            faults.append(f"never the last: {stream.states[-1:]}")
        numbers = [int(event.json["title"]) for event in stream.states]
        if numbers != sorted(set(numbers)):
            faults.append(f"out of order or doubled: {numbers}")
        stream.close()
    equal(faults, [])


@case("a subscription opened between two changes never shows the older one after the newer", 34)
def read_your_writes(daemon):
    screen = suite.name()
    with daemon.connect() as connection:
        for i in range(60):
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/a", body={"title": f"T{i}"})
            # The reply comes after the board: a stream opened now begins with this state.
            with daemon.stream(f"/v1/screens/{screen}") as stream:
                equal(stream.next().json["title"], f"T{i}")


@case("a state equal to the last is not sent")
def equal_states(daemon):
    screen = suite.name()
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        daemon.put(screen, title="T")
        for _ in range(3):
            daemon.put(screen, title="T")
            daemon.run("PATCH", screen, "a", {"reason": "not shown"})
            daemon.run("PATCH", screen, "a", {"ttl": 100})
        daemon.put(f"{screen}.silent", isSilent=True)
        assert not stream.wait(lambda: len(stream.states) > 2, 0.5), stream.states
        ids = [event.id for event in stream.states]
        equal(len(ids), len(set(ids)))


@case("progress alone is sent at most ten times a second, the last value always, titles at once")
def conflation(daemon):
    screen = suite.name()
    total = 300
    daemon.put(screen, title="T", progress={"completed": 0, "total": total})
    with daemon.stream(f"/v1/screens/{screen}") as stream, daemon.connect() as connection:
        assert stream.next()
        started = time.monotonic()
        for i in range(1, total + 1):
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/a",
                           body={"title": "T", "progress": {"completed": i, "total": total}})
            time.sleep(0.005)
        lasted = time.monotonic() - started
        assert stream.wait(lambda: stream.states[-1].json["fractionCompleted"] == 1, 1 + suite.lag.since(started))
        shares = [event.json["fractionCompleted"] for event in stream.states]
        equal(shares, sorted(set(shares)))
        events = len(shares) - 1
        assert events <= lasted * 10 + 3, f"{events} events in {lasted:.2f} s"
        assert events >= min(lasted * 10 - 3, 5) - suite.lag.since(started) * 20, f"{events} events in {lasted:.2f} s"
        waits = []
        for i in range(5):
            # Progress right before, so that a title that had to wait its turn would be late by nearly 100 ms.
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/b", body={"isSilent": bool(i % 2)})
            before = time.monotonic()
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/a", body={"title": f"U{i}"})
            assert stream.wait(lambda i=i: stream.states[-1].json["title"] == f"U{i}")
            waits.append(stream.states[-1].at - before)
        assert min(waits) < 0.06, waits


@case("a reader that keeps up misses no title, and one that does not still gets them in order")
def ordered_titles(daemon):
    screen = suite.name()
    with daemon.stream(f"/v1/screens/{screen}") as stream, daemon.connect() as connection:
        for i in range(100):
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/a", body={"title": f"{i:03}"})
            assert stream.wait(lambda i=i: stream.states[-1].json["title"] == f"{i:03}"), f"title {i}"
        equal(len(stream.states), 101, "events")
        for i in range(100, 400):
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/a", body={"title": f"{i:03}"})
        assert stream.wait(lambda: stream.states[-1].json["title"] == "399")
        titles = [event.json["title"] for event in stream.states[1:]]
        equal(titles, sorted(set(titles)))


@case("no title can break out of its line", 36)
def injection(daemon):
    screen = suite.name()
    for bad in ("a\nb", "a\rb", "a\r\n\r\nevent: state\ndata: {}", "\u2028", "\u2029", "\0", "\u0085"):
        answer = daemon.run("PUT", screen, "a", {"title": bad})
        problem(answer, 422, "invalid-member")
        problem(daemon.ask("PUT", f"/v1/screens/{screen}/configuration", body={"regularTitle": bad}), 422,
                "invalid-member")
    nasty = ["data: x", ": comment", '"},{"', "\\n\\n", "id: 1", "\ufeff", "<script>alert(1)</script>", "a\u00adb"]
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        assert stream.next()
        for title in nasty:
            daemon.put(screen, title=title)
            event = stream.next()
            equal((event.kind, event.json["title"]), ("state", title))
        equal(len(stream.events), len(nasty) + 1)
        for block in stream.raw.decode().strip("\n").split("\n\n"):
            assert all(re.match(r"(event|id|data|retry):", line) for line in block.split("\n")), block


if __name__ == "__main__":
    suite.main()

