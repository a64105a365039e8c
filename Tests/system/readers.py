#!/usr/bin/env python3
"""Readers of event streams that leave, stop or cheat, and what they cost a real daemon.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import fcntl
import os
import pathlib
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from events import EventParser  # noqa: E402
from suite import Suite, equal, eventually, problem, run_inside  # noqa: E402
from wire import WireError, request_bytes  # noqa: E402

suite = Suite("--loops", 2, "--heartbeat", 5, "--cors-origin", "https://app.example")
case = suite.case

SSE = {"Accept": "text/event-stream"}


def gauge(daemon, name):
    return daemon.metrics()[{"streams": "pending_streams", "connections": "pending_http_connections"}[name]]


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
            eventually(lambda: gauge(daemon, "streams") == base, 1 + suite.lag.since(before), f"streams, {leave}")
            # The connection that asks is itself one.
            eventually(lambda: gauge(daemon, "connections") <= 1, 1 + suite.lag.since(before), f"all, {leave}")
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


@case("what all readers leave unread is bounded: those with the most are reset, the others notice nothing")
def unread_in_sum(_):
    with Daemon("--loops", 1, "--stall-deadline", 60) as daemon:
        with daemon.connect() as writer:
            for i in range(200):
                writer.ask("PUT", f"/v1/tasks/t{i % 4}/runs/{i}", body={"title": "🚀" * 200, "reason": "🚀" * 2000})
        before = daemon.resident_kib()
        with daemon.stream("/v1/screens/t0") as healthy:
            stuck = []
            for _ in range(150):
                stuck.append(daemon.connect(receive_buffer=4096))
                stuck[-1].send(request_bytes("GET", "/v1/runs?limit=200", {}))
            eventually(lambda: "Readers were reset" in daemon.log(), 20, "a line in the log")
            eventually(lambda: gauge(daemon, "connections") < 100, 20, "many are reset")
            # 128 MiB, and the parts of the last answers that are being made.
            grown = daemon.resident_kib() - before
            assert grown < 192 * 1024, f"{grown} KiB more for 150 unread lists"
            daemon.end("t0", "0")
            daemon.put("t0", "new", title="after", priority=5)
            assert healthy.wait(lambda: healthy.states[-1].json["title"] == "after", 3)
            for client in stuck:
                client.close()
        eventually(lambda: gauge(daemon, "connections") <= 1, 20, "all are gone")


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


@case("a reader that trickles is not cut while it takes something, holds little, and is shown ever newer states", 43)
def trickling_stream(_):
    with Daemon("--loops", 2, "--stall-deadline", 3) as daemon, daemon.connect() as writer:
        slow = [daemon.connect(receive_buffer=4096) for _ in range(20)]
        for client in slow:
            client.send(request_bytes("GET", "/v1/screens/s", SSE))
        eventually(lambda: gauge(daemon, "streams") == 20)
        taken, serial = {client: b"" for client in slow}, 0
        before, deadline = daemon.resident_kib(), time.monotonic() + 9
        while time.monotonic() < deadline:
            for _ in range(20):
                serial += 1
                writer.ask("PUT", "/v1/tasks/s/runs/a", body={"title": f"{serial:06}" + "🚀" * 180})
            for client in slow:
                taken[client] += client.socket.recv(700)
        grown = daemon.resident_kib() - before
        assert grown < 20 * 64 + 8192, f"{grown} KiB more for 20 trickling readers"
        equal(gauge(daemon, "streams"), 20, "streams of readers that take something")
        for client in slow:
            client.buffer = taken[client]
            client.head()
            parser, numbers = EventParser(), []
            while not numbers or numbers[-1] != serial:
                numbers += [int(event.json["title"][:6]) for event in parser.feed(client.chunk(), 0)
                            if event.kind == "state" and event.json["title"][:6].isdigit()]
            equal(numbers, sorted(set(numbers)), "in order")
            assert len(numbers) < serial / 2, "a backlog"
            client.reset()
        eventually(lambda: gauge(daemon, "connections") <= 2, 5, "all are gone")


@case("first states that do not fit follow as room appears, each once and the newest", 43)
def slow_first_states(daemon):
    names = [suite.name("slow") for _ in range(256)]
    with daemon.connect(receive_buffer=4096) as connection:
        connection.send(request_bytes("GET", "/v1/screens?" + "&".join(f"id={name}" for name in names), SSE))
        time.sleep(0.5)
        for name in names[-3:]:
            daemon.put(name, title="Changed meanwhile")
        connection.head()
        parser, seen = EventParser(), []
        while len(seen) < 256:
            seen += [event.json for event in parser.feed(connection.chunk(), 0) if event.kind == "state"]
        titles = {state["view"]: state["title"] for state in seen}
        equal(len(titles), 256, "screens in the first 256 events")
        equal({titles[name] for name in names[-3:]}, {"Changed meanwhile"})
        unchanged = [state["view"] for state in seen if state["title"] != "Changed meanwhile"]
        equal(unchanged, names[:-3], "the order asked")
        assert connection.is_silent(0.3), connection.buffer


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


if __name__ == "__main__":
    suite.main(pulled_cable=pulled_cable_inside)
