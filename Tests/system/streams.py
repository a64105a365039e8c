#!/usr/bin/env python3
"""Event streams against a real daemon, down to the bytes: first write, order, heartbeats, slow and lost readers.

A number in brackets is that of a known fault of comparable software, listed in the project's case table.
"""

import fcntl
import hashlib
import json
import os
import pathlib
import random
import re
import socket
import statistics
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, problem, run_inside  # noqa: E402
from wire import EventParser, WireError, request_bytes  # noqa: E402

suite = Suite("--loops", 2, "--heartbeat", 5, "--cors-origin", "https://app.example")
case = suite.case

TOKEN = re.compile(r"[0-9a-f]{16}")
SSE = {"Accept": "text/event-stream"}


def token(body):
    """The token of a body: the hash of it without its outermost version."""
    start, mark, rest = body.rpartition(b',"version":"')
    assert mark and rest[16:] == b'"}', body
    return hashlib.sha256(start + b"}").hexdigest()[:16]


def gauge(daemon, name):
    return daemon.metrics()[{"streams": "pending_streams", "connections": "pending_http_connections"}[name]]


# -- the first write -----------------------------------------------------------------------------------------

@case("the first write holds head, retry and state, in one piece and at once", 39)
def first_write(daemon):
    screen = suite.name()
    delays = []
    for _ in range(15):
        with daemon.connect() as connection:
            before = time.monotonic()
            connection.send(request_bytes("GET", f"/v1/screens/{screen}", SSE))
            first = connection.socket.recv(65536)
            delays.append(time.monotonic() - before)
        assert first.startswith(b"HTTP/1.1 200 OK\r\n"), first
        head, _, rest = first.partition(b"\r\n\r\n")
        assert b"retry:" in rest and b"event: state\n" in rest and rest.endswith(b"\n\n\r\n"), first
    assert statistics.median(delays) < 0.05 + suite.lag.since(0), delays


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
        delays = []
        for i in range(5):
            # Progress right before, so that a title that had to wait its turn would be late by nearly 100 ms.
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/b", body={"isSilent": bool(i % 2)})
            before = time.monotonic()
            connection.ask("PUT", f"/v1/tasks/{screen}/runs/a", body={"title": f"U{i}"})
            assert stream.wait(lambda i=i: stream.states[-1].json["title"] == f"U{i}")
            delays.append(stream.states[-1].at - before)
        assert min(delays) < 0.06, delays


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


# -- heartbeats, age -----------------------------------------------------------------------------------------

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
        first = stream.next(timeout=8)
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


@case("a stream has a greatest age, and says why it ends")
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


# -- clients that leave, stop or cheat -----------------------------------------------------------------------

@case("clients that vanish are gone within a second, streams and long polls alike", 41)
def vanished(_):
    with Daemon("--loops", 2) as daemon:
        wait = {"Prefer": "wait=50", "If-None-Match": daemon.ask("GET", "/v1/screens/quiet").etag}
        base = gauge(daemon, "streams")
        for leave in ("FIN", "RST", "half-close"):
            clients = [daemon.connect() for _ in range(30)]
            for i, client in enumerate(clients):
                client.send(request_bytes("GET", "/v1/screens/quiet", SSE if i % 2 else wait))
            eventually(lambda: gauge(daemon, "streams") == base + 15, what="15 streams are open")
            eventually(lambda: gauge(daemon, "connections") >= 30)
            before = time.monotonic()
            for client in clients:
                {"FIN": client.close, "RST": client.reset, "half-close": client.finish_sending}[leave]()
            eventually(lambda: gauge(daemon, "streams") == base, 1 + suite.lag.since(before), f"streams after {leave}")
            # The connection that asks is itself one.
            eventually(lambda: gauge(daemon, "connections") <= 1, 1 + suite.lag.since(before), f"connections, {leave}")
            if leave == "half-close":
                for i, client in enumerate(clients):
                    if i % 2 == 0:
                        equal(client.response().status, 304, "a half-closed long poll is answered")
                    client.close()


@case("a pulled cable is noticed within 45 s, without a FIN", 42)
def pulled_cable(_):
    run_inside("pulled_cable", "--net")


def pulled_cable_inside():
    """Runs alone in a network of its own, whose loopback is the cable."""

    def loopback(up):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            name = b"lo".ljust(16, b"\0")
            flags = struct.unpack_from("H", fcntl.ioctl(any_socket, 0x8913, name + b"\0" * 24), 16)[0]
            flags = flags | 1 if up else flags & ~1
            fcntl.ioctl(any_socket, 0x8914, name + struct.pack("H", flags) + b"\0" * 22)

    def descriptors():
        kept = 0
        for entry in os.listdir(f"/proc/{daemon.process.pid}/fd"):
            try:
                kept += os.readlink(f"/proc/{daemon.process.pid}/fd/{entry}").startswith("socket:")
            except OSError:
                pass
        return kept

    loopback(True)
    with Daemon("--heartbeat", 5, "--loops", 1) as daemon:
        time.sleep(0.3)
        base = descriptors()
        clients = [daemon.connect() for _ in range(5)]
        for client in clients:
            client.send(request_bytes("GET", "/v1/screens/quiet", SSE))
            client.head()
        equal(descriptors(), base + 5)
        loopback(False)
        eventually(lambda: descriptors() == base, 45, "all five are reaped")


