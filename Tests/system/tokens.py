#!/usr/bin/env python3
"""Tokens and what they allow, asked of a real daemon: the matrix, scopes, tasks, streams that lose their right.

    Tests/system/tokens.py --inside table     prints the matrix of docs/security.md
"""

import concurrent.futures
import pathlib
import random
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import ROOT, Daemon, fails, run_binary, temporary_directory  # noqa: E402
from permissions import PERMISSIONS, REQUESTS, Guarded, Key, asked, file_of, grant, table  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402

suite = Suite(workers=8)
case = suite.case
SSE = {"Accept": "text/event-stream"}


@case("each permission allows what the matrix says and nothing else, and docs/security.md shows that matrix")
def matrix(_):
    keys = {one: Key(one.replace(":", "-"), grant(one, scope=">")) for one in PERMISSIONS}
    pairs = {(a, b): Key(f"{a}.{b}".replace(":", "-"), grant(a, b)) for a in PERMISSIONS for b in PERMISSIONS if a < b}
    root = Key("root", grant(*PERMISSIONS))
    with Guarded(root, *keys.values(), *pairs.values()) as daemon:
        for label, method, path, body, enough in REQUESTS:
            for scope in ("/v1", "/v1/scopes/acme.u-42"):
                target = path.format(scope=scope)
                for key, held in [*((keys[one], {one}) for one in keys), *((pairs[pair], set(pair)) for pair in pairs)]:
                    asked(daemon, root, "PUT", f"{scope}/tasks/a.b/runs/1", {})
                    answer = asked(daemon, key, method, target, body)
                    if any(held >= set(all_of) for all_of in enough):
                        assert answer.status < 300, (label, held, answer)
                    else:
                        problem(answer, 403, "forbidden")
    assert table() in (ROOT / "docs/security.md").read_text(encoding="utf-8"), "docs/security.md has another matrix"


@case("random grants against a model in words: as many requests are let in as it says, in reads, writes and streams")
def random_grants(_):
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    scopes = ["", "acme", "acme.u-4", "acme.u-42", "acme.u-42.x", "acme2", "u-42"]
    tasks = ["chats", "chats.sync", "chats2", "photos.up"]
    patterns = [*scopes, *(f"{one}.>" for one in scopes if one), ">"]

    def some_grant():
        some = grant(*chance.sample(PERMISSIONS, chance.randrange(0, 6)), scope=chance.choice([*patterns, ">", "acme.>"]))
        if chance.random() < 0.4:
            some["tasks"] = chance.sample(["chats", "chats.*", "chats*", "photos.*", "*"], chance.randrange(0, 3))
        return some

    keys = [Key(f"k{index}", *(some_grant() for _ in range(chance.randrange(0, 6)))) for index in range(40)]
    let_in = 0
    with Guarded(*keys) as daemon:
        for _ in range(4_000):
            key, scope, task = chance.choice(keys), chance.choice(scopes), chance.choice(tasks)
            prefix = f"/v1/scopes/{scope}" if scope else "/v1"
            run = f"{prefix}/tasks/{task}/runs/{chance.randrange(1 << 60)}"
            method, target, body, allowed = chance.choice([
                ("PUT", run, {}, key.may("tasks:write", scope, task)),
                ("DELETE", run, None, key.may("tasks:write", scope, task)),
                ("POST", f"{prefix}/tasks/{task}/runs", {}, key.may("tasks:write", scope, task)),
                ("PATCH", run, {}, key.may("tasks:write", scope, task)),
                ("PATCH", run, {"cancelRequested": True}, key.may("tasks:cancel", scope, task)),
                ("GET", run, None, key.may("tasks:read", scope, task)),
                ("GET", f"{prefix}/tasks/{task}/runs", None, key.may("tasks:read", scope, task)),
                ("GET", f"{prefix}/runs", None, key.may("tasks:read", scope)),
                ("GET", f"{prefix}/runs?task={task}", None, key.may("tasks:read", scope, task)),
                ("GET", f"{prefix}/screens/chats", None, key.may("screens:read", scope)),
                ("HEAD", f"{prefix}/screens/chats", None, key.may("screens:read", scope)),
                ("GET", f"{prefix}/screens", None, key.may("screens:read", scope)),
                ("GET", f"{prefix}/screens?id=a&id=b:10x10", None, key.may("screens:read", scope)),
                ("GET", f"{prefix}/screens/chats?format=svg", None, key.may("screens:read", scope)),
                ("HEAD", f"{prefix}/screens/chats?format=sse", None, key.may("screens:read", scope)),
                ("PUT", "/v1/screens/a/configuration", {}, key.may("screens:write", "")),
                ("GET", "/metrics", None, any("admin" in one["allow"] for one in key.grants)),
            ])
            answer = asked(daemon, key, method, target, body)
            # 404, 429: it was looked at, so it was let in.
            equal(answer.status != 403, allowed, f"seed {seed}: {method} {target} {body} by {key.grants}: {answer}")
            let_in += allowed
    assert 400 < let_in < 3_600, let_in


