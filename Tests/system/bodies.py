#!/usr/bin/env python3
"""What a run's body and name may be, and what a real daemon makes of them.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import hashlib
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from suite import Suite, equal, near, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case


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
    seen = daemon.get(task)
    tag = hashlib.sha256(seen.body).hexdigest()[:16]
    equal(seen.etag, f'"{tag}"')
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
    old = daemon.get(task).etag
    equal(daemon.run("PUT", task, "a", {"title": "T"}, {"If-Match": old}).status, 200)
    problem(daemon.run("PUT", task, "a", {"title": "U"}, {"If-Match": old}), 412, "precondition-failed")
    problem(daemon.run("PATCH", task, "a", {}, {"If-Match": old}), 412, "precondition-failed")
    problem(daemon.run("DELETE", task, "a", None, {"If-Match": old}), 412, "precondition-failed")
    now = daemon.get(task).etag
    problem(daemon.run("PUT", task, "a", {}, {"If-Match": f"W/{now}"}), 412, "precondition-failed")
    equal(daemon.run("PUT", task, "a", {}, {"If-Match": f'"0123456789abcdef", {now}'}).status, 200, "one of a list")
    equal(daemon.run("PUT", task, "a", {}, {"If-Match": "*"}).status, 200)
    problem(daemon.run("PUT", task, "new", {}, {"If-Match": "*"}), 412, "precondition-failed")
    problem(daemon.run("PATCH", task, "new", {}, {"If-Match": "*"}), 404, "not-found")
    now = daemon.get(task).etag
    end = {"state": "succeeded"}
    equal(daemon.run("PUT", task, "a", end, {"If-Match": now}).status, 200)
    equal(daemon.run("PUT", task, "a", end, {"If-Match": now}).status, 200, "a repeated end with its old If-Match")
    problem(daemon.run("PUT", task, "a", {"state": "failed"}, {"If-Match": now}), 412, "precondition-failed")
    equal(daemon.run("DELETE", task, "a", None, {"If-Match": daemon.get(task).etag}).status, 204)
    equal(daemon.run("DELETE", task, "a", None, {"If-Match": now}).status, 204, "nothing is there to delete")


@case("one run can be waited for")
def wait_for_run(daemon):
    task = suite.name()
    etag = daemon.put(task).etag
    equal(daemon.get(task, headers={"If-None-Match": etag}).status, 304)
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
        connection.send(request_bytes("GET", f"/v1/tasks/{task}/runs/a",
                                      {"If-None-Match": answer.etag, "Prefer": "wait=10"}))
        assert connection.is_silent(0.2)
        daemon.run("DELETE", task, "a")
        problem(connection.response(), 404, "not-found")
    answer = daemon.put(task)
    before = time.monotonic()
    idle = daemon.get(task, headers={"If-None-Match": answer.etag, "Prefer": "wait=1"})
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
    problem(daemon.get(task), 404, "not-found")


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
    problem(daemon.get(task), 404, "not-found")


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