@case("a reader that stops costs little, gets the newest state when it goes on, and others see nothing of it", 43)
def stalled_reader(_):
    with Daemon("--loops", 2) as daemon:
        title = "🚀" * 180
        with daemon.stream("/v1/screens/s") as healthy, daemon.connect() as writer:
            stuck = [daemon.connect(receive_buffer=4096) for _ in range(20)]
            for client in stuck:
                client.send(request_bytes("GET", "/v1/screens/s", SSE))
            eventually(lambda: gauge(daemon, "streams") == 21)
            writer.ask("PUT", "/v1/tasks/s/runs/a", body={"title": title})
            before = daemon.resident_kib()
            started = time.monotonic()
            # Far more than socket buffers hold.
            for i in range(4000):
                writer.ask("PUT", "/v1/tasks/s/runs/a", body={"title": f"{i:05}{title}"})
                if time.monotonic() - started > 12:
                    break
            assert healthy.wait(lambda: healthy.states[-1].json["title"].startswith(f"{i:05}"), 3)
            grown = daemon.resident_kib() - before
            assert grown < 20 * 64 + 8192, f"{grown} KiB more for 20 stalled readers"
            # One wakes up: what it finds ends in the newest state, in order, without all of the backlog.
            parser, numbers = EventParser(), []
            waking = stuck.pop()
            waking.head()
            deadline = time.monotonic() + 8
            while time.monotonic() < deadline and (not numbers or numbers[-1] != i):
                numbers += [int(event.json["title"][:5]) for event in parser.feed(waking.chunk(), 0)
                            if event.kind == "state" and event.json["title"][:5].isdigit()]
            equal(numbers[-1], i, "the newest state")
            equal(numbers, sorted(set(numbers)), "in order")
            assert len(numbers) < i, "a backlog of all"
            waking.close()
            # The others are closed once nothing moved for 20 s.
            eventually(lambda: gauge(daemon, "streams") == 1, 32, "stalled streams are closed")
            for client in stuck:
                client.close()
            writer.ask("PUT", "/v1/tasks/s/runs/a", body={"title": "end"})
            assert healthy.wait(lambda: healthy.states[-1].json["title"] == "end"), "the healthy one goes on"


@case("bytes sent into an open stream are dropped, more than 64 KiB end it")
def chatty_client(daemon):
    screen = suite.name()
    with daemon.connect() as connection:
        connection.send(request_bytes("GET", f"/v1/screens/{screen}", SSE))
        connection.head()
        connection.chunk()
        connection.send(request_bytes("GET", "/healthz") * 20)
        daemon.put(screen)
        assert b"event: state" in connection.chunk(), "the stream goes on, the requests are dropped"
        try:
            for _ in range(40):
                connection.send(b"x" * 4096)
                time.sleep(0.01)
        except OSError:
            pass
        assert connection.is_closed()


@case("when full a stream gets 200, retry, close and its end; others 503; nobody is evicted", 45)
def full(_):
    with Daemon("--loops", 1, files=96) as daemon:
        first = daemon.stream("/v1/screens/s")
        held = []
        try:
            # Fill until the daemon says so.
            for _ in range(96):
                stream = daemon.stream("/v1/screens/s")
                held.append(stream)
                if stream.wait(lambda stream=stream: stream.states or stream.ended_at is not None) and \
                        not stream.states:
                    break
            refused = held[-1]
            assert refused.has_ended() and refused.fault is None, refused.fault
            equal((refused.head.status, [event.kind for event in refused.events]), (200, ["close"]))
            equal(refused.events[0].json["reason"], "full")
            assert 2500 <= refused.retry <= 4500, refused.retry
            assert len(held) >= 96 - 24 - 16, f"only {len(held)} of 96 descriptors used"
            answer = daemon.ask("GET", "/v1/screens/s")
            problem(answer, 503, "unavailable")
            assert int(answer.get("retry-after")) > 0
            equal(daemon.run("PUT", "s", "a", {}).status, 503)
            assert first.ended_at is None and all(stream.ended_at is None for stream in held[:-1]), "evicted"
            held.pop(0).close()
            held.pop(0).close()
            eventually(lambda: daemon.ask("GET", "/v1/screens/s").status == 200, what="room again")
            daemon.put("s", title="T")
            assert first.wait(lambda: first.states[-1].json["title"] == "T")
        finally:
            for stream in [first, *held]:
                stream.close()


@case("out of descriptors: little CPU, few log lines, open streams go on", 47)
def out_of_descriptors(_):
    with Daemon("--loops", 1, files=64) as daemon:
        with daemon.stream("/v1/screens/s") as stream:
            assert stream.next()
            crowd = []
            for _ in range(150):
                try:
                    crowd.append(daemon.connect(timeout=2))
                except OSError:
                    break
            time.sleep(0.5)
            lines, cpu, before = daemon.log().count("\n"), daemon.cpu_seconds(), time.monotonic()
            time.sleep(4)
            share = (daemon.cpu_seconds() - cpu) / (time.monotonic() - before)
            assert share < 0.2, f"{share:.0%} of a core while doing nothing"
            assert daemon.log().count("\n") - lines <= 5, daemon.log()[-1500:]
            for connection in crowd:
                connection.close()
            eventually(lambda: can_ask(daemon), 5, "service after the crowd has gone")
            daemon.put("s")
            assert stream.next().json["isPending"] is True


def can_ask(daemon):
    try:
        return daemon.ask("GET", "/healthz").status == 200
    except (OSError, WireError):
        return False


# -- other clients -------------------------------------------------------------------------------------------

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


# -- several screens -----------------------------------------------------------------------------------------

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


# -- format and media type -----------------------------------------------------------------------------------

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
    suite.main(pulled_cable=pulled_cable_inside)
