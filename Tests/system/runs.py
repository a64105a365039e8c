#!/usr/bin/env python3
"""Runs against a real daemon: a set and never a counter, progress, lists.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from suite import Suite, equal, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case

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
    equal(daemon.get(task).json["state"], "running")


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
        problem(daemon.get(task), 404, "not-found")
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
    problem(daemon.get(task, "r00"), 404, "not-found")
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


if __name__ == "__main__":
    suite.main()