@case("without a token, with a damaged one, with two, or in another scheme: 401, whatever is there; what is public stays open")
def unauthenticated(_):
    key = Key("worker", grant(*PERMISSIONS))
    with Guarded(key) as daemon:
        wrong = key.secret[:-1] + ("A" if key.secret[-1] != "A" else "B")
        for value in (None, "", "Bearer", "Bearer ", f"Basic {key.secret}", key.secret, f"Bearer {wrong}",
                      f"Bearer {key.secret[:-1]}", f"Bearer {key.secret} x", f"Bearer  x{key.secret}", "Bearer \"\"",
                      f"Bearer {key.entry['sha256']}"):
            fields = {} if value is None else {"Authorization": value}
            for method, target in (("GET", "/v1/screens/a"), ("GET", "/v1/screens"), ("PUT", "/v1/tasks/a/runs/1"),
                                   ("GET", "/v1/tasks/a/runs/1"), ("GET", "/v1/runs"), ("GET", "/metrics"),
                                   ("GET", "/v1/tasks/-/runs/1"), ("DELETE", "/v1/screens/a/configuration")):
                answer = daemon.ask(method, target, fields)
                problem(answer, 401, "unauthenticated")
                equal(answer.get("www-authenticate"), 'Bearer realm="pending"')
                assert key.secret not in str(answer.body) and wrong not in str(answer.body), answer
        twice = (f"GET /v1/screens/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key.secret}\r\n"
                 f"Authorization: Bearer {key.secret}\r\n\r\n").encode()
        problem(daemon.raw(twice), 401, "unauthenticated")
        for value in (f"Bearer {key.secret}", f"bearer {key.secret}", f"BEARER   {key.secret}"):
            equal(daemon.ask("GET", "/v1/screens/a", {"Authorization": value}).status, 200)
        for target in ("/healthz", "/readyz", "/pending.js", "/"):
            equal(daemon.ask("GET", target).status, 200, target)
        equal(daemon.ask("OPTIONS", "/v1/screens/a").status, 204)
        equal(daemon.ask("GET", "/v2").status, 404)
        equal(asked(daemon, key, "GET", "/v1/tasks/-/runs/1").status, 400, "a name is looked at afterwards")


@case("what is hot is asked for a token as well: a poll that was answered is not answered to somebody else")
def hot(_):
    own, other = (Key(name, grant("screens:read", scope=name)) for name in ("acme", "umbrella"))
    with Guarded(own, other, flags=("--loops", 1)) as daemon, daemon.connect() as connection:
        for _ in range(5):
            equal(connection.ask("GET", "/v1/scopes/acme/screens/a", own.fields).status, 200)
            equal(connection.ask("GET", "/v1/scopes/acme/screens/a", other.fields).status, 403)
            equal(connection.ask("GET", "/v1/scopes/acme/screens/a").status, 401)


@case("403 comes before anything is looked for: it says the same of what is there, what is not, and what is damaged")
def nothing_shows(_):
    key, root = Key("viewer", grant("tasks:read", scope="acme")), Key("root", grant(*PERMISSIONS))
    with Guarded(key, root) as daemon:
        asked(daemon, root, "PUT", "/v1/scopes/umbrella/tasks/a/runs/there", {})
        bodies = {re.sub(rb'"requestId":"[^"]*"', b"", asked(daemon, key, method, target, body, **fields).body)
                  for method, target, body, fields in (
                      ("GET", "/v1/scopes/umbrella/tasks/a/runs/there", None, {}),
                      ("GET", "/v1/scopes/umbrella/tasks/a/runs/absent", None, {}),
                      ("PUT", "/v1/scopes/umbrella/tasks/a/runs/there", {"unknown": 1}, {}),
                      ("PUT", "/v1/scopes/umbrella/tasks/a/runs/there", {}, {"If-Match": '"x"'}),
                      ("GET", "/v1/scopes/umbrella/runs?cursor=damaged", None, {}))}
        equal(len(bodies), 1, bodies)


