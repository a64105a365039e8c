#!/usr/bin/env python3
"""Runs and leases against a real daemon: who is running, who is lost, whose word is the last.

A number in brackets is that of a known fault of comparable software, listed in the project's case table.
"""

import hashlib
import pathlib
import re
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, temporary_directory  # noqa: E402
from suite import Suite, equal, eventually, near, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

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


def get(daemon, task, run="a", headers=None, scope=None):
    return daemon.run("GET", task, run, headers=headers, scope=scope)


def lose(daemon, task, run="a", **members):
    """Starts a run and waits until its lease is over."""
    daemon.put(task, run, **SHORT, **members)
    time.sleep(LEASE - 0.5)
    eventually(lambda: get(daemon, task, run).json["state"] == "lost", 3, "the run is lost")


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
    run = get(daemon, task).json
    equal((run["state"], run["reason"], run["isLate"]), ("lost", "lease-expired", False))
    assert UTC.fullmatch(run["endedAt"]), run
    assert daemon.screen(task)["isPending"] is False


@case("a slack of 5 % rules above a ttl of 20 s", 1)
def long_lease(daemon):
    task = suite.name()
    daemon.put(task, ttl=24)
    time.sleep(24.6)
    equal(get(daemon, task).json["state"], "running", "state within the slack of 1.2 s")
    eventually(lambda: get(daemon, task).json["state"] == "lost", 2)


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
        equal(get(daemon, task).json["state"], "running", f"state after {kind} at 4 and 8 s")


@case("a shown expiry counts down in lists and not in GET of one run")
def expires_in(daemon):
    task = suite.name()
    daemon.put(task, ttl=60)
    time.sleep(1.5)
    item = daemon.ask("GET", f"/v1/runs?task={task}").json["items"][0]
    near(item["expiresIn"], 58.5, 0.5 + suite.lag.since(0), "expiresIn")
    assert "expiresIn" not in get(daemon, task).json


@case("a renewal revives a lost run, and the screen is pending again", 2)
def revival(daemon):
    for renew in ("PUT", "PATCH"):
        task = suite.name()
        lose(daemon, task, title="Old")
        started = get(daemon, task).json["startedAt"]
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


@case("after the end nothing brings a run back or changes it", 4)
def after_the_end(daemon):
    for final in ("succeeded", "failed", "canceled"):
        task = suite.name()
        daemon.put(task, title="T")
        daemon.put(task, state=final, title="T", reason="why")
        before = get(daemon, task)
        with daemon.stream(f"/v1/screens/{task}") as stream:
            others = [{"state": state} for state in ("succeeded", "failed", "canceled") if state != final]
            for method, body in [("PUT", {}), ("PUT", {"state": "running"}), ("PATCH", {}), ("PATCH", {"title": "x"}),
                                 *[("PUT", other) for other in others], *[("PATCH", other) for other in others]]:
                answer = daemon.run(method, task, "a", body)
                problem(answer, 409, "run-ended", state=final, endedAt=before.json["endedAt"])
            after = get(daemon, task)
            equal((after.body, after.etag), (before.body, before.etag), "the run")
            assert not stream.wait(lambda: len(stream.states) > 1, 0.3), "no event"


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
        run = get(daemon, task, f"r{i}").json
        equal(run["state"], "succeeded", f"run {i}")
        assert run["reason"] is None, f"an expiry that came second left its mark: {run}"
    assert daemon.screen(task)["isPending"] is False


@case("the same end twice: both 200, one ETag, one event", 6, 19)
def same_end_twice(daemon):
    for final in ("succeeded", "failed", "canceled"):
        task = suite.name()
        daemon.put(task)
        with daemon.stream(f"/v1/screens/{task}") as stream:
            answers = [daemon.put(task, state=final, reason="r") for _ in range(3)]
            equal({answer.status for answer in answers}, {200})
            equal(len({answer.etag for answer in answers}), 1, "ETags")
            equal(len({answer.body for answer in answers}), 1, "bodies")
            patched = daemon.run("PATCH", task, "a", {"state": final})
            equal((patched.status, patched.etag), (200, answers[0].etag), "the same end as a patch")
            assert not stream.wait(lambda: len(stream.states) > 2, 0.3), stream.states
            equal([event.json["isPending"] for event in stream.states], [True, False])


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


