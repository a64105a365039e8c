#!/usr/bin/env python3
"""Whose request a real daemon serves: by which address it came, under which name, from which page.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, free_port, run_binary, temporary_directory  # noqa: E402
from suite import Suite, equal, problem  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case
JSON = {"Content-Type": "application/json"}


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


@case("at its end a daemon removes its own unix socket, not one that another has put in its place")
def foreign_socket(_):
    with temporary_directory() as place:
        path = f"{place}/pending.sock"
        with Daemon("--drain-delay", 0, "--drain", 0, listen=f"unix:{path}", wait_for=None) as first:
            first.address = path
            first.wait_until("/readyz")
            os.unlink(path)
            with Daemon("--drain-delay", 0, "--drain", 0, listen=f"unix:{path}", wait_for=None) as second:
                second.address = path
                second.wait_until("/readyz")
                first.terminate()
                first.process.wait(10)
                equal(second.ask("GET", "/healthz").status, 200, "the other one is still reached")
                second.terminate()
                second.process.wait(10)
                assert not os.path.exists(path), "its own is removed"


@case("a file limit too low for its loops stops the daemon at the start, with one clear line")
def too_few_descriptors(_):
    with temporary_directory() as place:
        flags = ["--listen", f"127.0.0.1:{free_port()}", "--journal", f"sqlite:{place}/j.db", "--loops", 64]
        done = run_binary(*flags, files=200)
        equal(done.returncode, 71, done.stderr)
        assert "200" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr


if __name__ == "__main__":
    suite.main()
