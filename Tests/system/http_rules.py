#!/usr/bin/env python3
"""HTTP as a real daemon speaks it: methods, conditions, long poll, errors.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import hashlib
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from suite import Suite, equal, near, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case
JSON = {"Content-Type": "application/json"}


# -- methods and fields --------------------------------------------------------------------------------------

@case("known methods where they do not belong: 405 with Allow; OPTIONS tells the same")
def methods(daemon):
    daemon.put("methods.t")
    rows = {
        "/v1/tasks/methods.t/runs/a": {"GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"},
        "/v1/tasks/methods.t/runs": {"GET", "HEAD", "POST", "OPTIONS"},
        "/v1/runs": {"GET", "HEAD", "OPTIONS"}, "/v1/screens": {"GET", "HEAD", "OPTIONS"},
        "/v1/screens/methods": {"GET", "HEAD", "OPTIONS"},
        "/v1/screens/methods/configuration": {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"},
        "/v1/scopes/s/screens/methods": {"GET", "HEAD", "OPTIONS"}, "/healthz": {"GET", "HEAD", "OPTIONS"},
        "/readyz": {"GET", "HEAD", "OPTIONS"}, "/metrics": {"GET", "HEAD", "OPTIONS"},
    }
    for path, allowed in rows.items():
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - allowed:
            answer = daemon.ask(method, path, JSON if method in ("POST", "PUT", "PATCH") else None,
                                "{}" if method in ("POST", "PUT", "PATCH") else None)
            problem(answer, 405, "method-not-allowed")
            equal(set(re.split(r",\s*", answer.get("allow"))), allowed, f"Allow of {path}")
        answer = daemon.ask("OPTIONS", path)
        equal((answer.status, set(re.split(r",\s*", answer.get("allow")))), (204, allowed), path)
    equal(daemon.ask("OPTIONS", "*").status, 204, "OPTIONS *")


@case("HEAD is GET without its body, and never waits")
def head_requests(daemon):
    task = suite.name()
    daemon.put(task, title="T")
    daemon.configure(task, tasks=[task])
    paths = [f"/v1/tasks/{task}/runs/a", f"/v1/tasks/{task}/runs", "/v1/runs?task=" + task, f"/v1/screens/{task}",
             f"/v1/screens?id={task}", f"/v1/screens/{task}/configuration", "/healthz", "/readyz",
             "/v1/screens/.bad", "/v1/tasks/none/runs/none", "/nowhere"]
    with daemon.connect() as connection:
        for path in paths:
            get, head = connection.ask("GET", path), connection.ask("HEAD", path)
            volatile = {"date", "x-request-id"}
            if b"expiresIn" in get.body:
                volatile |= {"content-length", "etag"}
            one, two = ({k: v for k, v in answer.fields.items() if k not in volatile} for answer in (get, head))
            equal((head.status, two), (get.status, one), path)
            assert head.get("content-length"), path
        etag = connection.ask("GET", f"/v1/screens/{task}").etag
        before = time.monotonic()
        answer = connection.ask("HEAD", f"/v1/screens/{task}", {"If-None-Match": etag, "Prefer": "wait=20"})
        equal(answer.status, 304)
        assert time.monotonic() - before < 1 + suite.lag.since(before)


@case("what is not there is 404 as a problem document, also beside a path that exists")
def not_found(daemon):
    for path in ("/", "/v1", "/v1/", "/v2/runs", "/v1/tasks", "/v1/tasks/", "/v1/tasks/a", "/v1/tasks/a/",
                 "/healthz/",
                 "/v1/tasks/a/runs/b/c", "/v1/screens/a/b", "/v1/scopes/a/tasks", "/v1/scopes/a", "/V1/runs",
                 "/v1/screens/", "/v1/runs/", "/HEALTHZ", "/v1//runs", "/v1/scopes/a/scopes/b/runs",
                 "/v1/scopes/a/healthz", "/../v1/runs", "/v1/./runs"):
        answer = daemon.ask("GET", path)
        if path == "/" and answer.status == 200:
            continue
        assert answer.status == 404 or (answer.status, answer.problem) == (400, "invalid-name"), (path, answer)


@case("every answer carries Date and a request id: the client's if it is sane, else ours")
def request_ids(daemon):
    task = suite.name()
    for method, path, body in (("GET", f"/v1/screens/{task}", None), ("PUT", f"/v1/tasks/{task}/runs/a", "{}"),
                               ("GET", "/nowhere", None), ("OPTIONS", "/v1/runs", None), ("GET", "/healthz", None),
                               ("DELETE", f"/v1/tasks/{task}/runs/none", None), ("BREW", "/", None)):
        answer = daemon.ask(method, path, {"X-Request-Id": "my-id_7.x"}, body)
        assert re.fullmatch(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT",
                            answer.get("date", "")), (path, answer)
        if method != "BREW":
            equal(answer.get("x-request-id"), "my-id_7.x", path)
        seen = set()
        for bad in ("x" * 65, "a b", "a\u00e9", "", '"', "a;b", "<b>"):
            answer = daemon.ask(method, path, {"X-Request-Id": bad}, body)
            ours = answer.get("x-request-id", "")
            assert ours and ours != bad and re.fullmatch(r"[A-Za-z0-9._-]{1,64}", ours), (bad, answer)
            seen.add(ours)
        equal(len(seen), 7, "ids differ")


@case("JSON answers are typed, private and varied by what they depend on")
def screen_fields(daemon):
    answer = daemon.ask("GET", f"/v1/screens/{suite.name()}")
    equal(answer.get("content-type").split(";")[0], "application/json")
    equal(answer.get("cache-control"), "private, no-cache")
    equal({name.strip().lower() for name in answer.get("vary").split(",")}, {"accept", "prefer", "authorization"})


@case("a pending screen says Retry-After: 2, an idle one nothing", 54)
def retry_after(daemon):
    screen = suite.name()
    equal(daemon.ask("GET", f"/v1/screens/{screen}").get("retry-after"), None)
    daemon.put(screen)
    equal(daemon.ask("GET", f"/v1/screens/{screen}").get("retry-after"), "2")


@case("unknown query parameters are ignored, even damaged ones; repeated and damaged known ones are named", 16)
def query_parameters(daemon):
    path = f"/v1/screens/{suite.name()}"
    for query in ("?", "?a", "?&&", "?a=1&b", "?utm_source=x&fbclid=%20y", "?x=%zz&%ff=1"):
        equal(daemon.ask("GET", path + query).status, 200, query)
    for query, name in (("format=json&format=json", "format"), ("width=1&width=2", "width"),
                        ("width=1&wi%64th=2", "width")):
        problem(daemon.ask("GET", f"{path}?{query}"), 400, "invalid-parameter", parameter=name)
    for query in ("width=%", "width=%zz", "width=%ff"):
        problem(daemon.ask("GET", f"{path}?{query}"), 400, "invalid-parameter", parameter="width")


# -- conditions ----------------------------------------------------------------------------------------------

@case("the token is the hash of the body as sent without its version")
def tokens(daemon):
    screen = suite.name()
    daemon.put(screen, title="Ünïcode", progress={"completed": 1, "total": 3})
    for query in ("", "?width=200&scale=2", "?format=json"):
        answer = daemon.ask("GET", f"/v1/screens/{screen}{query}")
        version = answer.json["version"]
        bare = answer.body.replace(f',"version":"{version}"'.encode(), b"")
        equal(hashlib.sha256(bare).hexdigest()[:16], version)
        equal(answer.etag, f'"{version}"')


@case("If-None-Match compares weakly, If-Match strongly", 52)
def comparison(daemon):
    screen = suite.name()
    etag = daemon.ask("GET", f"/v1/screens/{screen}").etag
    for header in (etag, f"W/{etag}", f'"x", {etag}', f'W/"x",W/{etag}', "*", f'"a,b" , {etag}, "c"'):
        answer = daemon.ask("GET", f"/v1/screens/{screen}", {"If-None-Match": header})
        equal((answer.status, answer.etag, answer.body), (304, etag, b""), header)
        equal(answer.get("content-length"), None, "a 304 has no length")
    for header in ('"0000000000000000"', etag.strip('"'), f"w/{etag}", etag[:-1], f"{etag} x", "", f'{etag}"', "W/*"):
        equal(daemon.ask("GET", f"/v1/screens/{screen}", {"If-None-Match": header}).status, 200, header)
    path = f"/v1/screens/{screen}/configuration"
    tag = daemon.ask("PUT", path, body={}).etag
    for header in (f"W/{tag}", '"x"', tag.strip('"')):
        problem(daemon.ask("PUT", path, {"If-Match": header}, {}), 412, "precondition-failed")
    equal(daemon.ask("PUT", path, {"If-Match": f'"x", {tag}'}, {}).status, 200)


@case("a long poll answers at the change, or 304 at its deadline; without a token at once", 54)
def long_poll(daemon):
    screen = suite.name()
    path = f"/v1/screens/{screen}"
    before = time.monotonic()
    first = daemon.ask("GET", path, {"Prefer": "wait=9"})
    equal(first.status, 200)
    assert time.monotonic() - before < 1 + suite.lag.since(before)
    with daemon.connect() as connection:
        connection.send(request_bytes("GET", path, {"If-None-Match": first.etag, "Prefer": "respond-async, wait=9"}))
        assert connection.is_silent(0.5)
        before = time.monotonic()
        daemon.put(screen, title="T")
        answer = connection.response()
        assert time.monotonic() - before < 0.3 + suite.lag.since(before)
        equal((answer.status, answer.json["title"], answer.get("preference-applied")), (200, "T", "wait=9"))
        before = time.monotonic()
        connection.send(request_bytes("GET", path, {"If-None-Match": answer.etag, "Prefer": "wait=2, wait=9"}))
        answer = connection.response()
        equal((answer.status, answer.get("preference-applied")), (304, "wait=2"))
        near(time.monotonic() - before, 2, 0.5 + suite.lag.since(before), "seconds until the 304")
    for prefer in ("wait=0", "wait", "wait=x", "wait=-1", "handling=strict", 'wait="'):
        before = time.monotonic()
        equal(daemon.ask("GET", path, {"If-None-Match": answer.etag, "Prefer": prefer}).status, 304, prefer)
        assert time.monotonic() - before < 1 + suite.lag.since(before), prefer
    with daemon.connect() as connection:
        connection.send(request_bytes("GET", path, {"If-None-Match": answer.etag, "Prefer": "wait=100000"}))
        assert connection.is_silent(0.3)
        daemon.end(screen)
        equal(connection.response().get("preference-applied"), "wait=55", "capped")


@case("progress alone wakes a long poll no sooner than a second after it was parked, a title at once", 54)
def long_poll_progress(daemon):
    screen = suite.name()
    daemon.put(screen, title="T", progress={"completed": 1, "total": 10})
    etag = daemon.ask("GET", f"/v1/screens/{screen}").etag
    with daemon.connect() as slow, daemon.connect() as quick:
        waits = []
        ask = request_bytes("GET", f"/v1/screens/{screen}", {"If-None-Match": etag, "Prefer": "wait=20"})
        slow.send(ask)
        parked = time.monotonic()
        time.sleep(0.1)
        daemon.put(screen, title="T", progress={"completed": 2, "total": 10})
        answer = slow.response()
        near(time.monotonic() - parked, 1.0, 0.25 + suite.lag.since(parked), "seconds until progress was told")
        equal(answer.json["fractionCompleted"], 0.2)
        for i in range(3):
            quick.send(request_bytes("GET", f"/v1/screens/{screen}",
                                     {"If-None-Match": answer.etag, "Prefer": "wait=20"}))
            time.sleep(0.1)
            before = time.monotonic()
            daemon.put(screen, title=f"U{i}", progress={"completed": 2, "total": 10})
            answer = quick.response()
            waits.append(time.monotonic() - before)
            equal(answer.json["title"], f"U{i}")
        assert min(waits) < 0.3, waits


@case("a parked long poll whose client half-closes is answered, then what was pipelined, then the end", 41)
def long_poll_half_closed(daemon):
    path = f"/v1/screens/{suite.name()}"
    etag = daemon.ask("GET", path).etag
    with daemon.connect() as connection:
        connection.send(request_bytes("GET", path, {"If-None-Match": etag, "Prefer": "wait=30"}) +
                        request_bytes("GET", "/healthz"))
        assert connection.is_silent(0.3)
        before = time.monotonic()
        connection.finish_sending()
        equal(connection.response().status, 304)
        equal(connection.response().status, 200, "the pipelined request")
        assert connection.is_closed()
        assert time.monotonic() - before < 1 + suite.lag.since(before)


@case("polling hard with a token costs a small 304 each", 54)
def polling(daemon):
    path = f"/v1/screens/{suite.name()}"
    with daemon.connect() as connection:
        etag = connection.ask("GET", path).etag
        for _ in range(200):
            equal(connection.ask("GET", path, {"If-None-Match": etag}).status, 304)


@case("the order of checks: host, name, origin, type, body, existence, precondition, conflict")
def order_of_checks(daemon):
    task = suite.name()
    daemon.put(task, "done", state="failed")
    text = {"Content-Type": "text/plain"}
    rows = [
        ("PUT", "/v1/tasks/.bad/runs/a", {"Origin": "null", **text}, "{", "evil.example", 421),
        ("PUT", "/v1/tasks/.bad/runs/a", {"Origin": "null", **text}, "{", "localhost", 400),
        ("PUT", f"/v1/tasks/{task}/runs/a", {"Origin": "null", **text}, "{", "localhost", 403),
        ("PUT", f"/v1/tasks/{task}/runs/a", text, "{", "localhost", 415),
        ("PATCH", f"/v1/tasks/{task}/runs/none", JSON, "{", "localhost", 400),
        ("PATCH", f"/v1/tasks/{task}/runs/none", JSON, '{"x":1}', "localhost", 422),
        ("PATCH", f"/v1/tasks/{task}/runs/none", {"If-Match": '"x"', **JSON}, "{}", "localhost", 404),
        ("PATCH", f"/v1/tasks/{task}/runs/done", {"If-Match": '"x"', **JSON}, "{}", "localhost", 412),
        ("PATCH", f"/v1/tasks/{task}/runs/done", JSON, "{}", "localhost", 409),
    ]
    for method, path, headers, body, host, status in rows:
        equal(daemon.ask(method, path, headers, body, host=host).status, status, f"{path} {headers} {body}")


@case("an error never repeats a query, a token or what broke the framing", 48)
def no_echo(daemon):
    secret = "s3cr3t-t0ken"
    answers = [daemon.ask("GET", f"/v1/screens/x?width={secret}"), daemon.ask("GET", f"/nowhere?token={secret}"),
               daemon.ask("GET", f"/v1/screens/x?format={secret}&token={secret}"),
               daemon.ask("GET", f"/v1/screens/.bad?token={secret}"),
               daemon.ask("GET", "/v1/screens/x", {"Authorization": f"Bearer {secret}", "Accept": "x/y"}),
               daemon.ask("GET", f"/v1/runs?cursor={secret}&token={secret}"),
               daemon.ask(secret.upper(), "/"), daemon.raw(f"GET /?token={secret} HTTP/9.9\r\n\r\n".encode())]
    for answer in answers:
        assert answer.status >= 400 and secret.lower() not in repr(answer).lower(), answer


if __name__ == "__main__":
    suite.main()

