#!/usr/bin/env python3
"""A real daemon that is killed and whose disk fails, again and again: it keeps its word each time.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import os
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, fails, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import request_bytes  # noqa: E402
from writers import Writer, at_work  # noqa: E402

suite = Suite(workers=4)
case = suite.case
SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"


# -- crashes -------------------------------------------------------------------------------------------------

@case("kill -9 at fifty random points: every answered change is there, of every kind, and each start is clean")
def fifty_crashes(_):
    seed = random.randrange(10**6)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with temporary_directory() as place, Daemon("--loops", 2, journal=f"sqlite:{place}/pending.db") as daemon:
        writers = [Writer(number, seed) for number in range(6)]
        for round_number in range(50):
            def crash():
                time.sleep(chance.uniform(0.01, 0.25))
                daemon.kill()

            at_work(daemon, writers, crash)
            daemon.start()
            for writer in writers:
                writer.check(daemon, f"seed {seed}, crash {round_number}")
        assert sum(writer.acknowledged for writer in writers) > 500
        log = daemon.log()
        assert '"level":"error"' not in log and '"level":"warning"' not in log, log[-2000:]


# -- the disk ------------------------------------------------------------------------------------------------

def fault_injector(place):
    """Builds the library that makes the daemon's disk fail, and a function that gives it its command."""
    library, commands = os.path.join(place, "faults.so"), os.path.join(place, "command")
    subprocess.run(["clang", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, str(SUPPORT / "faults.c"), "-ldl"],
                   check=True)

    def command(word):
        with open(commands + ".new", "w") as file:
            file.write(word)
        os.rename(commands + ".new", commands)

    command("none")
    return command, {"LD_PRELOAD": library, "PENDING_FAULT_FILE": commands}


for fault in ("EIO", "ENOSPC", "torn", "syncs"):
    @case(f"the disk fails ({fault}): 503 and nothing half applied, expiries happen, recovery by itself")
    def failing_disk(_, fault=fault):
        with temporary_directory() as place:
            command, environment = fault_injector(place)
            with Daemon("--loops", 2, journal=f"sqlite:{place}/pending.db", environment=environment) as daemon:
                failing_disk_on(daemon, command, fault)


def failing_disk_on(daemon, command, fault):
    daemon.put("stays", title="Before", ttl=3600)
    daemon.put("expires", ttl=5)
    expires_at = time.monotonic() + 6
    before = daemon.get("stays").body
    with daemon.stream("/v1/screens/expires") as stream:
        assert stream.next().json["isPending"]
        command(fault)
        for method, body in (("PUT", {"title": "Half"}), ("PATCH", {"state": "failed"}), ("DELETE", None)):
            answer = daemon.run(method, "stays", "a", body)
            problem(answer, 503, "unavailable")
            assert int(answer.get("retry-after")) > 0
        equal(daemon.ask("PUT", "/v1/screens/stays/configuration", body={"regularTitle": "Half"}).status, 503)
        equal(daemon.run("PUT", "new", "a", {}).status, 503)
        equal(daemon.ask("GET", "/healthz").status, 200, "live")
        equal(daemon.ask("GET", "/readyz").status, 503, "not ready")
        equal(daemon.get("stays").body, before)
        problem(daemon.get("new"), 404, "not-found")
        gone = stream.next(timeout=9)
        assert gone and not gone.json["isPending"], "an expiry takes effect"
        assert gone.at - expires_at < 1.5 + suite.lag.since(expires_at)
    command("none")
    eventually(lambda: daemon.ask("GET", "/readyz").status == 200, 5, "ready again by itself")
    # What was refused is not there after a crash either, though its bytes may have reached the file.
    daemon.kill()
    daemon.start()
    equal(daemon.get("stays").json["title"], "Before")
    equal((daemon.get("expires").json["state"], daemon.get("new").status), ("lost", 404))
    # It fails and works by turns under load: what was refused did not happen, what was answered did.
    seed = random.randrange(10**6)
    chance = random.Random(seed)
    writers = [Writer(number, seed) for number in range(4)]

    def by_turns():
        for _ in range(12):
            time.sleep(chance.uniform(0.02, 0.3))
            command(fault)
            time.sleep(chance.uniform(0.02, 0.15))
            command("none")
        eventually(lambda: daemon.ask("GET", "/readyz").status == 200, 5, "ready again by itself")

    at_work(daemon, writers, by_turns)
    for crashes in range(2):
        for writer in writers:
            equal(writer.open, {})
            writer.check(daemon, f"{fault}, seed {seed}, after {crashes} crashes")
        daemon.kill()
        daemon.start()
    assert all(writer.acknowledged and writer.refused for writer in writers), "both kinds happened"
    # A crash while it fails: all that was answered is there, what was refused is there as a whole or not at all.
    command(fault)
    for writer in writers:
        with daemon.connect() as connection:
            for _ in range(20):
                key_before = dict(writer.known)
                writer.step(connection)
                equal(writer.known, key_before, "refused")
    daemon.kill()
    command("none")
    daemon.start()
    equal(daemon.get("stays").json["title"], "Before")
    for writer in writers:
        with daemon.connect() as connection:
            for key in writer.KEYS:
                assert connection.ask("GET", writer.path(key)).status in (200, 404)


@case("a journal that cannot be written at the start stops the daemon with 74 and a clear line")
def failing_start(_):
    with temporary_directory() as place:
        command, environment = fault_injector(place)
        for fault in ("EIO", "ENOSPC", "syncs"):
            command(fault)
            text = fails(74, "--journal", f"sqlite:{place}/pending.db", environment=environment)
            assert f"{place}/pending.db" in text, text
        command("none")
        with Daemon(journal=f"sqlite:{place}/pending.db", environment=environment) as daemon:
            daemon.put("t")


@case("a disk that takes five seconds for a commit holds up writes, and nothing else; no run is lost by it")
def slow_disk(_):
    with temporary_directory() as place:
        command, environment = fault_injector(place)
        with Daemon("--loops", 1, journal=f"sqlite:{place}/pending.db", environment=environment) as daemon:
            for i in range(10):
                daemon.put("w", f"r{i}", ttl=5)
            tag = daemon.ask("GET", "/v1/screens/w").etag
            started = time.monotonic()
            command("slow")
            with daemon.connect(timeout=60) as writer, daemon.stream("/v1/screens/w") as stream:
                for i in range(10):
                    writer.send(request_bytes("PUT", f"/v1/tasks/w/runs/r{i}", {"Content-Type": "application/json"},
                                              '{"title":"Renewed","ttl":5}'))
                while time.monotonic() < started + 9:
                    before = time.monotonic()
                    equal(daemon.ask("GET", "/v1/screens/w", {"If-None-Match": tag}).status in (200, 304), True)
                    assert time.monotonic() - before < 0.5 + 2 * suite.lag.since(before), "a read waits for the disk"
                    time.sleep(0.1)
                command("none")
                for _ in range(10):
                    equal(writer.response().status, 200)
                assert all(state.json["isPending"] for state in stream.states), stream.states
            equal(daemon.metrics()['pending_runs{state="lost"}'], 0)


if __name__ == "__main__":
    suite.main()

