#!/usr/bin/env python3
"""What a worker's words do to a run when they come twice, at once, too late, or for a run that nobody knows.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from suite import Suite, equal, problem  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case


@case("after the end nothing brings a run back or changes it", 4)
def after_the_end(daemon):
    for final in ("succeeded", "failed", "canceled"):
        task = suite.name()
        daemon.put(task, title="T")
        daemon.put(task, state=final, title="T", reason="why")
        before = daemon.get(task)
        with daemon.stream(f"/v1/screens/{task}") as stream:
            others = [{"state": state} for state in ("succeeded", "failed", "canceled") if state != final]
            for method, body in [("PUT", {}), ("PUT", {"state": "running"}), ("PATCH", {}), ("PATCH", {"title": "x"}),
                                 *[("PUT", other) for other in others], *[("PATCH", other) for other in others]]:
                answer = daemon.run(method, task, "a", body)
                problem(answer, 409, "run-ended", state=final, endedAt=before.json["endedAt"])
            after = daemon.get(task)
            equal((after.body, after.etag), (before.body, before.etag), "the run")
            assert not stream.wait(lambda: len(stream.states) > 1, 0.3), "no event"


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
    problem(daemon.get(task), 404, "not-found")
    for body in ({}, {"cancelRequested": True}, {"state": "succeeded"}, {"title": "T"}):
        problem(daemon.run("PATCH", task, "a", body), 404, "not-found")
    problem(daemon.get(task), 404, "not-found")
    equal(daemon.ask("GET", f"/v1/tasks/{task}/runs").json["items"], [])
    equal(daemon.screen(task)["isPending"], False)


if __name__ == "__main__":
    suite.main()

