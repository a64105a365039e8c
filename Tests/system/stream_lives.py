#!/usr/bin/env python3
"""Event streams of a real daemon as they live on: who may open one, heartbeats, age, many at once.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from suite import Suite, equal, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 2, "--heartbeat", 5, "--cors-origin", "https://app.example")
case = suite.case

TOKEN = re.compile(r"[0-9a-f]{16}")
SSE = {"Accept": "text/event-stream"}


@case("a quiet stream carries a bare comment every 5 s ± 20 %, and lives on without a word from its client",
      37, 38, 49)
def heartbeat(daemon):
    screen = suite.name()
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        assert stream.next()
        opened = stream.states[0].at
        assert stream.wait(lambda: len(stream.parser.comments) >= 3, 20), stream.parser.comments
        times = [opened] + [at for at, _ in stream.parser.comments]
        for one, two in zip(times, times[1:]):
            assert 3.9 <= two - one <= 6.3 + suite.lag.since(opened), f"{two - one:.2f} s"
        equal(stream.chunks[1:4], [b":\n"] * 3, "no blank line")
        equal(len(stream.events), 1, "nothing is dispatched")
        daemon.put(screen)
        assert stream.next(), "the stream lives after more than the head deadline of silence"


@case("heartbeat=event makes them events that scripts can see, without an id", 37)
def heartbeat_event(daemon):
    screen = suite.name()
    with daemon.stream(f"/v1/screens/{screen}?heartbeat=event") as stream:
        state = stream.next()
        promise = stream.next()
        assert promise.at - state.at < 2 + suite.lag.since(state.at), "before anything was quiet"
        first = stream.next(timeout=8)
        equal((promise.kind, promise.json), (first.kind, first.json))
        equal(first.kind, "heartbeat")
        within = first.json["within"]
        assert 5 <= within <= 8, first
        assert stream.next(timeout=within + 1), "the next comes within the time that was said"
        equal((first.own_id, first.id, stream.parser.comments), (False, state.id, []))
    problem(daemon.ask("GET", f"/v1/screens/{screen}?heartbeat=loud", SSE), 400, "invalid-parameter",
            parameter="heartbeat")


@case("traffic puts the heartbeat off", 38)
def heartbeat_and_traffic(daemon):
    screen = suite.name()
    with daemon.stream(f"/v1/screens/{screen}") as stream:
        for i in range(8):
            daemon.put(screen, title=f"T{i}")
            time.sleep(1)
        equal(stream.parser.comments, [])


@case("a stream has a greatest age, and says why it ends", 42)
def max_age(_):
    with Daemon("--max-age", 5) as daemon:
        with daemon.stream("/v1/screens/chats") as stream:
            state = stream.next()
            close = stream.next(timeout=9, kind="close")
            assert close, stream.events
            # Ages are looked at once a second.
            assert 3.9 <= close.at - state.at <= 7.3 + suite.lag.since(state.at), close.at - state.at
            equal(close.json["reason"], "max-age")
            equal((close.own_id, close.id), (False, state.id))
            assert stream.has_ended() and stream.fault is None, stream.fault
            assert re.search(rb"retry: ?\d+\n[^\0]*event: close\n|event: close\n[^\0]*retry: ?\d+\n",
                             b"".join(stream.chunks[1:])), stream.chunks


@case("an HTTP/1.0 client gets a raw body that ends with the connection", 44)
def http_1_0(daemon):
    screen = suite.name()
    with daemon.stream(f"/v1/screens/{screen}", version="1.0") as stream:
        assert stream.next()
        equal((stream.head.get("transfer-encoding"), stream.head.get("content-length")), (None, None))
        equal(stream.head.get("connection", "").lower(), "close")
        assert re.match(rb"retry: ?\d+\n", stream.raw), stream.raw[:60]
        daemon.put(screen)
        assert stream.next().json["isPending"] is True
        assert re.search(rb"^[0-9a-f]+\r\n", stream.raw, re.M) is None, "no chunk framing"
    with daemon.stream(f"/v1/screens/{screen}", {"Connection": "keep-alive"}, version="1.0") as stream:
        assert stream.next()
        equal(stream.head.get("connection", "").lower(), "close")


@case("HEAD of a stream is its head alone, and does not subscribe")
def head_of_stream(daemon):
    with daemon.connect() as connection:
        for target in (f"/v1/screens/{suite.name()}", "/v1/screens?id=a&id=b", "/v1/screens"):
            before = time.monotonic()
            answer = connection.ask("HEAD", target, SSE)
            equal((answer.status, answer.get("content-type").split(";")[0]), (200, "text/event-stream"))
            assert time.monotonic() - before < 1 + suite.lag.since(before)
        equal(connection.ask("GET", "/healthz").status, 200, "the connection goes on")


@case("a browser may reconnect from another origin", 35)
def cross_origin(daemon):
    path = f"/v1/screens/{suite.name()}"
    answer = daemon.ask("OPTIONS", path, {"Origin": "https://app.example", "Access-Control-Request-Method": "GET",
                                          "Access-Control-Request-Headers": "last-event-id,authorization"})
    equal((answer.status, answer.body, answer.get("access-control-allow-origin")), (204, b"", "https://app.example"))
    allowed = {name.strip().lower() for name in answer.get("access-control-allow-headers", "").split(",")}
    missing = {"last-event-id", "cache-control", "authorization", "content-type", "if-match", "if-none-match",
               "idempotency-key", "prefer", "x-request-id"} - allowed
    equal(missing, set())
    assert int(answer.get("access-control-max-age")) > 0
    assert "origin" in answer.get("vary", "").lower()
    with daemon.stream(path, {"Origin": "https://app.example"}) as stream:
        equal(stream.head.get("access-control-allow-origin"), "https://app.example")
        exposed = {name.strip().lower() for name in
                   stream.head.get("access-control-expose-headers", "").split(",")}
        equal({"etag", "location", "retry-after", "preference-applied", "x-request-id"} - exposed, set())
        event = stream.next()
        assert TOKEN.fullmatch(event.id), "a token needs no preflight"
    with daemon.stream(path, {"Origin": "https://other.example"}) as stream:
        equal(stream.head.get("access-control-allow-origin"), None)
        assert "origin" in stream.head.get("vary", "").lower()


@case("Accept and format decide between JSON and a stream")
def negotiation(daemon):
    path = f"/v1/screens/{suite.name()}"
    kinds = {None: "json", "*/*": "json", "application/json": "json", "text/event-stream": "sse",
             "text/event-stream;q=0.5, application/json;q=0.4": "sse", "text/event-stream, application/json": "json",
             "text/*": "sse", "application/json;q=0, */*;q=0.1": "other", "text/html, */*;q=0.8": "json",
             "text/event-stream;charset=utf-8": "sse", "application/json;charset=utf-8;q=0.9,text/event-stream;q=0.1":
             "json", "TEXT/EVENT-STREAM": "sse"}
    for accept, expected in kinds.items():
        with daemon.connect() as connection:
            connection.send(request_bytes("GET", path, {"Accept": accept} if accept else None))
            kind = connection.head().get("content-type", "").split(";")[0]
        if expected == "other":
            assert kind != "application/json", (accept, kind)
        else:
            equal(kind, {"json": "application/json", "sse": "text/event-stream"}[expected], accept)
    with daemon.connect() as connection:
        connection.send(request_bytes("GET", f"{path}?format=sse", {"Accept": "application/json"}))
        equal(connection.head().get("content-type").split(";")[0], "text/event-stream", "format wins")
    equal(daemon.ask("GET", f"{path}?format=json", SSE).get("content-type").split(";")[0], "application/json")
    for bad in ("xml", "SSE", ""):
        problem(daemon.ask("GET", f"{path}?format={bad}"), 400, "invalid-parameter", parameter="format")
    for bad in ("text/html", "application/xml, image/webp", "application/json;q=0", "*/*;q=0"):
        problem(daemon.ask("GET", path, {"Accept": bad}), 406, "not-acceptable")


@case("streams ignore If-None-Match")
def stream_ignores_conditions(daemon):
    screen = suite.name()
    etag = daemon.ask("GET", f"/v1/screens/{screen}").etag
    with daemon.stream(f"/v1/screens/{screen}", {"If-None-Match": etag, "Prefer": "wait=5"}) as stream:
        equal(stream.head.status, 200)
        assert stream.next()


@case("many subscribers of one screen all get each change soon")
def fan_out(daemon):
    screen = suite.name()
    streams = [daemon.stream(f"/v1/screens/{screen}") for _ in range(100)]
    try:
        for i in range(5):
            before = time.monotonic()
            daemon.put(screen, title=f"T{i}")
            for stream in streams:
                assert stream.wait(lambda stream=stream, i=i: stream.states[-1].json["title"] == f"T{i}")
                assert stream.states[-1].at - before < 1 + suite.lag.since(before)
        equal(len({stream.states[-1].id for stream in streams}), 1)
    finally:
        for stream in streams:
            stream.close()


if __name__ == "__main__":
    suite.main()