@case("a viewer sees what runs of the scopes above do to its screens, and cannot read these runs")
def ancestors(_):
    viewer = Key("viewer", grant("screens:read", "tasks:read", scope="acme.u-42"))
    root = Key("root", grant("tasks:write"))
    with Guarded(viewer, root) as daemon:
        asked(daemon, root, "PUT", "/v1/tasks/chats.x/runs/1", {"title": "Maintenance…"})
        state = asked(daemon, viewer, "GET", "/v1/scopes/acme.u-42/screens/chats").json
        equal((state["isPending"], state["title"]), (True, "Maintenance…"))
        problem(asked(daemon, viewer, "GET", "/v1/tasks/chats.x/runs/1"), 403, "forbidden")
        problem(asked(daemon, viewer, "GET", "/v1/runs"), 403, "forbidden")
        problem(asked(daemon, viewer, "GET", "/v1/screens/chats"), 403, "forbidden")
        problem(asked(daemon, viewer, "GET", "/v1/scopes/acme.u-421/screens/chats"), 403, "forbidden")


@case("within a second of losing its token a stream ends with unauthenticated and a long pause, a long poll is 401 or 403")
def revoked(_):
    reader, weaker, other = (Key(name, grant("screens:read", "tasks:read", "tasks:write")) for name in "abc")
    with Guarded(reader, weaker, other, flags=("--loops", 2)) as daemon:
        asked(daemon, other, "PUT", "/v1/tasks/s/runs/1", {})
        run_tag = asked(daemon, other, "GET", "/v1/tasks/s/runs/1").etag
        tag = asked(daemon, other, "GET", "/v1/screens/s").etag
        streams = {key: [daemon.stream(target, {**SSE, **key.fields}) for target in ("/v1/screens/s", "/v1/screens?id=s")]
                   for key in (reader, weaker, other)}
        for opened in streams.values():
            for stream in opened:
                assert stream.next()
        with concurrent.futures.ThreadPoolExecutor() as pool:
            polls = [(key, pool.submit(asked, daemon, key, "GET", target, **{"If-None-Match": one, "Prefer": "wait=30"}))
                     for key in (reader, weaker) for target, one in (("/v1/screens/s", tag), ("/v1/tasks/s/runs/1", run_tag))]
            eventually(lambda: daemon.log().count("Listening") and sum(not one.done() for _, one in polls) == 4)
            time.sleep(0.3)
            weaker.grants = [grant("tasks:write")]
            began = time.monotonic()
            daemon.give(weaker, other)
            for key, poll in polls:
                problem(poll.result(10), *((401, "unauthenticated") if key is reader else (403, "forbidden")))
            for key in (reader, weaker):
                for stream in streams[key]:
                    event = stream.next()
                    equal((event.kind, event.json), ("close", {"reason": "unauthenticated"}))
                    assert stream.has_ended() and stream.retry == 60_000, "and the end, for a minute"
            assert time.monotonic() - began < 1 + 2 * suite.lag.since(0), "within a second"
        problem(asked(daemon, reader, "GET", "/v1/screens/s"), 401, "unauthenticated")
        problem(asked(daemon, weaker, "GET", "/v1/screens/s"), 403, "forbidden")
        asked(daemon, other, "PUT", "/v1/tasks/s/runs/1", {"title": "Still here"})
        for stream in streams[other]:
            equal(stream.next().json["title"], "Still here")


