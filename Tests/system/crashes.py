#!/usr/bin/env python3
"""A real daemon that is killed, starved, frozen and restarted, again and again: it keeps its word each time.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from crowd import Crowd, quiet, raise_file_limit  # noqa: E402
from daemon import Daemon, fails, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import Connection, WireError, request_bytes  # noqa: E402

suite = Suite(workers=4)
case = suite.case
SSE = {"Accept": "text/event-stream"}
SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "support"


class Writer:
    """Changes runs and a configuration of its own, and knows what each must be: ``known`` holds what was answered
    last, ``open`` what may be instead because no answer came.
    """

    KEYS = ["r0", "r1", "r2", "r3", "screen"]

    def __init__(self, number, seed):
        self.task = f"w{number}"
        self.random = random.Random(seed * 1000 + number)
        self.known = dict.fromkeys(self.KEYS)
        self.open = {}
        self.serial = 0
        self.acknowledged = 0
        self.refused = 0

    def path(self, key):
        return "/v1/screens/%s/configuration" % self.task if key == "screen" else f"/v1/tasks/{self.task}/runs/{key}"

    def step(self, connection):
        key = self.random.choice(self.KEYS)
        self.serial += 1
        text = f"{self.serial}"
        if self.known[key] is None or (self.known[key][0] == "running" and self.random.random() < 0.6):
            after, method = ("running", text), "PUT"
            body = {"regularTitle": text} if key == "screen" else {"title": text, "ttl": 3600}
        elif key != "screen" and self.known[key][0] == "running" and self.random.random() < 0.5:
            after, method, body = ("succeeded", text), "PATCH", {"state": "succeeded", "title": text}
        else:
            after, method, body = None, "DELETE", None
        self.open[key] = after
        answer = connection.ask(method, self.path(key), body=body)
        del self.open[key]
        if answer.status == 503:
            self.refused += 1
            return
        assert answer.status in (200, 201, 204), f"{method} {key} at {self.known[key]}: {answer}"
        self.known[key] = after
        self.acknowledged += 1

    def work(self, daemon, stop):
        while not stop.is_set():
            try:
                with daemon.connect(timeout=10) as connection:
                    while not stop.is_set():
                        self.step(connection)
            except (OSError, WireError):
                return

    def check(self, daemon, what):
        """Everything is as it was answered; what was not answered is as before or as asked, and is known then."""
        with daemon.connect() as connection:
            for key in self.KEYS:
                answer = connection.ask("GET", self.path(key))
                if answer.status == 404:
                    found = None
                elif key == "screen":
                    found = ("running", answer.json["regularTitle"])
                else:
                    found = (answer.json["state"], answer.json["title"])
                allowed = [self.known[key]] + ([self.open[key]] if key in self.open else [])
                assert found in allowed, f"{what}: {self.task}/{key} is {found}, expected one of {allowed}"
                self.known[key] = found
            self.open = {}
            running = sum(value is not None and value[0] == "running" for key, value in self.known.items()
                          if key != "screen")
            equal(connection.ask("GET", f"/v1/screens/{self.task}").json["runCount"], running, what)


def at_work(daemon, writers, meanwhile):
    """Lets the writers work while ``meanwhile`` runs, and until they have noticed what it did."""
    stop = threading.Event()
    faults = []

    def work(writer):
        try:
            writer.work(daemon, stop)
        except Exception as error:
            faults.append(f"{writer.task}: {error}")

    threads = [threading.Thread(target=work, args=(writer,)) for writer in writers]
    for thread in threads:
        thread.start()
    try:
        meanwhile()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    equal(faults, [])


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


# -- the process ---------------------------------------------------------------------------------------------

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
