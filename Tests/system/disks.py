#!/usr/bin/env python3
"""A real daemon whose disk fails, is full or takes long: it keeps its word, and goes on as soon as the disk does.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import contextlib
import errno
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from crowd import Crowd, bystander, quiet  # noqa: E402
from daemon import Daemon, fails, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, problem, run_inside  # noqa: E402
from wire import request_bytes  # noqa: E402
from writers import Writer, at_work  # noqa: E402

suite = Suite(workers=4)
case = suite.case
SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"


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


@case("a journal of format 1 is converted at the start, or left as it was when the disk fails meanwhile")
def failing_conversion(_):
    with temporary_directory() as place:
        command, environment = fault_injector(place)
        path = pathlib.Path(place, "pending.db")
        with Daemon(journal=f"sqlite:{path}", environment=environment) as daemon:
            for i in range(300):
                daemon.put(f"t{i % 150}", title=f"{i}")
            daemon.terminate()
            daemon.process.wait(12)
        to_first_format(path)
        before = path.read_bytes()
        for fault in ("EIO", "ENOSPC", "torn", "syncs"):
            command(fault)
            text = fails(74, "--journal", f"sqlite:{path}", environment=environment)
            assert str(path) in text, text
            command("none")
            if fault != "syncs":
                equal(path.read_bytes(), before, fault)
            # With failing syncs all of it may have been written, which is as good.
            assert format_of(path) == 1 or fault == "syncs", fault
        with Daemon(journal=f"sqlite:{path}", environment=environment) as daemon:
            for i in range(150):
                equal(daemon.get(f"t{i}").json["title"], f"{150 + i}")
            daemon.put("t0", title="After")
            daemon.kill()
            daemon.start()
            equal(daemon.get("t0").json["title"], "After")
        equal(format_of(path), 2)


def to_first_format(path):
    """Makes of a journal what a version that knew only format 1 would have written."""
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("BEGIN")
    database.execute("ALTER TABLE entry RENAME TO newer")
    database.execute("CREATE TABLE entry (key TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, "
                     "value BLOB NOT NULL) STRICT, WITHOUT ROWID")
    database.execute("INSERT INTO entry (key, revision, value) SELECT key, revision, value FROM newer")
    database.execute("DROP TABLE newer")
    database.execute("PRAGMA user_version = 1")
    database.execute("COMMIT")
    database.close()


def format_of(path):
    database = sqlite3.connect(path)
    try:
        return database.execute("PRAGMA user_version").fetchone()[0]
    finally:
        database.close()


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


@case("floods behind writes that wait for the disk wait in the kernel, and are answered in order when it works")
def floods_behind_writes(_):
    with temporary_directory() as place:
        command, environment = fault_injector(place)
        with Daemon("--loops", 1, journal=f"sqlite:{place}/pending.db", environment=environment) as daemon:
            ask = request_bytes("GET", "/healthz") * 100
            put = request_bytes("PUT", "/v1/tasks/w/runs/a", body={"title": "T"})
            daemon.put("w")
            command("slow")
            with bystander(daemon, suite.lag), Crowd(daemon.address, keeps=1 << 21) as crowd:
                waiting = crowd.add(50, put)
                gone = crowd.add(50, put * 20)
                pushed = dict.fromkeys(waiting, 0)
                memory, cpu, before = daemon.resident_kib(), daemon.cpu_seconds(), time.monotonic()
                while time.monotonic() < before + 3:
                    for member in waiting:
                        if pushed[member] < 300_000:
                            # The kernel may take a part of a request; the rest is sent first the next time.
                            pushed[member] += member.send(ask[pushed[member] % len(ask):])
                    if time.monotonic() > before + 1:
                        while gone:
                            gone.pop().reset()
                    crowd.run(within=0.05)
                grown, cpu = daemon.resident_kib() - memory, daemon.cpu_seconds() - cpu
                assert grown < 4096, f"{grown} KiB behind 100 writes"
                assert cpu < 1, f"{cpu:.2f} s of CPU while nothing can be done"
                assert not any(member.received for member in waiting), "an answer before the disk's"
                command("none")
                expected = [pushed[member] // (len(ask) // 100) for member in waiting]
                crowd.run(lambda: [member.data.count(b"ok\n") for member in waiting] == expected, 30)
                equal([member.data.count(b"ok\n") for member in waiting], expected, "answers")
                assert all(b'"title":"T"' in member.data.partition(b"ok\n")[0] for member in waiting), "in order"
            quiet(daemon, 8)


@case("a full disk: 503 and nothing half applied, not ready, then recovery by itself")
def disk_full(_):
    run_inside("disk_full", "--mount")


@case("a disk that is full at the start: a new journal is 74 and a clear line, an old one is served to readers")
def disk_full_at_start(_):
    run_inside("disk_full_at_start", "--mount")


@contextlib.contextmanager
def small_disk():
    """In a namespace where mounting one disturbs nobody."""
    with temporary_directory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=768k", "tmpfs", place], check=True)
        try:
            yield place
        finally:
            subprocess.run(["umount", place], check=True)


def disk_full_inside():
    with small_disk() as place, Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
        disk_full_on(daemon, place)


def disk_full_at_start_inside():
    with small_disk() as place:
        ballast = os.path.join(place, "ballast")
        fill_up(ballast)
        text = fails(74, "--journal", f"sqlite:{place}/pending.db")
        assert f"{place}/pending.db" in text and "space" in text, text
        os.unlink(ballast)
        # What the failed start left is no obstacle.
        with Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
            for i in range(5):
                daemon.put("t", f"r{i}", title=f"{i}" + "x" * 190, ttl=600)
            daemon.put("short", ttl=5)
            for end in (daemon.kill, lambda: (daemon.terminate(), daemon.process.wait(12))):
                end()
                fill_up(ballast)
                daemon.start()
                equal([daemon.get("t", f"r{i}").json["title"][:2] for i in range(5)], [f"{i}x" for i in range(5)])
                equal([daemon.run("PUT", "t", "new", {}).status, daemon.get("t", "new").status], [503, 404])
                equal(daemon.ask("GET", "/readyz").status, 503, "not ready")
                eventually(lambda: not daemon.screen("short")["isPending"], 9, "an expiry takes effect")
                os.unlink(ballast)
                eventually(lambda: daemon.ask("GET", "/readyz").status == 200, 10, "ready again by itself")
                daemon.put("t", "new")
                daemon.run("DELETE", "t", "new")


def disk_full_on(daemon, place):
    daemon.put("stays", "a", title="Before", ttl=600)
    daemon.put("works", "a", ttl=5)
    daemon.put("expires", "a", ttl=5)
    expires_at = time.monotonic() + 6
    ballast = os.path.join(place, "ballast")
    fill_up(ballast)
    refused = None
    created = []
    for i in range(200):
        answer = daemon.run("PUT", "bulk", f"r{i % 90}", {"title": f"{i}" + "x" * 190, "ttl": 600})
        if answer.status == 503:
            refused = (i, answer)
            break
        created.append((f"r{i % 90}", i))
        fill_up(ballast)
    assert refused, "the disk never got full"
    index, answer = refused
    problem(answer, 503, "unavailable")
    assert int(answer.get("retry-after")) > 0
    run = f"r{index % 90}"
    kept = dict(created).get(run)
    seen = daemon.run("GET", "bulk", run)
    if kept is None:
        problem(seen, 404, "not-found")
    else:
        equal(seen.json["title"], f"{kept}" + "x" * 190, "the refused write left nothing behind")
    eventually(lambda: daemon.ask("GET", "/readyz").status == 503, 3, "not ready")
    equal(daemon.ask("GET", "/healthz").status, 200, "but live")
    before = daemon.screen("bulk")
    for method, body in (("PUT", {"state": "succeeded"}), ("DELETE", None), ("PATCH", {"title": "Half"})):
        equal(daemon.run(method, "stays", "a", body).status, 503, method)
    equal(daemon.run("GET", "stays", "a").json["title"], "Before")
    equal(daemon.run("GET", "stays", "a").json["state"], "running")
    equal(daemon.screen("bulk")["runCount"], before["runCount"])
    equal(daemon.ask("PUT", "/v1/screens/bulk/configuration", body={"regularTitle": "Half"}).status, 503)
    equal(daemon.run("PUT", "works", "a", {"ttl": 5, "title": "Half"}).status, 503)
    with daemon.stream("/v1/screens/expires") as stream:
        assert stream.next().json["isPending"] is True, "reads go on"
        gone = stream.next(timeout=9)
        assert gone and not gone.json["isPending"], "an expiry takes effect in memory"
        assert gone.at - expires_at < 1.5 + suite.lag.since(expires_at)
    # Its worker has been heard all the while, and is not lost for what the disk could not take.
    for percent in range(60, 64):
        answer = daemon.run("PUT", "works", "a", {"ttl": 5, "progress": {"completed": percent, "total": 100}})
        equal(answer.status, 503)
        equal(daemon.get("works").json["state"], "running")
        time.sleep(2)
    os.unlink(ballast)
    eventually(lambda: daemon.ask("GET", "/readyz").status == 200, 10, "ready again by itself")
    equal(daemon.run("PATCH", "stays", "a", {"title": "After"}).status, 200)
    daemon.kill()
    daemon.start()
    equal(daemon.run("GET", "stays", "a").json["title"], "After")
    equal(daemon.run("GET", "expires", "a").json["state"], "lost", "the expiry was written after all")
    for name, serial in dict(created).items():
        assert daemon.run("GET", "bulk", name).json["title"].startswith(f"{serial}x"), f"acknowledged {name}"


def fill_up(path):
    """Appends until there is no byte left."""
    with open(path, "ab", buffering=0) as ballast:
        for size in (65536, 4096, 512, 1):
            try:
                while True:
                    ballast.write(b"\0" * size)
            except OSError as error:
                assert error.errno == errno.ENOSPC, error


if __name__ == "__main__":
    suite.main(disk_full=disk_full_inside, disk_full_at_start=disk_full_at_start_inside)
