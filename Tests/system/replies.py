#!/usr/bin/env python3
"""Clients that do not take what they asked for, in crowds: a reply costs what it holds, and only for a while.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import select
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from crowd import LIST, Crowd, bystander, descriptors, fill, quiet  # noqa: E402
from daemon import Daemon  # noqa: E402
from suite import Suite, equal, eventually  # noqa: E402
from wire import Connection, request_bytes  # noqa: E402

suite = Suite(workers=4)
case = suite.case


@case("readers that reset in the middle of a reply, or stop, cost a reply each, and only for a while", 43)
def readers(_):
    with Daemon("--stall-deadline", 3, "--loops", 2) as daemon:
        size = len(fill(daemon))
        base, memory = descriptors(daemon), daemon.resident_kib()
        with bystander(daemon, suite.lag):
            for _ in range(5):
                with Crowd(daemon.address) as crowd:
                    for member in crowd.add(15, LIST, receive_buffer=4096, is_deaf=True):
                        select.select([member.socket], [], [], 5)
                        member.socket.recv(1000)
                        member.reset()
            # Each asks for a hundred, and takes none.
            with Crowd(daemon.address) as crowd:
                members = crowd.add(15, LIST * 100, receive_buffer=4096, is_deaf=True)
                time.sleep(1.5)
                grown = daemon.resident_kib() - memory
                assert grown * 1024 < 15 * 2.5 * size + 2**22, f"{grown} KiB for 15 replies of {size} bytes"
                quiet(daemon, 6, others=1)
                for member in members:
                    crowd.listen(member)
                crowd.run(lambda: crowd.ends() == {"RST": 15}, 5)
                equal(crowd.ends(), {"RST": 15}, "what does not move is reset")
        eventually(lambda: descriptors(daemon) <= base + 1, what="descriptors")


@case("a reader that trickles is not cut while it moves, and gets every byte")
def trickling_reader(_):
    with Daemon("--stall-deadline", 2, "--loops", 1) as daemon:
        expected = fill(daemon)
        with bystander(daemon, suite.lag), Connection(daemon.address, receive_buffer=4096) as connection:
            connection.send(LIST)
            deadline = time.monotonic() + 7
            received = b""
            while time.monotonic() < deadline:
                received += connection.socket.recv(3000)
                time.sleep(0.1)
            assert len(received) < len(expected), "it trickled"
            connection.buffer = received
            equal(connection.response().body, expected)
        quiet(daemon)


@case("asking for large answers in ever new words leaves nothing large behind")
def ever_new_targets(_):
    with Daemon("--loops", 1) as daemon, daemon.connect() as connection:
        for i in range(200):
            daemon.put(f"n{i}", title="🚀" * 200)
        for n in range(300):
            answer = connection.ask("GET", f"/v1/screens?limit=200&n={n}")
            assert len(answer.body) > 200_000 and len(answer.json["screens"]) == 200, answer
            if n == 30:
                memory = daemon.resident_kib()
        grown = daemon.resident_kib() - memory
        assert grown < 16 * 1024, f"{grown} KiB for 270 answers of {len(answer.body)} bytes"


@case("long polls leave nothing behind, whether they are answered or their clients vanish")
def long_polls(_):
    with Daemon("--loops", 1) as daemon:
        samples = []
        for n in range(6):
            tag = daemon.ask("GET", "/v1/screens/s").etag
            ask = request_bytes("GET", "/v1/screens/s", {"If-None-Match": tag, "Prefer": "wait=50"})
            for is_answered in (False, False, True):
                with bystander(daemon, suite.lag), Crowd(daemon.address, 500, ask) as crowd:
                    eventually(lambda: daemon.metrics()["pending_long_polls"] == 500, 10)
                    if is_answered:
                        daemon.put("s", title=f"{n}")
                        assert crowd.run(lambda: crowd.having(b"HTTP/1.1 200") == 500)
                quiet(daemon)
            samples.append(daemon.resident_kib())
        assert samples[-1] - samples[1] < 1024, f"resident KiB after each 1 500: {samples}"


@case("one change that hundreds of polls of hundreds of views wait for is worked off in turns, and drained in time", 54)
def wide_polls(_):
    with Daemon("--loops", 1) as daemon, Crowd(daemon.address, keeps=100) as crowd, daemon.connect() as connection:
        def park(count):
            for width in range(count):
                target = "/v1/screens?" + "&".join(f"id=s{i}:{width}x20" for i in range(256))
                tag = connection.ask("GET", target).etag
                crowd.add(1, request_bytes("GET", target, {"If-None-Match": tag, "Prefer": "wait=50"}))
                crowd.run(within=0)
            eventually(lambda: daemon.metrics()["pending_long_polls"] == count)

        park(600)
        with bystander(daemon, suite.lag):
            daemon.put("s7", title="T")
            assert crowd.run(lambda: crowd.having(b"HTTP/1.1 200") == 600, 30)
        park(100)
        started = daemon.terminate()
        daemon.process.wait(12)
        crowd.run(lambda: None not in crowd.ends(), 5)
        equal((daemon.process.returncode, crowd.having(b"HTTP/1.1 304")), (0, 100), "answers in the drain")
        assert time.monotonic() - started < 8 + 2 * suite.lag.since(started)


@case("pipelines of requests for hundreds of views, on many connections at once, leave room for who asks for little")
def wide_pipelines(_):
    with Daemon("--loops", 1) as daemon, Crowd(daemon.address, 250, keeps=0) as crowd, bystander(daemon, suite.lag):
        for i, member in enumerate(crowd.members):
            member.send(b"".join(request_bytes("GET", "/v1/screens?" + "&".join(
                f"id=s{k}:{100 + i * 13 + j}x{20 + k}" for k in range(256))) for j in range(13)))
        crowd.run(within=5)


if __name__ == "__main__":
    suite.main()
