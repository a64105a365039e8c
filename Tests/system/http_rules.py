#!/usr/bin/env python3
"""HTTP as a real daemon speaks it: methods, conditions, long poll, errors, origins.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import hashlib
import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, free_port, run_binary, temporary_directory  # noqa: E402
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


# -- whose request is it -------------------------------------------------------------------------------------

@case("a name that was rebound to this address is misdirected", 56)
def rebinding(daemon):
    for host in ("evil.example", "evil.example:8080", "localhost.evil.example", "evil-localhost",
                 "127.0.0.1.evil.example",
                 "xn--localhost", "0x7f000001.example", "localhostx:80"):
        for method, path, body in (("GET", "/v1/screens/x", None), ("PUT", "/v1/tasks/rebound/runs/a", "{}"),
                                   ("GET", "/metrics", None), ("OPTIONS", "/v1/runs", None),
                                   ("GET", "/nowhere", None)):
            answer = daemon.ask(method, path, None, body, host=host)
            problem(answer, 421, "misdirected-request")
        for path in ("/healthz", "/readyz"):
            equal(daemon.ask("GET", path, host=host).status, 200, f"{path} at {host}")
    for host in ("a b", "a/b", "", "[::1", "localhost:x", "user@localhost", "localhost,evil.example"):
        answer = daemon.ask("GET", "/v1/screens/x", host=host)
        assert answer.status in (400, 421), (host, answer)
    for host in ("localhost", "LOCALHOST", f"localhost:{daemon.port}", "127.0.0.1", "127.0.0.1:1", "[::1]",
                 "[::1]:80",
                 "10.1.2.3", "[2001:db8::1]:8080"):
        equal(daemon.ask("GET", "/v1/screens/x", host=host).status, 200, host)
    equal(daemon.ask("GET", "/v1/screens/x", host=None, version="1.0").status, 200, "absent on 1.0")
    equal(daemon.ask("GET", "/v1/screens/x", host="evil.example", version="1.0").status, 421)
    equal(daemon.ask("GET", "/v1/screens/.bad", host="evil.example").status, 421, "421 comes before the name")
    problem(daemon.run("GET", "rebound", "a"), 404, "not-found")


@case("--host names more hosts, '*' all of them", 56)
def host_flag(_):
    with Daemon("--host", "pending.example") as daemon:
        for host, status in (("pending.example", 200), ("PENDING.example:80", 200), ("other.example", 421),
                             ("localhost", 200)):
            equal(daemon.ask("GET", "/v1/screens/x", host=host).status, status, host)
    with Daemon("--host", "*") as daemon:
        equal(daemon.ask("GET", "/v1/screens/x", host="anything.example").status, 200)


@case("a write from another origin is refused, a read is not", 56)
def foreign_origins(daemon):
    task = suite.name()
    ours = f"localhost:{daemon.port}"
    writes = [("PUT", f"/v1/tasks/{task}/runs/a", "{}"), ("POST", f"/v1/tasks/{task}/runs", "{}"),
              ("PATCH", f"/v1/tasks/{task}/runs/a", "{}"), ("DELETE", f"/v1/tasks/{task}/runs/a", None),
              ("PUT", f"/v1/screens/{task}/configuration", "{}"),
              ("DELETE", f"/v1/screens/{task}/configuration", None)]
    for origin in ("https://evil.example", "null", f"http://localhost:{daemon.port + 1}", "http://localhost", "",
                   f"http://127.0.0.1:{daemon.port}", "http://", "evil"):
        for method, path, body in writes:
            problem(daemon.ask(method, path, {"Origin": origin, **JSON}, body, host=ours), 403, "origin-not-allowed")
        equal(daemon.ask("GET", f"/v1/screens/{task}", {"Origin": origin}, host=ours).status, 200, origin)
    for origin in (f"http://{ours}", f"https://{ours}", f"http://LOCALHOST:{daemon.port}"):
        answer = daemon.ask("PUT", f"/v1/tasks/{task}/runs/b", {"Origin": origin, **JSON}, "{}", host=ours)
        assert answer.status in (200, 201), (origin, answer)
    answer = daemon.ask("PUT", f"/v1/tasks/{task}/runs/b", {"Origin": "http://localhost", **JSON}, "{}",
                        host="localhost")
    equal(answer.status, 200, "no port on either side")
    equal(daemon.ask("PUT", "/v1/tasks/.bad/runs/b", {"Origin": "null"}, "{}", host=ours).problem, "invalid-name",
          "the name comes before the origin")


@case("CORS: allowed origins may read and write, others get no grant", 35, 56)
def cors(_):
    with Daemon("--cors-origin", "https://app.example", "--cors-origin", "http://localhost:3000") as daemon:
        for origin, granted in (("https://app.example", True), ("http://localhost:3000", True),
                                ("https://app.example.evil", False), ("http://app.example", False), ("null", False)):
            preflight = daemon.ask("OPTIONS", "/v1/tasks/t/runs/a", {"Origin": origin,
                                                                     "Access-Control-Request-Method": "PUT"})
            equal(preflight.status, 204)
            equal(preflight.get("access-control-allow-origin"), origin if granted else None, origin)
            if granted:
                assert "PUT" in preflight.get("access-control-allow-methods", ""), preflight
            read = daemon.ask("GET", "/v1/screens/t", {"Origin": origin})
            equal((read.status, read.get("access-control-allow-origin")), (200, origin if granted else None))
            assert "origin" in read.get("vary", "").lower(), read
            write = daemon.ask("PUT", "/v1/tasks/t/runs/a", {"Origin": origin, **JSON}, "{}")
            equal(write.status in (200, 201), granted, origin)
            wrong = daemon.ask("GET", "/v1/screens/.bad", {"Origin": origin})
            equal(wrong.get("access-control-allow-origin"), origin if granted else None, "errors can be read too")


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


@case("a second daemon on the same address stops with 69 and a clear line", 57)
def address_in_use(daemon):
    done = run_binary("--listen", f"127.0.0.1:{daemon.port}", "--journal", "memory")
    equal(done.returncode, 69, done.stderr)
    assert str(daemon.port) in done.stderr and "use" in done.stderr, done.stderr
    equal(daemon.ask("GET", "/healthz").status, 200, "the first one goes on")


@case("IPv6 and Unix sockets serve the same")
def other_addresses(_):
    with temporary_directory() as place:
        path = f"{place}/pending.sock"
        for _ in range(2):
            with Daemon(listen=f"unix:{path}", wait_for=None) as daemon:
                daemon.address = path
                daemon.wait_until("/readyz")
                daemon.put("t", title="T")
                equal(daemon.screen("t")["title"], "T")
                with daemon.stream("/v1/screens/t") as stream:
                    equal(stream.next().json["title"], "T")
                done = run_binary("--listen", f"unix:{path}", "--journal", "memory")
                equal(done.returncode, 69, "a second daemon on a living socket")
                # A killed daemon leaves its socket file behind; the next one takes it over.
    port = free_port()
    with Daemon(listen=f"[::1]:{port}", wait_for=None) as daemon:
        daemon.address = ("::1", port)
        daemon.wait_until("/readyz")
        equal(daemon.ask("GET", "/v1/screens/x", host=f"[::1]:{port}").status, 200)


if __name__ == "__main__":
    suite.main()
