#!/usr/bin/env python3
"""Leases against a real daemon: who is running, who is lost, who was asked to stop, through crashes and pauses.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import re
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, near, problem  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case

UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
#: The shortest lease: 5 s and the slack of 1 s.
SHORT = {"ttl": 5}
LEASE = 6.0


def timed(call, *arguments, **members):
    """The answer and the middle of the time it took."""
    before = time.monotonic()
    answer = call(*arguments, **members)
    return answer, (before + time.monotonic()) / 2


def lose(daemon, task, run="a", **members):
    """Starts a run and waits until its lease is over."""
    daemon.put(task, run, **SHORT, **members)
    time.sleep(LEASE - 0.5)
    eventually(lambda: daemon.get(task, run).json["state"] == "lost", 3, "the run is lost")


# -- the lease -----------------------------------------------------------------------------------------------

@case("a silent run is lost after ttl and slack, with one event", 1)
def silent_run(daemon):
    task = suite.name()
    with daemon.stream(f"/v1/screens/{task}") as stream:
        assert stream.next() is not None
        _, started = timed(daemon.put, task, **SHORT)
        shown = stream.next()
        assert shown.json["isPending"] is True, shown
        gone = stream.next(timeout=9)
        assert gone and gone.json["isPending"] is False, gone
        near(gone.at - started, LEASE, 0.25 + suite.lag.since(started), "seconds until the loss")
        assert stream.next(timeout=0.7) is None, "one event tells of the loss"
    run = daemon.get(task).json
    equal((run["state"], run["reason"], run["isLate"]), ("lost", "lease-expired", False))
    assert UTC.fullmatch(run["endedAt"]), run
    assert daemon.screen(task)["isPending"] is False


@case("a slack of 5 % rules above a ttl of 20 s", 1)
def long_lease(daemon):
    task = suite.name()
    daemon.put(task, ttl=24)
    time.sleep(24.6)
    equal(daemon.get(task).json["state"], "running", "state within the slack of 1.2 s")
    eventually(lambda: daemon.get(task).json["state"] == "lost", 2)


@case("each kind of renewal keeps a run alive for another ttl", 1)
def renewals(daemon):
    kinds = {
        "same PUT": lambda task: daemon.put(task, **SHORT),
        "empty PATCH": lambda task: daemon.run("PATCH", task, "a", "{}", {"Content-Type": "application/json"}),
        "PATCH of a title": lambda task: daemon.run("PATCH", task, "a", {"title": "T"}),
    }
    tasks = {kind: suite.name() for kind in kinds}
    for task in tasks.values():
        daemon.put(task, **SHORT)
    for _ in range(2):
        time.sleep(4)
        for kind, renew in kinds.items():
            answer = renew(tasks[kind])
            equal(answer.status, 200, kind)
            near(answer.json["expiresIn"], 5, 0.01, f"expiresIn after {kind}")
    for kind, task in tasks.items():
        equal(daemon.get(task).json["state"], "running", f"state after {kind} at 4 and 8 s")


@case("a shown expiry counts down in lists and not in GET of one run")
def expires_in(daemon):
    task = suite.name()
    daemon.put(task, ttl=60)
    time.sleep(1.5)
    item = daemon.ask("GET", f"/v1/runs?task={task}").json["items"][0]
    near(item["expiresIn"], 58.5, 0.5 + suite.lag.since(0), "expiresIn")
    assert "expiresIn" not in daemon.get(task).json


@case("a renewal revives a lost run, and the screen is pending again", 2)
def revival(daemon):
    for renew in ("PUT", "PATCH"):
        task = suite.name()
        lose(daemon, task, title="Old")
        started = daemon.get(task).json["startedAt"]
        answer = daemon.run(renew, task, "a", {"title": "New", "ttl": 5})
        equal(answer.status, 200, renew)
        run = answer.json
        equal((run["state"], run["revivalCount"], run["endedAt"], run["startedAt"]), ("running", 1, None, started))
        assert run["reason"] is None, "the suspicion is taken back"
        screen = daemon.screen(task)
        equal((screen["isPending"], screen["title"]), (True, "New"))


@case("an end after the loss is accepted as late, and the screen stays idle", 3)
def late_end(daemon):
    task = suite.name()
    daemon.put(task, **SHORT)
    with daemon.stream(f"/v1/screens/{task}") as stream:
        assert stream.wait(lambda: len(stream.states) == 2, 9), "pending, then idle"
        answer = daemon.end(task)
        equal((answer.status, answer.json["state"], answer.json["isLate"]), (200, "succeeded", True))
        assert not stream.wait(lambda: len(stream.states) > 2, 0.5), "no event for a late end"
    again = daemon.end(task)
    equal((again.status, again.etag), (200, answer.etag), "the same late end again")


@case("an end and an expiry of the same moment: either way it ends as the worker said", 5)
def end_meets_expiry(daemon):
    count = 20
    task = suite.name()
    started = []
    for i in range(count):
        _, at = timed(daemon.put, task, f"r{i}", **SHORT)
        started.append(at)
    # Ends are aimed at −120…+120 ms around the expiry of each.
    for i in range(count):
        time.sleep(max(0, started[i] + LEASE + (i - count // 2) * 0.01 - time.monotonic()))
        answer = daemon.end(task, f"r{i}")
        equal((answer.status, answer.json["state"]), (200, "succeeded"))
    time.sleep(1.2)
    for i in range(count):
        run = daemon.get(task, f"r{i}").json
        equal(run["state"], "succeeded", f"run {i}")
        assert run["reason"] is None, f"an expiry that came second left its mark: {run}"
    assert daemon.screen(task)["isPending"] is False


@case("two runs of one task: the screen is pending until the last of them ends or is lost", 7)
def two_runs(daemon):
    task = suite.name()
    daemon.put(task, "a", **SHORT)
    daemon.put(task, "b", **SHORT)
    _, started = timed(daemon.put, task, "c", **SHORT)
    equal(daemon.screen(task)["runCount"], 3)
    daemon.end(task, "a")
    equal(daemon.screen(task)["isPending"], True, "after one of three")
    daemon.run("DELETE", task, "b")
    screen = daemon.screen(task)
    equal((screen["isPending"], screen["runCount"]), (True, 1), "after two of three")
    time.sleep(max(0, started + LEASE - 0.4 - suite.lag.since(started) - time.monotonic()))
    equal(daemon.screen(task)["isPending"], True, "just before the last lease ends")
    eventually(lambda: not daemon.screen(task)["isPending"], 2, "idle after the loss of the last")


# -- cancelling ----------------------------------------------------------------------------------------------

@case("a cancel request reaches the worker in its next answer, and does not renew", 11)
def cancel_running(daemon):
    task = suite.name()
    daemon.put(task, **SHORT)
    started = time.monotonic()
    time.sleep(3)
    asked = daemon.run("PATCH", task, "a", {"cancelRequested": True})
    equal((asked.status, asked.json["state"], asked.json["cancelRequested"]), (200, "running", True))
    eventually(lambda: daemon.get(task).json["state"] == "lost", 5, "the lease was not renewed")
    assert time.monotonic() - started < LEASE + 1 + suite.lag.since(started)

    task = suite.name()
    daemon.put(task)
    daemon.run("PATCH", task, "a", {"cancelRequested": True})
    for answer in (daemon.put(task, title="T"), daemon.run("PATCH", task, "a", {}), daemon.get(task)):
        equal(answer.json["cancelRequested"], True, "what the worker sees")
    equal(daemon.screen(task)["isPending"], True, "the worker decides")
    done = daemon.end(task)
    equal((done.json["state"], done.json["cancelRequested"]), ("succeeded", True), "its last word wins")


@case("a cancel request ends a lost run at once, and an ended one not at all", 11)
def cancel_not_running(daemon):
    task = suite.name()
    lose(daemon, task)
    answer = daemon.run("PATCH", task, "a", {"cancelRequested": True})
    equal((answer.status, answer.json["state"], answer.json["cancelRequested"]), (200, "canceled", True))
    equal(daemon.run("PATCH", task, "a", {"cancelRequested": True}).status, 200, "cancel on canceled")
    for final in ("succeeded", "failed"):
        daemon.put(task, final, state=final)
        problem(daemon.run("PATCH", task, final, {"cancelRequested": True}), 409, "run-ended", state=final)


@case("cancelRequested is for PATCH only")
def cancel_by_put(daemon):
    task = suite.name()
    document = problem(daemon.run("PUT", task, "a", {"cancelRequested": True}), 422, "invalid-member")
    equal(document["errors"][0]["pointer"], "/cancelRequested")
    problem(daemon.get(task), 404, "not-found")


# -- crash and clock -----------------------------------------------------------------------------------------

@case("after a crash and a pause longer than the lease each run has a full ttl, and its screen shows at once", 13)
def downtime(_):
    with temporary_directory() as place:
        with Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
            daemon.put("work", "renewed", **SHORT)
            started = daemon.put("work", "silent", **SHORT).json["startedAt"]
            daemon.put("work", "done", state="succeeded")
            first = daemon.get("work", "renewed").json["startedAt"]
            time.sleep(4)
            daemon.kill()
            time.sleep(3)
            daemon.start()
            back = time.monotonic()
            screen = daemon.screen("work")
            equal((screen["isPending"], screen["runCount"]), (True, 2), "the screen at the first look")
            equal(screen["pendingSince"], min(first, started), "earliest start of the active runs")
            equal(daemon.get("work", "silent").json["startedAt"], started)
            time.sleep(4)
            daemon.put("work", "renewed", **SHORT)
            time.sleep(max(0, back + 5.2 - time.monotonic()))
            equal(daemon.get("work", "silent").json["state"], "running", "just before a full ttl is over")
            eventually(lambda: daemon.get("work", "silent").json["state"] == "lost", 3)
            equal(daemon.get("work", "renewed").json["state"], "running")
            equal(daemon.get("work", "done").json["state"], "succeeded")


@case("a daemon that was held up takes its lateness off nobody's lease", 13)
def held_up(_):
    with Daemon() as daemon:
        _, started = timed(daemon.put, "work", "silent", **SHORT)
        daemon.put("work", "renewed", **SHORT)
        time.sleep(0.5)
        daemon.process.send_signal(signal.SIGSTOP)
        time.sleep(7)
        daemon.process.send_signal(signal.SIGCONT)
        for run in ("silent", "renewed"):
            equal(daemon.get("work", run).json["state"], "running", f"{run}, right after the standstill of 7 s")
        daemon.put("work", "renewed", **SHORT)
        eventually(lambda: daemon.get("work", "silent").json["state"] == "lost", 8, "silence still ends a run")
        # The standstill is added but for what the registry had asked to sleep anyway, at most a second.
        lasted = time.monotonic() - started
        assert LEASE + 7 - 1.5 <= lasted <= LEASE + 7 + 1 + suite.lag.since(started), f"{lasted:.2f} s"


@case("no time is accepted in a body, and ours are UTC", 14)
def no_clock_of_clients(daemon):
    task = suite.name()
    for member in ("startedAt", "endedAt", "expiresAt", "expiresIn", "timestamp", "lastRenewedAt", "revivalCount"):
        for method in ("PUT", "PATCH"):
            daemon.put(task, "there")
            run = "a" if method == "PUT" else "there"
            answer = daemon.run(method, task, run, {member: "2031-01-01T00:00:00.000Z"})
            document = problem(answer, 422, "invalid-member")
            equal(document["errors"][0]["pointer"], "/" + member)
    problem(daemon.get(task), 404, "not-found")


@case("times are UTC wherever the daemon runs", 14)
def zone(_):
    with Daemon(environment={"TZ": "Asia/Kathmandu"}) as daemon:
        started = daemon.put("t").json["startedAt"]
        assert UTC.fullmatch(started), started
        date = daemon.ask("GET", "/healthz").get("date")
        assert date.endswith(" GMT"), date
        now = time.time()
        text = {time.strftime("%Y-%m-%dT%H:%M", time.gmtime(now + shift)) for shift in (-2, 0)}
        assert started[:16] in text, (started, text)


@case("a renewal every 100 ms that changes nothing is rarely written", 15)
def quiet_renewals(_):
    with temporary_directory() as place, Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
        answer = daemon.put("t", **SHORT)
        before = journal_commits(daemon)
        deadline = time.monotonic() + 5
        with daemon.connect() as connection:
            while time.monotonic() < deadline:
                again = connection.ask("PUT", "/v1/tasks/t/runs/a", body=SHORT)
                equal((again.status, again.etag), (200, answer.etag))
                near(again.json["expiresIn"], 5, 0.01, "expiresIn")
                time.sleep(0.1)
        written = journal_commits(daemon) - before
        assert written <= 2, f"{written} commits within one ttl"


def journal_commits(daemon):
    return daemon.metrics()["pending_journal_commit_seconds_count"]


if __name__ == "__main__":
    suite.main()

