#!/usr/bin/env python3
"""A real daemon that is frozen, drained and started again, with thousands of clients who notice as little as can be.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from crowd import Crowd, raise_file_limit  # noqa: E402
from daemon import Daemon  # noqa: E402
from suite import Suite, equal, eventually  # noqa: E402
from wire import Connection, request_bytes  # noqa: E402

suite = Suite(workers=4)
case = suite.case
SSE = {"Accept": "text/event-stream"}


@case("frozen for longer than every deadline: no run is lost, no client cut, for a pause that was ours", 13)
def frozen(_):
    with Daemon("--loops", 2, "--idle-deadline", 3, "--head-deadline", 2, "--body-deadline", 2,
                "--stall-deadline", 2) as daemon:
        for i in range(50):
            daemon.put("t", f"r{i}", ttl=5)
        put = request_bytes("PUT", "/v1/tasks/late/runs/a", body={"title": "T"})
        with Crowd(daemon.address) as crowd, daemon.stream("/v1/screens/t") as stream:
            assert stream.next()
            idle = crowd.add(1000)
            heads = crowd.add(300, put[:20])
            bodies = crowd.add(300, put[:-3])
            crowd.run(within=0.3)
            daemon.process.send_signal(signal.SIGSTOP)
            time.sleep(8)
            for member in idle:
                member.send(request_bytes("GET", "/healthz"))
            for member in heads:
                member.send(put[20:])
            for member in bodies:
                member.send(put[-3:])
            daemon.process.send_signal(signal.SIGCONT)
            resumed = time.monotonic()
            crowd.run(lambda: crowd.having(b"HTTP/1.1 20") == 1600, 2.5)
            equal(crowd.having(b"HTTP/1.1 20"), 1600, "requests that came while it was frozen are answered")
            while time.monotonic() < resumed + 3:
                equal(daemon.metrics()['pending_runs{state="lost"}'], 0)
                time.sleep(0.2)
            equal(len(stream.states), 1)
            eventually(lambda: not daemon.screen("t")["isPending"], 8, "who is silent still expires")


@case("10 000 streams: a storm of them is let in, comes back after a crash, and leaves in order at the end", 46, 59)
def ten_thousand_streams(_):
    count = min(10_000, raise_file_limit() - 2_000)
    ask = request_bytes("GET", "/v1/screens/s", SSE)
    with Daemon("--loops", 2) as daemon:
        for what in ("at first", "after a crash"):
            daemon.put("s", title="Working")
            with Crowd(daemon.address) as crowd:
                before = time.monotonic()
                crowd.storm(count, ask)
                crowd.run(lambda: crowd.having(b"Working") == count, 30)
                equal((crowd.ends(), crowd.having(b"Working")), ({None: count}, count), what)
                print(f"{count} streams at once, {what}: all with their state in {time.monotonic() - before:.2f} s"
                      " (goal 2 s)")
                if what == "at first":
                    daemon.kill()
                    crowd.run(lambda: None not in crowd.ends(), 10)
                    daemon.start()
                    continue
                drain(daemon, crowd, count)


def drain(daemon, crowd, count):
    started = daemon.terminate()
    eventually(lambda: daemon.ask("GET", "/readyz").status == 503, 1, "not ready")
    assert time.monotonic() - started < 0.5 + suite.lag.since(started), "not ready at once"
    late = 0
    while time.monotonic() < started + 1.7:
        with Connection(daemon.address) as connection:
            equal(connection.ask("GET", "/v1/screens/s").status, 200, "in the drain delay")
        late += 1
        crowd.run(within=0.01)
    assert crowd.ends() == {None: count} and late > 5, (crowd.ends(), late)
    crowd.run(lambda: None not in crowd.ends(), 12)
    daemon.process.wait(10)
    lasted = time.monotonic() - started
    equal((daemon.process.returncode, crowd.ends()), (0, {"FIN": count}))
    assert lasted <= 8 + 2 * suite.lag.since(started), f"{lasted:.2f} s"
    equal(crowd.having(b'event: close\ndata: {"reason":"shutdown"}\n\n\r\n0\r\n\r\n'), count, "whole to the end")
    seconds = [int(member.ended_at - started) for member in crowd.members]
    spread = {second: seconds.count(second) for second in sorted(set(seconds))}
    print(f"drained in {lasted:.2f} s; streams closed in each second: {spread}")
    assert max(spread.values()) < count * 0.5 and len(spread) >= 4, spread


if __name__ == "__main__":
    suite.main()
