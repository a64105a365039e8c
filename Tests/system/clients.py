#!/usr/bin/env python3
"""Clients that behave badly, in crowds: what they can take from a real daemon is bounded, and others see nothing.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import ctypes
import pathlib
import resource
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from crowd import LIST, Crowd, bystander, descriptors, fill, quiet, raise_file_limit  # noqa: E402
from daemon import Daemon, free_port  # noqa: E402
from suite import Suite, equal, eventually, run_inside  # noqa: E402
from wire import Connection, request_bytes  # noqa: E402

suite = Suite(workers=4)
case = suite.case
SSE = {"Accept": "text/event-stream"}
HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


# -- the network and the machine -----------------------------------------------------------------------------

@case("peers behind a link that drops are given up, streams, polls and half requests alike", 42)
def dropped_link(_):
    # Slow, as the kernel's own patience with a silent peer is part of it; so it comes first, beside the others.
    run_inside("dropped_link", "--net", "--mount")


def dropped_link_inside():
    """Runs alone in a network of its own, with a second one behind a link that can be dropped."""

    def ip(*words):
        subprocess.run(["ip", *words], check=True)

    def beyond_the_link(make):
        """What ``make`` returns, with the sockets that it opens in the other network."""
        with open("/proc/self/ns/net") as here, open("/run/netns/peer") as there:
            equal(libc.setns(there.fileno(), 0), 0)
            try:
                return make()
            finally:
                equal(libc.setns(here.fileno(), 0), 0)

    libc = ctypes.CDLL(None, use_errno=True)
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    ip("link", "set", "lo", "up")
    ip("netns", "add", "peer")
    ip("link", "add", "near", "type", "veth", "peer", "name", "far", "netns", "peer")
    ip("addr", "add", "10.77.0.1/24", "dev", "near")
    ip("link", "set", "near", "up")
    ip("-n", "peer", "addr", "add", "10.77.0.2/24", "dev", "far")
    ip("-n", "peer", "link", "set", "far", "up")
    port = free_port()
    with Daemon("--listen", f"10.77.0.1:{port}", "--allow-anonymous", "--heartbeat", 5, "--idle-deadline", 8,
                "--head-deadline", 3, "--loops", 1, port=port) as daemon:
        fill(daemon)
        # The connection that filled it may not be gone yet.
        eventually(lambda: daemon.metrics()["pending_http_connections"] == 1)
        time.sleep(0.3)
        base = descriptors(daemon)
        poll = request_bytes("GET", "/v1/screens/s", {"If-None-Match": daemon.ask("GET", "/v1/screens/s").etag,
                                                      "Prefer": "wait=6"})
        sent = [request_bytes("GET", "/v1/screens/s", SSE), poll, HEAD, HEAD + b"\r\n", b""]
        with bystander(daemon, suite.lag), Crowd(("10.77.0.1", port)) as crowd:
            for first in sent:
                beyond_the_link(lambda first=first: crowd.add(10, first))
            beyond_the_link(lambda: crowd.add(10, LIST, receive_buffer=4096, is_deaf=True))
            crowd.run(within=0.5)
            eventually(lambda: (descriptors(daemon), crowd.ends()) == (base + 61, {None: 60}), what="60 and one")
            before = time.monotonic()
            ip("-n", "peer", "link", "set", "far", "down")
            quiet(daemon, 45, others=1)
            print(f"all given up after {time.monotonic() - before:.1f} s")
        eventually(lambda: descriptors(daemon) <= base + 1, what="descriptors")


@case("at the file limit it neither spins nor floods its log, and recovers by itself", 47)
def file_limit(_):
    with Daemon("--loops", 2, files=64) as daemon:
        with daemon.stream("/v1/screens/s") as stream:
            assert stream.next()

            def shortage(what):
                lines, cpu, before = daemon.log().count("\n"), daemon.cpu_seconds(), time.monotonic()
                crowd.run(within=11)
                share = (daemon.cpu_seconds() - cpu) / (time.monotonic() - before)
                assert share < 0.15, f"{what}: {share:.0%} of a core while doing nothing"
                lines = daemon.log().count("\n") - lines
                assert 1 <= lines <= 2, f"{what}: {lines} lines in 11 s: {daemon.log()[-800:]}"

            with Crowd(daemon.address, 200) as crowd:
                shortage("all places taken")
            quiet(daemon, 5, others=1, streams=1)
            # Less than what the daemon counted on at its start: accept itself fails.
            resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (descriptors(daemon) + 3, 64))
            with Crowd(daemon.address, 60) as crowd:
                shortage("no descriptor left")
                resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE, (64, 64))
                eventually(lambda: descriptors(daemon) > 40, 3, "it accepts again")
            quiet(daemon, 5, others=1, streams=1)
            daemon.put("s", title="Still here")
            assert stream.wait(lambda: stream.states[-1].json["title"] == "Still here")


# -- sending -------------------------------------------------------------------------------------------------

@case("heads and bodies that never end are refused in time, whether they flood or drip")
def never_ending(_):
    with Daemon("--head-deadline", 2, "--body-deadline", 3, "--idle-deadline", 5, "--loops", 2) as daemon:
        post = b"POST /v1/tasks/t/runs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        # What is sent first, what again and again, how often, and which status ends it.
        kinds = [(HEAD, b"X: y\r\n", 0.2, b"408"), (HEAD, b"X-%b: y\r\n" % (b"y" * 4000), 0, b"431"),
                 (b"G", b"", 9, b"408"), (b"GET /", b"a", 0.1, b"408"), (b"GET /", b"a" * 4096, 0, b"414"),
                 (HEAD + b"X: ", b"y", 0.1, b"408"), (post + b"Content-Length: 9999\r\n\r\n", b" ", 0.1, b"408"),
                 (post + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n", 0.1, b"408"),
                 (post + b"Transfer-Encoding: chunked\r\n\r\n", b"ffff\r\n%b\r\n" % (b" " * 65535), 0, b"413"),
                 (post + b"Transfer-Encoding: chunked\r\n\r\n1;x=", b"y" * 4096, 0, b"400"),
                 (post + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"T: t\r\n", 0, b"431"), (b"", b"", 9, b"")]
        base, memory, before = descriptors(daemon), daemon.resident_kib(), time.monotonic()
        with bystander(daemon, suite.lag), Crowd(daemon.address) as crowd:
            groups = [(crowd.add(25, first), more, every, status) for first, more, every, status in kinds]
            due = [0.0] * len(groups)
            grown = 0
            while crowd.ends().get(None) and time.monotonic() < before + 9:
                for i, (members, more, every, _) in enumerate(groups):
                    if more and time.monotonic() >= due[i]:
                        due[i] = time.monotonic() + every
                        for member in members:
                            if member.end is None and not member.data:
                                member.send(more)
                crowd.run(within=0.02)
                grown = max(grown, daemon.resident_kib() - memory)
            for members, more, _, status in groups:
                for member in members:
                    what = f"{status} after {more[:20]}: {member.end}, {member.data[:60]}"
                    assert member.data[9:12] == status and member.end, what
                    if status in (b"408", b""):
                        assert member.ended_at - before < 7.5 + suite.lag.since(before), what
        assert grown < 300 * 200, f"{grown} KiB for 300 connections"
        quiet(daemon)
        eventually(lambda: descriptors(daemon) <= base + 1, what="descriptors")


@case("10 000 connections that say nothing cost little, and go after their time; the others notice nothing")
def idle_crowd(_):
    count = min(10_000, raise_file_limit() - 2_000)
    with Daemon("--idle-deadline", 6, "--loops", 2) as daemon:
        base, memory = descriptors(daemon), daemon.resident_kib()
        with bystander(daemon, suite.lag), Crowd(daemon.address, count) as crowd:
            eventually(lambda: descriptors(daemon) >= base + count, 10, "all are accepted")
            each = (daemon.resident_kib() - memory) / count
            assert each < 2, f"{each:.1f} KiB for each"
            cpu, before = daemon.cpu_seconds(), time.monotonic()
            crowd.run(within=1)
            share = (daemon.cpu_seconds() - cpu) / (time.monotonic() - before)
            assert share < 0.1, f"{share:.0%} of a core for idle connections"
            crowd.run(lambda: crowd.ends() == {"FIN": count}, 14)
            equal(crowd.ends(), {"FIN": count})
        quiet(daemon)
        eventually(lambda: descriptors(daemon) <= base + 1, what="descriptors")
        memory = daemon.resident_kib()
        with Crowd(daemon.address, count) as crowd:
            eventually(lambda: daemon.metrics()["pending_http_connections"] >= count, 10)
            grown = daemon.resident_kib() - memory
            assert grown < 2048, f"{grown} KiB more for the second crowd of the same size"
        quiet(daemon, 6)


@case("floods into open streams end them, floods behind parked requests wait in the kernel")
def floods(_):
    with Daemon("--loops", 2) as daemon:
        tag = daemon.ask("GET", "/v1/screens/s").etag
        wait = request_bytes("GET", "/v1/screens/s", {"If-None-Match": tag, "Prefer": "wait=50"})
        with bystander(daemon, suite.lag), Crowd(daemon.address, keeps=1 << 21) as crowd:
            streams = crowd.add(50, request_bytes("GET", "/v1/screens/s", SSE))
            polls = crowd.add(50, wait)
            crowd.run(lambda: all(b"state" in member.data for member in streams))
            eventually(lambda: daemon.metrics()["pending_long_polls"] == 50)
            memory, pushed = daemon.resident_kib(), dict.fromkeys(polls[:10], 0)
            ask = request_bytes("GET", "/healthz") * 100
            deadline = time.monotonic() + 3
            while time.monotonic() < deadline:
                for member in streams + polls[10:]:
                    if member.end is None:
                        member.send(b"x" * 65536)
                for member in pushed:
                    if pushed[member] < 300_000:
                        pushed[member] += member.send(ask)
                crowd.run(within=0.01)
            assert all(member.end for member in streams), "a flood into a stream ends it"
            assert all(member.end is None and not member.data for member in polls), "a parked poll stays parked"
            grown = daemon.resident_kib() - memory
            assert grown < 50 * 128 + 4096, f"{grown} KiB behind 50 polls"
            daemon.put("s", title="Now")
            # What was pushed meanwhile are requests: each that is whole is answered, the others are refused.
            expected = {member: 1 + pushed.get(member, 0) // (len(ask) // 100) for member in polls}
            crowd.run(lambda: all(member.data.count(b"HTTP/1.1 200") == expected[member] for member in polls)
                      and all(member.end for member in polls[10:]), 20)
            equal([member.data.count(b"HTTP/1.1 200") for member in polls], list(expected.values()))
            assert all(member.end for member in polls[10:]), crowd.ends()
            assert all(b"Now" in member.data for member in polls)
        quiet(daemon)


@case("thousands of pipelined requests are answered in order")
def pipelined_thousands(_):
    kinds = [("GET", "/v1/screens/p", None, 200), ("PUT", "/v1/tasks/p/runs/a", b"{}", None),
             ("HEAD", "/v1/screens/p", None, 200), ("GET", "/nowhere", None, 404),
             ("DELETE", "/v1/tasks/p/runs/none", None, 204), ("PATCH", "/v1/tasks/p/runs/none", b"{}", 404)]
    count = 5_000
    with Daemon("--loops", 2) as daemon:
        with bystander(daemon, suite.lag), Connection(daemon.address) as connection:
            answer_in_order(connection, kinds, count)
        quiet(daemon)


def answer_in_order(connection, kinds, count):
    def send():
        for i in range(0, count, 100):
            connection.send(b"".join(
                request_bytes(*kinds[n % 6][:2], {"X-Request-Id": f"n{n}", "Content-Type": "application/json"},
                              kinds[n % 6][2]) for n in range(i, i + 100)))

    sender = threading.Thread(target=send)
    sender.start()
    for n in range(count):
        answer = connection.response(kinds[n % 6][0])
        equal(answer.get("x-request-id"), f"n{n}")
        assert kinds[n % 6][3] in (None, answer.status), f"{n}: {answer}"
    sender.join()


@case("half-closing in any state ends in an answer, if one is owed, and the end")
def half_close(_):
    with Daemon("--loops", 2) as daemon:
        tag = daemon.ask("GET", "/v1/screens/h").etag
        put = request_bytes("PUT", "/v1/tasks/half/runs/a", body={"title": "T"})
        big = fill(daemon)
        states = {b"": 0, HEAD: 0, HEAD + b"\r\n": 1, put[:-5]: 0, put: 1, put * 20 + HEAD: 20,
                  request_bytes("GET", "/v1/screens/h", {"If-None-Match": tag, "Prefer": "wait=50"}) * 2: 2,
                  request_bytes("GET", "/v1/screens/h", SSE): None, LIST: 1}
        with bystander(daemon, suite.lag), Crowd(daemon.address, keeps=1 << 22) as crowd:
            groups = [(crowd.add(10, sent), answers) for sent, answers in states.items()]
            crowd.run(within=0.3)
            for member in crowd.members:
                member.socket.shutdown(1)
            crowd.run(lambda: crowd.ends() == {"FIN": len(crowd.members)}, 5)
            equal(crowd.ends(), {"FIN": len(crowd.members)})
            for members, answers in groups:
                for member in members:
                    assert answers in (None, member.data.count(b"HTTP/1.1 ")), (answers, member.data[:200])
            assert all(member.data.endswith(big) for member in groups[-1][0]), "the whole of a large answer"
        quiet(daemon)


@case("streams and polls that are reset while their screen changes leave nothing, and cost nobody a change", 41)
def resets_in_the_middle(_):
    with Daemon("--loops", 2) as daemon:
        base = descriptors(daemon)
        stop = threading.Event()

        def change():
            with daemon.connect() as connection:
                serial = 0
                while not stop.is_set():
                    serial += 1
                    connection.ask("PUT", "/v1/tasks/s/runs/a", body={"title": f"{serial:06}" + "\u20ac" * 190})

        changer = threading.Thread(target=change)
        changer.start()
        try:
            with bystander(daemon, suite.lag), daemon.stream("/v1/screens/s") as stream:
                for _ in range(12):
                    with Crowd(daemon.address) as crowd:
                        streams = crowd.add(150, request_bytes("GET", "/v1/screens/s", SSE), receive_buffer=4096)
                        stuck = crowd.add(50, request_bytes("GET", "/v1/screens/s", SSE), 4096, is_deaf=True)
                        polls = crowd.add(150, request_bytes("GET", "/v1/screens/s", {
                            "If-None-Match": daemon.ask("GET", "/v1/screens/s").etag, "Prefer": "wait=50"}) * 3)
                        crowd.run(lambda: all(member.received > 1000 for member in streams), 5)
                        for member in streams + stuck + polls:
                            member.reset()
                before = len(stream.states)
                assert stream.wait(lambda: len(stream.states) > before + 10), "the one who stays goes on"
        finally:
            stop.set()
            changer.join()
        serials = [int(state.json["title"][:6] or 0) for state in stream.states[1:]]
        equal(serials, sorted(set(serials)), "each once, in order")
        quiet(daemon)
        eventually(lambda: descriptors(daemon) <= base + 1, what="descriptors")


@case("HTTP/1.0 clients get no chunk, no interim answer, and the connection they ask for", 44)
def http_1_0(_):
    with Daemon("--loops", 2) as daemon:
        with bystander(daemon, suite.lag), Crowd(daemon.address) as crowd:
            old = {"version": "1.0", "host": None}
            streams = crowd.add(50, request_bytes("GET", "/v1/screens/o", SSE, **old))
            once = crowd.add(50, request_bytes("GET", "/healthz", **old) * 3)
            kept = crowd.add(50, request_bytes("GET", "/healthz", {"Connection": "keep-alive"}, **old) * 30)
            expecting = crowd.add(50, request_bytes("PUT", "/v1/tasks/old/runs/a", {"Expect": "100-continue"}, "{}",
                                                    **old))
            chunked = crowd.add(50, request_bytes("PUT", "/v1/tasks/old/runs/a", {"Transfer-Encoding": "chunked"},
                                                  b"0\r\n\r\n", **old))
            crowd.run(lambda: all(member.end for member in once + expecting + chunked)
                      and all(b"event: state" in member.data for member in streams)
                      and all(member.data.count(b"ok\n") == 30 for member in kept))
            daemon.put("o", title="Done")
            crowd.run(lambda: all(b"Done" in member.data for member in streams))
            for member in streams:
                head, _, body = member.data.partition(b"\r\n\r\n")
                assert b"transfer-encoding" not in head.lower() and b"content-length" not in head.lower(), head
                assert body.startswith(b"retry: ") and b"Done" in body and b"\r" not in body, body
            equal({member.data.count(b"ok\n") for member in once}, {1}, "answers without keep-alive")
            equal({member.data.count(b"ok\n") for member in kept}, {30}, "answers with it")
            assert not any(b" 100 " in member.data[:20] for member in expecting), "an interim answer to 1.0"
            equal({member.data[9:12] for member in chunked}, {b"400"})
        quiet(daemon)


if __name__ == "__main__":
    suite.main(dropped_link=dropped_link_inside)