@case("of 20 parallel identical PUTs one creates, and all show the same run", 8)
def parallel_puts(daemon):
    for _ in range(5):
        task = suite.name()
        barrier = threading.Barrier(20)
        answers = []

        def declare(task=task, barrier=barrier, answers=answers):
            with daemon.connect() as connection:
                barrier.wait(10)
                answers.append(connection.ask("PUT", f"/v1/tasks/{task}/runs/a", body={"title": "T"}))

        threads = [threading.Thread(target=declare) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        equal(sorted(answer.status for answer in answers), [200] * 19 + [201])
        equal(len({answer.etag for answer in answers}), 1, "ETags")
        equal(len({answer.json["startedAt"] for answer in answers}), 1, "starts")
        equal(daemon.screen(task)["runCount"], 1)


@case("a POST with a key is repeated safely; another body is refused", 9)
def idempotency_key(daemon):
    task = suite.name()
    path = f"/v1/tasks/{task}/runs"
    key = {"Idempotency-Key": '"order-7.a"'}
    first = daemon.ask("POST", path, key, {"title": "T", "ttl": 30})
    equal((first.status, first.get("location")), (201, f"{path}/order-7.a"))
    equal(first.json["run"], "order-7.a")
    again = daemon.ask("POST", path, key, {"title": "T", "ttl": 30})
    equal((again.status, again.get("location"), again.etag), (200, first.get("location"), first.etag))
    problem(daemon.ask("POST", path, key, {"title": "U"}), 422, "idempotency-key-reused")
    problem(daemon.ask("POST", path, key), 422, "idempotency-key-reused")
    daemon.put(task, "order-7.a", state="succeeded", title="T", ttl=30)
    late = daemon.ask("POST", path, key, {"title": "T", "ttl": 30})
    equal((late.status, late.json["state"]), (200, "succeeded"), "a replay shows the run as it is now")
    equal(daemon.screen(task)["isPending"], False)


@case("a key must be a run id, and not that of a run which PUT made", 9)
def idempotency_key_refused(daemon):
    task = suite.name()
    path = f"/v1/tasks/{task}/runs"
    daemon.put(task, "mine")
    problem(daemon.ask("POST", path, {"Idempotency-Key": '"mine"'}, {}), 409, "run-exists")
    for bad in ('".dot"', '"a b"', '"' + "x" * 65 + '"', '""', '"a/b"'):
        equal(daemon.ask("POST", path, {"Idempotency-Key": bad}, {}).status, 400, bad)
    equal(len(daemon.ask("GET", path).json["items"]), 1, "runs")


@case("POST without a key makes a new run each time", 9)
def post_without_key(daemon):
    task = suite.name()
    path = f"/v1/tasks/{task}/runs"
    answers = [daemon.ask("POST", path, body={"title": "T"}) for _ in range(3)] + [daemon.ask("POST", path)]
    equal({answer.status for answer in answers}, {201})
    runs = {answer.json["run"] for answer in answers}
    equal(len(runs), 4, "different ids")
    for answer in answers:
        equal(answer.get("location"), f"{path}/{answer.json['run']}")
        equal(daemon.ask("GET", answer.get("location")).status, 200, "what Location names")


@case("an unknown run is 404 and makes nothing pending", 10, 17)
def unknown_run(daemon):
    task = suite.name()
    problem(get(daemon, task), 404, "not-found")
    for body in ({}, {"cancelRequested": True}, {"state": "succeeded"}, {"title": "T"}):
        problem(daemon.run("PATCH", task, "a", body), 404, "not-found")
    problem(get(daemon, task), 404, "not-found")
    equal(daemon.ask("GET", f"/v1/tasks/{task}/runs").json["items"], [])
    equal(daemon.screen(task)["isPending"], False)


@case("a cancel request reaches the worker in its next answer, and does not renew", 11)
def cancel_running(daemon):
    task = suite.name()
    daemon.put(task, **SHORT)
    started = time.monotonic()
    time.sleep(3)
    asked = daemon.run("PATCH", task, "a", {"cancelRequested": True})
    equal((asked.status, asked.json["state"], asked.json["cancelRequested"]), (200, "running", True))
    eventually(lambda: get(daemon, task).json["state"] == "lost", 5, "the lease was not renewed")
    assert time.monotonic() - started < LEASE + 1 + suite.lag.since(started)

    task = suite.name()
    daemon.put(task)
    daemon.run("PATCH", task, "a", {"cancelRequested": True})
    for answer in (daemon.put(task, title="T"), daemon.run("PATCH", task, "a", {}), get(daemon, task)):
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
    problem(get(daemon, task), 404, "not-found")


# -- progress ------------------------------------------------------------------------------------------------

@case("progress never falls within a run, and a lower report is no error", 12)
def progress_never_falls(daemon):
    task = suite.name()
    seen = []
    for completed in (20, 80, 40):
        answer = daemon.put(task, progress={"completed": completed, "total": 100})
        seen.append((answer.json["progress"]["completed"], daemon.screen(task)["fractionCompleted"]))
    equal(seen, [(20, 0.2), (80, 0.8), (80, 0.8)])
    answer = daemon.run("PATCH", task, "a", {"progress": {"completed": 10}})
    equal((answer.status, answer.json["progress"]), (200, {"completed": 80, "total": 100}))


@case("a run that joins at 0 % does not move a screen's bar back", 12)
def joining_run(daemon):
    task = suite.name()
    daemon.put(task, "a", progress={"completed": 1, "total": 2})
    daemon.put(task, "b", progress={"completed": 3, "total": 4})
    equal(daemon.screen(task)["fractionCompleted"], 0.625)
    daemon.put(task, "c", progress={"completed": 0, "total": 10})
    equal(daemon.screen(task)["fractionCompleted"], 0.625, "after the third joined")
    daemon.put(task, "c", progress={"completed": 10, "total": 10})
    equal(daemon.screen(task)["fractionCompleted"], 0.75, "mean of 1/2, 3/4 and 1")


@case("reaching the total does not end a run", 12)
def total_reached(daemon):
    task = suite.name()
    daemon.put(task, progress={"completed": 10, "total": 10})
    screen = daemon.screen(task)
    equal((screen["isPending"], screen["fractionCompleted"]), (True, 1), "10 of 10")
    daemon.put(task, progress={"completed": 12, "total": 10})
    equal(daemon.screen(task)["fractionCompleted"], 1, "12 of 10")
    equal(get(daemon, task).json["state"], "running")


# -- crash and clock -----------------------------------------------------------------------------------------

@case("after a crash and a pause longer than the lease each run has a full ttl, and its screen shows at once", 13)
def downtime(_):
    with temporary_directory() as place:
        with Daemon(journal=f"sqlite:{place}/pending.db") as daemon:
            daemon.put("work", "renewed", **SHORT)
            started = daemon.put("work", "silent", **SHORT).json["startedAt"]
            daemon.put("work", "done", state="succeeded")
            first = get(daemon, "work", "renewed").json["startedAt"]
            time.sleep(4)
            daemon.kill()
            time.sleep(3)
            daemon.start()
            back = time.monotonic()
            screen = daemon.screen("work")
            equal((screen["isPending"], screen["runCount"]), (True, 2), "the screen at the first look")
            equal(screen["pendingSince"], min(first, started), "earliest start of the active runs")
            equal(get(daemon, "work", "silent").json["startedAt"], started)
            time.sleep(4)
            daemon.put("work", "renewed", **SHORT)
            time.sleep(max(0, back + 5.2 - time.monotonic()))
            equal(get(daemon, "work", "silent").json["state"], "running", "just before a full ttl is over")
            eventually(lambda: get(daemon, "work", "silent").json["state"] == "lost", 3)
            equal(get(daemon, "work", "renewed").json["state"], "running")
            equal(get(daemon, "work", "done").json["state"], "succeeded")


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
    problem(get(daemon, task), 404, "not-found")


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


# -- set, not counter ----------------------------------------------------------------------------------------

@case("ends of runs that never started make nothing negative", 18)
def ends_without_start(daemon):
    task = suite.name()
    for run in ("x", "y", "z"):
        equal(daemon.end(task, run).status, 201)
    equal(daemon.screen(task)["isPending"], False)
    daemon.put(task, "next")
    screen = daemon.screen(task)
    equal((screen["isPending"], screen["runCount"]), (True, 1))
    problem(daemon.run("PUT", task, "x", {}), 409, "run-ended")


@case("a second start of the same run changes nothing", 7)
def second_start(daemon):
    task = suite.name()
    for _ in range(3):
        daemon.put(task)
    equal(daemon.screen(task)["runCount"], 1)
    daemon.end(task)
    equal(daemon.screen(task)["isPending"], False)


@case("silent runs are listed and show nowhere; switching is an end or a start")
def silent_runs(daemon):
    task = suite.name()
    daemon.put(task, isSilent=True)
    equal(daemon.screen(task)["isPending"], False)
    equal(len(daemon.ask("GET", f"/v1/runs?task={task}").json["items"]), 1)
    daemon.run("PATCH", task, "a", {"isSilent": False})
    screen = daemon.screen(task)
    equal((screen["isPending"], screen["runCount"]), (True, 1))
    daemon.put(task, "b", isSilent=True)
    equal(daemon.screen(task)["runCount"], 1)
    daemon.run("PATCH", task, "a", {"isSilent": True})
    equal(daemon.screen(task)["isPending"], False)


@case("DELETE ends a running run and forgets it; again it is 204 too")
def delete(daemon):
    task = suite.name()
    daemon.put(task)
    for _ in range(2):
        answer = daemon.run("DELETE", task, "a")
        equal((answer.status, answer.body, answer.get("content-length")), (204, b"", None))
        problem(get(daemon, task), 404, "not-found")
    equal(daemon.screen(task)["isPending"], False)
    equal(daemon.put(task).status, 201, "after DELETE the id is new")
    daemon.end(task)
    daemon.run("DELETE", task, "a")
    equal(daemon.put(task).status, 201, "also after an ended run's DELETE")


@case("of ended runs a task lists the last 20; older ones are remembered against ghosts")
def remembered(daemon):
    task = suite.name()
    for i in range(25):
        daemon.put(task, f"r{i:02}", state="succeeded", title="T", reason="why")
    listed = [item["run"] for item in daemon.ask("GET", f"/v1/runs?task={task}&state=all").json["items"]]
    equal(listed, [f"r{i:02}" for i in range(5, 25)])
    problem(get(daemon, task, "r00"), 404, "not-found")
    problem(daemon.run("PUT", task, "r00", {}), 409, "run-ended", state="succeeded")
    problem(daemon.run("PUT", task, "r00", {"state": "failed"}), 409, "run-ended", state="succeeded")
    same = daemon.put(task, "r00", state="succeeded", title="T", reason="why")
    equal((same.status, same.json["title"], same.json["reason"]), (200, None, None))
    equal(daemon.screen(task)["isPending"], False, "no ghost")
    equal(daemon.run("DELETE", task, "r00").status, 204)
    equal(daemon.put(task, "r00").status, 201, "DELETE forgets what was remembered too")


@case("a task's runs come running first, then the ended, newest first")
def history(daemon):
    task = suite.name()
    for run in ("a", "b", "c", "d", "e"):
        daemon.put(task, run)
        time.sleep(0.005)
    for run in ("d", "b"):
        daemon.end(task, run)
        time.sleep(0.005)
    answer = daemon.ask("GET", f"/v1/tasks/{task}/runs")
    equal([item["run"] for item in answer.json["items"]], ["e", "c", "a", "b", "d"])
    assert "next" not in answer.json


# -- lists ---------------------------------------------------------------------------------------------------

@case("a limit of a million gives 200 items and a cursor, and memory stays flat", 16)
def big_list(_):
    with Daemon() as daemon:
        fill(daemon, tasks=100, runs=100)
        daemon.ask("GET", "/v1/runs?limit=1000000")
        before = daemon.resident_kib()
        with daemon.connect() as connection:
            for _ in range(100):
                page = connection.ask("GET", "/v1/runs?limit=1000000&state=all")
                equal((page.status, len(page.json["items"])), (200, 200))
                assert page.json["next"]
        grown = daemon.resident_kib() - before
        assert grown < 4096, f"{grown} KiB more after 100 lists"
        # The 101st of a task, then the 10 001st of the scope.
        over = daemon.run("PUT", "task.000", "one-more", {})
        problem(over, 429, "quota-exceeded")
        assert int(over.get("retry-after")) > 0
        problem(daemon.run("PUT", "other", "a", {}), 429, "quota-exceeded")
        equal(daemon.run("PUT", "other", "a", {}, scope="acme").status, 201, "another scope has its own")
        equal(daemon.put("task.000", "r000").status, 200, "a known run is renewed all the same")
        equal(daemon.end("task.000", "r001").status, 200)
        equal(daemon.put("other", "a").status, 201, "room again after an end")


def fill(daemon, tasks, runs):
    """Starts ``tasks`` × ``runs`` runs, pipelined over a few connections."""

    def worker(part):
        with daemon.connect(timeout=60) as connection:
            for task in range(part, tasks, 8):
                for run in range(runs):
                    connection.send(request_bytes("PUT", f"/v1/tasks/task.{task:03}/runs/r{run:03}", body="{}",
                                                  headers={"Content-Type": "application/json"}))
                for _ in range(runs):
                    equal(connection.response("PUT").status, 201)

    threads = [threading.Thread(target=worker, args=(part,)) for part in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@case("a cursor walks all runs once in order, whatever starts and ends meanwhile", 16)
def cursor_walk(daemon):
    scope, task = suite.name("s"), suite.name()
    path = f"/v1/scopes/{scope}/runs"
    stable = [(f"{task}.{a}", f"r{b:02}") for a in ("a", "b", "c-d", "c.d", "c_d") for b in range(9)]
    for name, run in stable:
        daemon.put(name, run, scope=scope)
    seen, cursor, pages = [], "", 0
    while cursor is not None:
        answer = daemon.ask("GET", f"{path}?limit=7&state=running{cursor}")
        equal(answer.status, 200)
        page = answer.json
        seen += [(item["task"], item["run"]) for item in page["items"]]
        assert len(page["items"]) <= 7
        cursor = f"&cursor={page['next']}" if "next" in page else None
        pages += 1
        # A disturbance before and behind the cursor; the walk must neither skip nor repeat the others.
        daemon.put(f"{task}.a", f"extra{pages:02}", scope=scope)
        daemon.run("DELETE", f"{task}.a", f"extra{pages - 1:02}", scope=scope)
    equal([entry for entry in seen if not entry[1].startswith("extra")],
          sorted(stable, key=lambda entry: (entry[0].encode(), entry[1].encode())))
    equal(len(seen), len(set(seen)), "nothing twice")


@case("a page that ends exactly at the last run has no next")
def exact_page(daemon):
    scope = suite.name("s")
    for i in range(4):
        daemon.put("t", f"r{i}", scope=scope)
    page = daemon.ask("GET", f"/v1/scopes/{scope}/runs?limit=4").json
    equal(len(page["items"]), 4)
    assert "next" not in page, page


@case("a cursor is bound to its filter; a broken one and odd limits are refused", 16)
def cursor_refused(daemon):
    scope = suite.name("s")
    for i in range(5):
        daemon.put("t", f"r{i}", scope=scope)
        daemon.put("u", f"r{i}", scope=scope, state="failed")
    path = f"/v1/scopes/{scope}/runs"
    cursor = daemon.ask("GET", f"{path}?state=all&limit=2").json["next"]
    equal(daemon.ask("GET", f"{path}?state=all&limit=3&cursor={cursor}").status, 200, "another limit is fine")
    for query in (f"limit=2&cursor={cursor}", f"state=failed&cursor={cursor}", f"state=all&task=t&cursor={cursor}",
                  "cursor=nonsense", "cursor=", "cursor=" + "A" * 500):
        problem(daemon.ask("GET", f"{path}?{query}"), 400, "invalid-parameter", parameter="cursor")
    problem(daemon.ask("GET", f"/v1/runs?state=all&cursor={cursor}"), 400, "invalid-parameter", parameter="cursor")
    for limit in ("0", "-1", "x", "", "1.5", "99999999999999999999999x"):
        problem(daemon.ask("GET", f"{path}?limit={limit}"), 400, "invalid-parameter", parameter="limit")
    problem(daemon.ask("GET", f"{path}?state=running&state=lost"), 400, "invalid-parameter", parameter="state")
    problem(daemon.ask("GET", f"{path}?state=pending"), 400, "invalid-parameter", parameter="state")
    for fine in ("flavour=sour", "flavour=sour&flavour=sweet", "limit=99999999999999999999999999"):
        equal(daemon.ask("GET", f"{path}?{fine}").status, 200, fine)


@case("lists filter by state and task; running is the default")
def list_filters(daemon):
    scope = suite.name("s")
    daemon.put("t", "run", scope=scope)
    for final in ("succeeded", "failed", "canceled"):
        daemon.put("t", final, state=final, scope=scope)
    daemon.put("t.sub", "run", scope=scope)
    path = f"/v1/scopes/{scope}/runs"

    def listed(query):
        return [(item["task"], item["run"]) for item in daemon.ask("GET", path + query).json["items"]]

    equal(listed(""), [("t", "run"), ("t.sub", "run")])
    equal(listed("?state=running&task=t"), [("t", "run")])
    for final in ("succeeded", "failed", "canceled"):
        equal(listed(f"?state={final}"), [("t", final)])
    equal(listed("?state=lost"), [])
    equal(listed("?state=all&task=t"), [("t", run) for run in ("canceled", "failed", "run", "succeeded")])


# -- bodies --------------------------------------------------------------------------------------------------

@case("no body, an empty object and curl's default type all start a run")
def lenient_starts(daemon):
    for body, kind in ((None, None), ("{}", None), ("{}", "application/json"), ("", None),
                       ("{}", "application/json; charset=utf-8"), ("{}", "application/merge-patch+json"),
                       ('{"title":"T"}', "application/x-www-form-urlencoded")):
        answer = daemon.ask("PUT", f"/v1/tasks/{suite.name()}/runs/a", {"Content-Type": kind} if kind else None, body)
        equal((answer.status, answer.json["state"], answer.json["ttl"]), (201, "running", 60), f"{body} {kind}")


@case("the whole of a run is what the last PUT said; a PATCH merges")
def put_and_patch(daemon):
    task = suite.name()
    daemon.put(task, title="T", priority=7, ttl=30, progress={"completed": 1, "total": 4})
    patched = daemon.run("PATCH", task, "a", {"priority": 9, "progress": {"completed": 2}})
    run = patched.json
    equal((run["title"], run["priority"], run["ttl"], run["progress"]), ("T", 9, 30, {"completed": 2, "total": 4}))
    run = daemon.run("PATCH", task, "a", {"title": None, "progress": None, "priority": None, "ttl": None}).json
    equal((run["title"], run["priority"], run["ttl"], run["progress"]), (None, 0, 60, None))
    daemon.put(task, title="T", priority=7)
    run = daemon.put(task).json
    equal((run["title"], run["priority"]), (None, 0), "PUT of nothing")
    problem(daemon.run("PATCH", task, "a", {"progress": {"completed": 1}}), 422, "invalid-member")


@case("an ETag is the hash of what GET shows; PUT, PATCH and GET agree on it")
def run_etag(daemon):
    task = suite.name()
    put = daemon.put(task, title="Größe…", ttl=30)
    seen = get(daemon, task)
    token = hashlib.sha256(seen.body).hexdigest()[:16]
    equal(seen.etag, f'"{token}"')
    equal(put.etag, seen.etag)
    equal(daemon.run("PATCH", task, "a", {}).etag, seen.etag, "a renewal changes nothing that GET shows")
    equal(daemon.put(task, title="Größe…", ttl=30).etag, seen.etag)
    assert daemon.put(task, title="Other", ttl=30).etag != seen.etag
    equal(set(seen.json) | {"expiresIn"}, set(put.json), "members")


@case("preconditions on runs: create only, match, and the end that is already so")
def preconditions(daemon):
    task = suite.name()
    equal(daemon.run("PUT", task, "a", {}, {"If-None-Match": "*"}).status, 201)
    refused = daemon.run("PUT", task, "a", {}, {"If-None-Match": "*"})
    assert problem(refused, 412, "precondition-failed")["current"], "what is there instead"
    old = get(daemon, task).etag
    equal(daemon.run("PUT", task, "a", {"title": "T"}, {"If-Match": old}).status, 200)
    problem(daemon.run("PUT", task, "a", {"title": "U"}, {"If-Match": old}), 412, "precondition-failed")
    problem(daemon.run("PATCH", task, "a", {}, {"If-Match": old}), 412, "precondition-failed")
    problem(daemon.run("DELETE", task, "a", None, {"If-Match": old}), 412, "precondition-failed")
    now = get(daemon, task).etag
    problem(daemon.run("PUT", task, "a", {}, {"If-Match": f"W/{now}"}), 412, "precondition-failed")
    equal(daemon.run("PUT", task, "a", {}, {"If-Match": f'"0123456789abcdef", {now}'}).status, 200, "one of a list")
    equal(daemon.run("PUT", task, "a", {}, {"If-Match": "*"}).status, 200)
    problem(daemon.run("PUT", task, "new", {}, {"If-Match": "*"}), 412, "precondition-failed")
    problem(daemon.run("PATCH", task, "new", {}, {"If-Match": "*"}), 404, "not-found")
    now = get(daemon, task).etag
    end = {"state": "succeeded"}
    equal(daemon.run("PUT", task, "a", end, {"If-Match": now}).status, 200)
    equal(daemon.run("PUT", task, "a", end, {"If-Match": now}).status, 200, "a repeated end with its old If-Match")
    problem(daemon.run("PUT", task, "a", {"state": "failed"}, {"If-Match": now}), 412, "precondition-failed")
    equal(daemon.run("DELETE", task, "a", None, {"If-Match": get(daemon, task).etag}).status, 204)
    equal(daemon.run("DELETE", task, "a", None, {"If-Match": now}).status, 204, "nothing is there to delete")


@case("one run can be waited for")
def wait_for_run(daemon):
    task = suite.name()
    etag = daemon.put(task).etag
    equal(get(daemon, task, headers={"If-None-Match": etag}).status, 304)
    with daemon.connect() as connection:
        connection.send(request_bytes("GET", f"/v1/tasks/{task}/runs/a",
                                      {"If-None-Match": etag, "Prefer": "wait=10"}))
        time.sleep(0.3)
        daemon.run("PATCH", task, "a", {})
        assert connection.is_silent(0.3), "a renewal is no change"
        before = time.monotonic()
        daemon.run("PATCH", task, "a", {"cancelRequested": True})
        answer = connection.response()
        equal((answer.status, answer.json["cancelRequested"], answer.get("preference-applied")),
              (200, True, "wait=10"))
        assert time.monotonic() - before < 0.5 + suite.lag.since(before)
    before = time.monotonic()
    idle = get(daemon, task, headers={"If-None-Match": answer.etag, "Prefer": "wait=1"})
    equal((idle.status, idle.get("preference-applied")), (304, "wait=1"))
    near(time.monotonic() - before, 1.0, 0.4 + suite.lag.since(before), "seconds of waiting")


@case("a wrong member is refused with its pointer, and nothing is stored")
def invalid_members(daemon):
    task = suite.name()
    wrong = [
        ({"state": "lost"}, "/state"), ({"state": "Running"}, "/state"), ({"state": 1}, "/state"),
        ({"title": 5}, "/title"), ({"title": "x" * 201}, "/title"), ({"title": "a\nb"}, "/title"),
        ({"title": "a\u2028b"}, "/title"), ({"title": "a\u2029b"}, "/title"), ({"title": "a\x07"}, "/title"),
        ({"title": "a\x7f"}, "/title"), ({"title": "a\u0085"}, "/title"), ({"title": "a\u202eb"}, "/title"),
        ({"title": "a\u2066b"}, "/title"), ({"title": "\x00"}, "/title"), ({"reason": "r" * 2001}, "/reason"),
        ({"reason": "a\rb"}, "/reason"), ({"priority": 1001}, "/priority"), ({"priority": -1001}, "/priority"),
        ({"priority": 0.5}, "/priority"), ({"priority": "1"}, "/priority"), ({"ttl": 4}, "/ttl"),
        ({"ttl": 86401}, "/ttl"), ({"ttl": 5.5}, "/ttl"), ({"ttl": True}, "/ttl"), ({"isSilent": 1}, "/isSilent"),
        ({"progress": 0.5}, "/progress"), ({"progress": {"completed": 1, "total": 0}}, "/progress/total"),
        ({"progress": {"completed": -1, "total": 1}}, "/progress/completed"),
        ({"progress": {"completed": 2**53, "total": 1}}, "/progress/completed"),
        ({"progress": {"completed": 1, "total": 2, "unit": "B"}}, "/progress/unit"),
        ({"colour": "red"}, "/colour"), ({"a/b~c": 1}, "/a~1b~0c"),
    ]
    for body, pointer in wrong:
        document = problem(daemon.run("PUT", task, "a", body), 422, "invalid-member")
        assert any(error["pointer"] == pointer and error["detail"] for error in document["errors"]), (body, document)
    for body in ({"progress": {"completed": 1}}, {"progress": {"total": 1}}):
        problem(daemon.run("PUT", task, "a", body), 422, "invalid-member")
    problem(get(daemon, task), 404, "not-found")


@case("what is at a bound is accepted")
def members_at_bounds(daemon):
    for members in ({"title": "🚀" * 200}, {"title": ""}, {"reason": "r" * 2000}, {"priority": 1000},
                    {"priority": -1000}, {"ttl": 5}, {"ttl": 86400}, {"title": "a\u200db שלום"},
                    {"progress": {"completed": 2**53 - 1, "total": 2**53 - 1}}, {"title": None}, {"progress": None}):
        answer = daemon.put(suite.name(), **members)
        name, value = next(iter(members.items()))
        equal((answer.status, answer.json[name]), (201, value))


@case("damaged JSON is 400, never a guess")
def invalid_json(daemon):
    task = suite.name()
    damaged = [b"{", b'{"title":"a","title":"b"}', b'{"title":"\\ud800"}',
               b'{"title":"\\udc00x"}', b'{"title":"\xff"}', b'{"title":"\xed\xa0\x80"}', b"{} {}", b"{'a':1}",
               b'{"title":"a",}', b'{"ttl":NaN}', b'{"ttl":01}', b"\xef\xbb\xbf{}", b'{"title":"a\nb"}',
               b'{"progress":' + b"[" * 17 + b"]" * 17 + b"}", b'{"x":' * 20 + b"1" + b"}" * 20]
    for body in damaged:
        answer = daemon.run("PUT", task, "a", body, {"Content-Type": "application/json"})
        problem(answer, 400, "invalid-json")
    for body in (b"[]", b"1", b"null", b'"x"', b"true"):
        for method in ("PUT", "PATCH"):
            answer = daemon.run(method, task, "a", body, {"Content-Type": "application/json"})
            assert answer.status in (400, 422) or (method == "PATCH" and answer.status == 404), (body, answer)
    problem(get(daemon, task), 404, "not-found")


@case("other body types are 415 and name curl's --json")
def body_types(daemon):
    task = suite.name()
    for kind in ("text/plain", "application/xml", "multipart/form-data; boundary=x", "application/jsonx", "json"):
        document = problem(daemon.run("PUT", task, "a", "{}", {"Content-Type": kind}), 415, "unsupported-media-type")
        assert "--json" in document["detail"], document


@case("names are refused, never repaired")
def names(daemon):
    long = "x" * 128
    for good in ("a", "0", long, "a.b.c.d.e.f.g.h", "A_-z", "a..b", "%61bc", "chats%2Esync"):
        equal(daemon.ask("PUT", f"/v1/tasks/{good}/runs/names").status in (200, 201), True, good)
    equal(daemon.ask("GET", "/v1/tasks/abc/runs/names").status, 200, "one percent-decoding")
    for bad in (long + "x", ".a", "-a", "_a", "a.b.c.d.e.f.g.h.i", "a%20b", "caf%C3%A9", "a%2Fb", "a%00", "%2561",
                "a%zz", "a%", "a*", "a~", "%C3"):
        problem(daemon.ask("PUT", f"/v1/tasks/{bad}/runs/a"), 400, "invalid-name")
        problem(daemon.ask("GET", f"/v1/screens/{bad}"), 400, "invalid-name")
    for bad in (".a", "x" * 65, "a%20b", "a%2Fb"):
        problem(daemon.ask("PUT", f"/v1/tasks/t/runs/{bad}"), 400, "invalid-name")
    for good in ("-a", "_a", "x" * 64, "a.b.c.d.e.f.g.h.i.j"):
        equal(daemon.ask("PUT", f"/v1/tasks/t/runs/{good}").status, 201, good)
    for bad in ("a.b.c.d.e", "a..b", ".a", "a.", "x" * 65, "a%20b"):
        problem(daemon.ask("GET", f"/v1/scopes/{bad}/runs"), 400, "invalid-name")
    for good in ("a.b.c.d", "_a-.-", "x" * 64):
        equal(daemon.ask("GET", f"/v1/scopes/{good}/runs").status, 200, good)


if __name__ == "__main__":
    suite.main()