@case("a file of tokens with a fault stops the start with 78 and a line that names it; at SIGHUP it changes nothing")
def faults(_):
    good = Key("good", grant("screens:read"))
    entry = good.entry
    with temporary_directory() as directory:
        path = pathlib.Path(directory, "tokens.json")
        for text, named in (
                ("", "invalid JSON"), ("{", "invalid JSON"), ("[]", "object"), ("{}", "/keys"), ('{"keys":{}}', "/keys"),
                (file_of(good).replace('"id": "good"', '"id": "no good"'), "/keys/0/id"),
                (file_of(good).replace(entry["sha256"], "0" * 63), "/keys/0/sha256"),
                (file_of(good).replace("screens:read", "screens:all"), "/keys/0/grants/0/allow/0"),
                (file_of(good).replace('">"', '"acme.*"'), "/keys/0/grants/0/scope"),
                (file_of(good).replace('"scope": ">"', '"scope": ">", "tasks": ["a b"]'), "/keys/0/grants/0/tasks/0"),
                (file_of(good).replace('"scope": ">"', '"scope": ">", "task": []'), "/keys/0/grants/0/task"),
                (file_of(good).replace('"grants"', '"grant"'), "/keys/0/grants"),
                (file_of(good, good), "/keys/1"), (file_of(good).replace("}]}]}", '}]}],"keys":[]}'), "invalid JSON")):
            path.write_text(text)
            line = fails(78, "--tokens", path, "--journal", "memory")
            assert named in line and entry["sha256"] not in line, (text, line)
        fails(78, "--tokens", path.with_name("absent"), "--journal", "memory")
    with Guarded(good) as daemon:
        daemon.write("tokens.json", "{")
        daemon.hang_up()
        eventually(lambda: "The tokens stay as they are" in daemon.log())
        equal(asked(daemon, good, "GET", "/v1/screens/a").status, 200)


@case("--new-key prints a token and its entry, which work together; each time others; an id that is none is refused")
def new_key(_):
    first, second = (run_binary("--new-key", "worker").stdout for _ in range(2))
    secret, entry = (line.strip() for line in first.splitlines() if line.startswith("  "))
    assert re.fullmatch(r"[A-Za-z0-9_-]{43}", secret), secret
    assert secret not in second and entry not in second
    with temporary_directory() as directory:
        path = pathlib.Path(directory, "tokens.json")
        path.write_text(f'{{"keys":[{entry}]}}')
        with Daemon("--tokens", path) as daemon:
            fields = {"Authorization": f"Bearer {secret}"}
            equal(daemon.ask("PUT", "/v1/tasks/a/runs/1", fields, {}).status, 201)
            equal(daemon.ask("GET", "/v1/screens/a", fields).status, 403)
    equal(run_binary("--new-key", "no good").returncode, 64)


@case("with tokens it may listen beyond loopback, and any name and page may ask: they cannot make anyone's token come along")
def exposure(_):
    key = Key("reader", grant("screens:read", "tasks:write"))
    fails(64, "--listen", "0.0.0.0:0")
    with Guarded(key, listen="0.0.0.0:0", wait_for=None) as daemon:
        eventually(lambda: "Listening" in daemon.log(), 10)
    with Guarded(key) as daemon:
        equal(asked(daemon, key, "GET", "/v1/screens/a", Host="pending.example").status, 200)
        equal(asked(daemon, None, "GET", "/v1/screens/a", Host="pending.example").status, 401)
        equal(asked(daemon, key, "PUT", "/v1/tasks/a/runs/1", {}, Origin="https://evil.example").status, 201)


@case("no token and no part of one gets into the log, the metrics, an answer or the process's title")
def no_leak(_):
    key = Key("worker", grant(*PERMISSIONS))
    wrong = Key("wrong", grant(*PERMISSIONS))
    with Guarded(key, flags=("--log-level", "info")) as daemon:
        seen = []
        for one in (key, wrong):
            for method, target, body in (
                    ("PUT", f"/v1/tasks/a/runs/1?token={one.secret}", {}), ("GET", f"/v1/screens/a?token={one.secret}", None),
                    ("GET", f"/v1/screens/a?width={one.secret}", None), ("PUT", "/v1/tasks/a/runs/2", {"x": 1}),
                    ("GET", "/v1/runs?cursor=x", None), ("GET", "/v2", None)):
                seen.append(asked(daemon, one, method, target, body))
        seen.append(asked(daemon, key, "GET", "/metrics"))
        daemon.write("tokens.json", file_of(key).replace("screens:read", key.secret))
        daemon.hang_up()
        eventually(lambda: "The tokens stay" in daemon.log())
        title = pathlib.Path(f"/proc/{daemon.process.pid}/cmdline").read_text()
        for text in (daemon.log(), title, *(str(answer) for answer in seen)):
            for secret in (key.secret, wrong.secret, key.entry["sha256"], wrong.entry["sha256"]):
                assert secret not in text and secret[:16] not in text, text


if __name__ == "__main__":
    suite.main(table=lambda: print(table()))
