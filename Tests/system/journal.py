#!/usr/bin/env python3
"""A real daemon's journal keeps its word: crashes, damaged and locked files.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import json
import os
import pathlib
import random
import sqlite3
import stat
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, fails, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import WireError, request_bytes  # noqa: E402
from writers import Writer, at_work  # noqa: E402

suite = Suite("--loops", 2, workers=12)
case = suite.case


def load(daemon, writers, seconds, then):
    """Writes until ``then`` was called and the daemon is gone; {(task, run): title acknowledged last}."""
    acknowledged = {}
    lock = threading.Lock()
    stop = threading.Event()

    def write(part):
        serial = 0
        while not stop.is_set():
            try:
                with daemon.connect(timeout=5) as connection:
                    while not stop.is_set():
                        serial += 1
                        key = (f"load{part}", f"r{serial % 7}")
                        title = f"{serial}"
                        answer = connection.ask("PUT", f"/v1/tasks/{key[0]}/runs/{key[1]}", body={"title": title})
                        if answer.status in (200, 201):
                            with lock:
                                acknowledged[key] = serial
                        if answer.get("connection", "").lower() == "close":
                            break
            except (OSError, WireError):
                if daemon.process.poll() is not None or stop.is_set():
                    return

    threads = [threading.Thread(target=write, args=(part,)) for part in range(writers)]
    for thread in threads:
        thread.start()
    time.sleep(seconds)
    eventually(lambda: acknowledged, 10, "something is acknowledged")
    then()
    eventually(lambda: daemon.process.poll() is not None, 10)
    stop.set()
    for thread in threads:
        thread.join()
    return acknowledged


def check_kept(daemon, acknowledged):
    assert acknowledged, "nothing was written"
    for (task, run), serial in acknowledged.items():
        answer = daemon.run("GET", task, run)
        equal(answer.status, 200, f"{task}/{run}, acknowledged with {serial}")
        # One more write per writer may have become durable without its answer.
        assert int(answer.json["title"]) >= serial, f"{task}/{run}: {answer.json['title']} after {serial}"


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


@case("kill -9 under write load loses nothing that was acknowledged, twenty times over")
def crash_safety(_):
    with temporary_directory() as place, Daemon("--loops", 2, journal=f"sqlite:{place}/pending.db") as daemon:
        everything = {}
        for round_number in range(20):
            everything.update(load(daemon, writers=6, seconds=0.08 + 0.013 * round_number, then=daemon.kill))
            daemon.start()
            check_kept(daemon, everything)
            # Serials begin again in the next round, so it starts from an empty slate.
            for task, run in everything:
                daemon.run("DELETE", task, run)
            everything = {}


@case("writes in flight at SIGTERM are answered, and what was acknowledged is kept", 46)
def drain_keeps_writes(_):
    with temporary_directory() as place, Daemon("--drain-delay", 0.3, "--drain", 1,
                                                journal=f"sqlite:{place}/pending.db") as daemon:
        acknowledged = load(daemon, writers=4, seconds=0.5, then=daemon.terminate)
        daemon.process.wait(10)
        equal(daemon.process.returncode, 0)
        daemon.start()
        check_kept(daemon, acknowledged)


@case("configurations and ends survive a crash as well; what was forgotten stays forgotten")
def crash_keeps_all_kinds(_):
    with temporary_directory() as place, Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
        daemon.configure("chats", regularTitle="Chats", tasks=["chats.*"])
        daemon.configure("gone", regularTitle="Gone")
        daemon.ask("DELETE", "/v1/screens/gone/configuration")
        daemon.put("t", "ended", state="failed", reason="why", scope="acme")
        daemon.put("t", "silent", isSilent=True, priority=7, progress={"completed": 1, "total": 9})
        daemon.put("t", "deleted")
        daemon.run("DELETE", "t", "deleted")
        daemon.run("PATCH", "t", "silent", {"cancelRequested": True})
        keyed = {"Idempotency-Key": '"key-1"'}
        daemon.ask("POST", "/v1/tasks/t/runs", keyed, {"title": "K"})
        before = [daemon.run("GET", "t", "ended", scope="acme").body, daemon.run("GET", "t", "silent").body,
                  daemon.ask("GET", "/v1/screens/chats/configuration").body]
        daemon.kill()
        daemon.start()
        after = [daemon.run("GET", "t", "ended", scope="acme").body, daemon.run("GET", "t", "silent").body,
                 daemon.ask("GET", "/v1/screens/chats/configuration").body]
        equal(after, before)
        problem(daemon.run("GET", "t", "deleted"), 404, "not-found")
        equal(daemon.screen("gone")["title"], "gone")
        equal(daemon.ask("POST", "/v1/tasks/t/runs", keyed, {"title": "K"}).status, 200, "a replay after the crash")
        problem(daemon.ask("POST", "/v1/tasks/t/runs", keyed, {"title": "L"}), 422, "idempotency-key-reused")
        problem(daemon.run("PUT", "t", "ended", {}, scope="acme"), 409, "run-ended")


@case("the file is private, and its size follows the live runs, not the history")
def journal_size(_):
    with temporary_directory() as place, Daemon("--loops", 1, journal=f"sqlite:{place}/pending.db") as daemon:
        equal(stat.S_IMODE(os.stat(f"{place}/pending.db").st_mode), 0o600)

        def write(part):
            with daemon.connect(timeout=60) as connection:
                for start in range(0, 3000, 100):
                    for i in range(start, start + 100):
                        connection.send(request_bytes(
                            "PUT", f"/v1/tasks/t{part}/runs/a", {"Content-Type": "application/json"},
                            json.dumps({"title": f"{i:04}" + "x" * 190})))
                    for _ in range(100):
                        assert connection.response().status in (200, 201)

        threads = [threading.Thread(target=write, args=(part,)) for part in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        eventually(lambda: sum(entry.stat().st_size for entry in os.scandir(place)) < 16 * 2**20, 5,
                   "24 000 records of 8 runs in less than 16 MiB")
        daemon.kill()
        before = time.monotonic()
        daemon.start()
        assert time.monotonic() - before < 2 + suite.lag.since(before)
        equal(len(daemon.ask("GET", "/v1/runs").json["items"]), 8)


@case("a journal of a newer version, a corrupt one, one that is no file: 74 and a clear line")
def bad_journals(_):
    with temporary_directory() as place:
        path = pathlib.Path(place, "pending.db")
        with Daemon(journal=f"sqlite:{path}") as daemon:
            for i in range(200):
                daemon.put(f"t{i}", title="x" * 150)
            daemon.terminate()
            daemon.process.wait(12)
        good = path.read_bytes()
        with sqlite3.connect(path) as database:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version = {version + 1}")
        database.close()
        text = fails(74, "--journal", f"sqlite:{path}")
        assert "newer" in text and str(path) in text, text
        for name, content in (("garbage", b"this is not a database at all, but some other file\n" * 100),
                              ("a damaged header", b"\0" * 100 + good[100:]),
                              ("damaged pages", good[:4096] + b"\xa5" * (len(good) - 4096)),
                              ("a truncated file", good[: len(good) // 2 // 4096 * 4096 + 1000])):
            for extra in ("pending.db-wal", "pending.db-shm"):
                pathlib.Path(place, extra).unlink(missing_ok=True)
            path.write_bytes(content)
            text = fails(74, "--journal", f"sqlite:{path}")
            assert "journal" in text.lower(), f"{name}: {text}"
            equal(path.read_bytes(), content, f"{name}: it is left as it was found")
        fails(74, "--journal", f"sqlite:{place}")
        fails(74, "--journal", f"sqlite:{place}/no/such/folder/pending.db")


@case("a journal that another daemon holds: live but not ready while waiting, then 74")
def locked_journal(_):
    with temporary_directory() as place:
        journal = f"sqlite:{place}/pending.db"
        with Daemon(journal=journal) as first:
            first.put("t", title="First")
            before = time.monotonic()
            text = fails(74, "--journal", journal, "--journal-wait", "1")
            assert "lock" in text.lower() or "in use" in text.lower() or "another" in text.lower(), text
            assert time.monotonic() - before >= 0.9
            with Daemon("--journal-wait", 30, journal=journal, wait_for="/healthz") as second:
                equal(second.ask("GET", "/readyz").status, 503)
                answer = second.ask("GET", "/v1/screens/t")
                problem(answer, 503, "unavailable")
                assert int(answer.get("retry-after")) > 0
                equal(second.run("PUT", "t", "a", {}).status, 503)
                with second.stream("/v1/screens/t") as stream:
                    assert stream.has_ended() and stream.fault is None
                    equal((stream.head.status, [event.kind for event in stream.events]), (200, ["close"]))
                first.kill()
                second.wait_until("/readyz", 10)
                equal(second.screen("t")["title"], "First", "the new owner has it all")


@case("a daemon that waits for its journal still ends as it is told", 59)
def ends_while_waiting(_):
    with temporary_directory() as place:
        journal = f"sqlite:{place}/pending.db"
        with Daemon(journal=journal), Daemon("--drain-delay", 0.2, "--drain", 0.2, journal=journal,
                                             wait_for="/healthz") as second:
            started = second.terminate()
            second.process.wait(10)
            equal(second.process.returncode, 0)
            assert time.monotonic() - started < 1.4 + suite.lag.since(started)


@case("after a crash the daemon is ready again soon, and a stale lock keeps nobody out")
def restart_speed(_):
    with temporary_directory() as place, Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
        for _ in range(5):
            daemon.put("t")
            daemon.kill()
            before = time.monotonic()
            daemon.start()
            assert time.monotonic() - before < 2 + suite.lag.since(before)


if __name__ == "__main__":
    suite.main()

