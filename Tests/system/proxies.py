#!/usr/bin/env python3
"""nginx, HAProxy, Caddy and Envoy in front of a real daemon, each with its file from examples/proxies.

Every claim is made of every proxy. Clients speak TLS to it, HTTP/1.1 by themselves and HTTP/2 through curl.
A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import concurrent.futures
import contextlib
import functools
import pathlib
import socket
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import protocol_bodies as bodies  # noqa: E402
import protocol_cases as cases  # noqa: E402
from daemon import Daemon, temporary_directory  # noqa: E402
from proxies import KINDS, NAME, CurlStream, Proxy  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import WireError, request_bytes  # noqa: E402

ORIGIN = f"https://{NAME}"
# What a row would smuggle, of the same length: a request that no proxy lets pass where it sees one.
EVIL = cases.EFFECT.replace(b"localhost", b"evil.test")

suite = Suite("--host", NAME, "--loops", 2, "--heartbeat", 5, workers=12)
claims = []
fronts = {}
lock = threading.Lock()


def claim(text, *numbers):
    """A function of a proxy's kind and the shared daemon, which is checked of every kind."""

    def register(function):
        claims.append((text, numbers, function))
        return function

    return register


def front(kind, daemon):
    """The proxy of this kind before the shared daemon."""
    with lock:
        if kind not in fronts:
            fronts[kind] = Proxy(kind, daemon.port)
        return fronts[kind]


# -- streams -------------------------------------------------------------------------------------------------

def each_event_before_the_next_change(daemon, stream, task):
    """Makes a change only when the event of the change before it is there: nothing waits for what follows."""

    def states():
        return [event for event in stream.events if event.kind == "state"]

    assert stream.wait(lambda: len(states()) == 1, 20), "the first state does not come"
    for number in range(1, 6):
        daemon.put(task, title=f"{number}")
        assert stream.wait(lambda: len(states()) == number + 1, 20), f"change {number} does not come by itself"
        equal(states()[-1].json["title"], f"{number}")


def media_type(stream):
    return stream.head.get("content-type", "").split(";")[0]


@claim("each event of a stream arrives before the next change is made", 39)
def unbuffered(kind, daemon):
    task = suite.name()
    with front(kind, daemon).stream(f"/v1/screens/{task}", {"Accept-Encoding": "gzip, br"}) as stream:
        equal((stream.head.status, media_type(stream)), (200, "text/event-stream"))
        equal(stream.head.get("content-encoding"), None, "content encoding")
        assert "no-transform" in stream.head.get("cache-control"), stream.head
        each_event_before_the_next_change(daemon, stream, task)


@claim("the same over HTTP/2")
def unbuffered_http2(kind, daemon):
    proxy, task = front(kind, daemon), suite.name()
    done = subprocess.run(proxy.curl("/healthz", "--write-out", " %{http_version}"), capture_output=True, text=True)
    equal(done.stdout.split()[-1], "2", "HTTP version")
    with CurlStream(proxy, f"/v1/screens/{task}") as stream:
        each_event_before_the_next_change(daemon, stream, task)


@claim("heartbeats keep a quiet stream open beyond the proxy's timeout, which would cut it without them", 38)
def heartbeats(kind, daemon):
    task = suite.name()
    with Proxy(kind, daemon.port, idle="8s") as proxy, proxy.stream(f"/v1/screens/{task}") as stream:
        assert stream.wait(lambda: len(stream.parser.comments) >= 5, 90), "heartbeats do not come"
        equal(stream.ended_at, None)
        daemon.put(task, title="After the quiet")
        assert stream.wait(lambda: len(stream.states) == 2, 20), "the stream is dead"
    if KINDS[kind].cuts_idle_streams:
        with Daemon("--host", NAME, "--heartbeat", 600) as quiet, Proxy(kind, quiet.port, idle="8s") as proxy:
            with proxy.stream(f"/v1/screens/{task}") as stream:
                assert stream.has_ended(60), "the timeout that heartbeats must stay below is not in force"


@claim("a client that leaves a stream or a long poll is gone at the daemon; the connection to it is kept", 41)
def disconnect(kind, _):
    with Daemon("--host", NAME) as daemon, Proxy(kind, daemon.port) as proxy:

        def count(name):
            return daemon.metrics()[f"pending_{name}"]

        for _ in range(20):
            equal(proxy.ask("GET", "/v1/screens/s").status, 200)
        assert 2 <= count("http_connections") <= 5, "one of who asks, one or a few of the proxy"
        with proxy.stream("/v1/screens/s") as stream, CurlStream(proxy, "/v1/screens/s") as other:
            assert stream.next(20)
            assert other.wait(lambda: other.events, 20)
            eventually(lambda: count("streams") == 2, 20, "both are open")
        eventually(lambda: count("streams") == 0, 20, "streams are given up")
        etag = proxy.ask("GET", "/v1/screens/s").etag
        with proxy.connect() as poll:
            poll.send(request_bytes("GET", "/v1/screens/s", {"If-None-Match": etag, "Prefer": "wait=50"}, host=NAME))
            eventually(lambda: count("long_polls") == 1, 20, "the poll is parked")
        eventually(lambda: count("long_polls") == 0, 20, "the poll is given up")


@claim("in a drain streams end in order; then the proxy tells browsers to come back, and they find the next daemon",
       45, 46)
def restart(kind, _):
    with Daemon("--host", NAME, "--drain-delay", 0.5, "--drain", 1) as daemon, Proxy(kind, daemon.port) as proxy:
        streams = [proxy.stream("/v1/screens/s") for _ in range(5)]
        for stream in streams:
            assert stream.next(20)
        daemon.terminate()
        eventually(lambda: daemon.process.poll() is not None or proxy.ask("GET", "/readyz").status == 503, 10)
        equal(daemon.process.wait(20), 0)
        for stream in streams:
            assert stream.has_ended(20), "a stream outlives its daemon"
            equal((stream.fault, stream.events[-1].kind, stream.events[-1].json["reason"]), (None, "close", "shutdown"))
            assert stream.retry
            stream.close()
        with proxy.stream("/v1/screens/s") as stream:
            equal((stream.head.status, media_type(stream)), (200, "text/event-stream"), "while away")
            assert stream.has_ended(20)
            equal((stream.events, stream.fault, stream.retry), ([], None, 3000))
        equal(proxy.ask("GET", "/v1/screens/s").status in (502, 503), True, "other requests while away")
        daemon.start()
        again = eventually(lambda: opened(proxy, "/v1/screens/s"), 20, "the next daemon is found")
        daemon.put("s", title="Back")
        equal(again.next(20).json["title"], "Back")
        again.close()


def opened(proxy, target):
    """A stream that has had its first event; None if the proxy has nobody behind it yet."""
    stream = proxy.stream(target)
    if stream.next(20):
        return stream
    stream.close()
    return None


class Breaking:
    """A server that answers every GET, and closes the connection when it has read anything else."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        # The method of every request that was not answered.
        self.unanswered = []
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as lines:
            while method := lines.readline().partition(b" ")[0].decode():
                while lines.readline().strip():
                    pass
                if method != "GET":
                    self.unanswered.append(method)
                    return
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


@claim("a write whose connection breaks is not sent again")
def no_repetition(kind, _):
    with Breaking() as server, Proxy(kind, server.port) as proxy:
        for method in ("POST", "PATCH"):
            with proxy.connect() as connection:
                # The connection to the server that this makes is kept, and the write meets its end.
                equal(connection.ask("GET", "/v1/screens/s", host=NAME).status, 200)
                try:
                    status = connection.ask(method, "/v1/tasks/t/runs", {}, {}, host=NAME).status
                except WireError:
                    status = 502
                assert status >= 500, status
                equal(server.unanswered.count(method), 1, f"times that {method} was sent")


# -- requests ------------------------------------------------------------------------------------------------

@claim("a long poll is answered at the change, or with 304 at its end", 54)
def long_poll(kind, daemon):
    proxy, task = front(kind, daemon), suite.name()
    path = f"/v1/screens/{task}"
    etag = proxy.ask("GET", path).etag
    with proxy.connect() as poll:
        answer = poll.ask("GET", path, {"If-None-Match": etag, "Prefer": "wait=1"}, host=NAME)
        equal((answer.status, answer.etag, answer.get("preference-applied")), (304, etag, "wait=1"))
        poll.send(request_bytes("GET", path, {"If-None-Match": etag, "Prefer": "wait=50"}, host=NAME))
        eventually(lambda: daemon.metrics()["pending_long_polls"] >= 1, 20, "the poll is parked")
        daemon.put(task, title="Now")
        answer = poll.response()
        equal((answer.status, answer.json["title"], answer.etag == etag), (200, "Now", False))


@claim("tags stay strong and match: 304", 52)
def conditional(kind, daemon):
    proxy, task = front(kind, daemon), suite.name()
    daemon.put(task, title="T")
    path = f"/v1/screens/{task}"
    with proxy.connect() as connection:
        first = connection.ask("GET", path, {"Accept-Encoding": "gzip"}, host=NAME)
        equal((first.status, first.etag), (200, f'"{first.json["version"]}"'))
        equal(first.get("cache-control"), "private, no-cache")
        for etag in (first.etag, "W/" + first.etag):
            again = connection.ask("GET", path, {"If-None-Match": etag}, host=NAME)
            equal((again.status, again.body, again.etag), (304, b"", first.etag))
        equal(connection.ask("HEAD", path, host=NAME).status, 200)
        equal(connection.ask("GET", path, {"If-None-Match": '"other"'}, host=NAME).body, first.body)


@claim("POST, PUT, PATCH and DELETE go through with their bodies, and X-Request-Id there and back")
def writes(kind, daemon):
    proxy, task = front(kind, daemon), suite.name()
    with proxy.connect() as connection:

        def ask(method, target, headers=None, body=None):
            return connection.ask(method, target, headers, body, host=NAME)

        key = {"Idempotency-Key": '"k"'}
        made = ask("POST", f"/v1/tasks/{task}/runs", key, {"title": "Größe 🚀"})
        equal((made.status, made.get("location"), made.json["title"]), (201, f"/v1/tasks/{task}/runs/k", "Größe 🚀"))
        equal(ask("POST", f"/v1/tasks/{task}/runs", key, {"title": "Größe 🚀"}).status, 200)
        path = f"/v1/tasks/{task}/runs/a"
        equal(ask("PUT", path, body={"reason": "r" * 2000}).status, 201)
        chunked = connection
        chunked.send(request_bytes("PUT", path, {"Transfer-Encoding": "chunked", "Content-Type": "application/json"},
                                   b'6\r\n{"titl\r\n9\r\ne":"two"}\r\n0\r\n\r\n', host=NAME))
        equal(chunked.response().json["title"], "two")
        patched = ask("PATCH", path, {"Content-Type": "application/merge-patch+json"}, '{"title":"three"}')
        equal((patched.status, patched.json["title"]), (200, "three"))
        equal(ask("PUT", path, {"If-Match": '"stale"'}, {}).status, 412)
        problem(ask("PUT", path, body={"nonsense": 1}), 422, "invalid-member")
        equal(ask("DELETE", path).status, 204)
        answer = ask("GET", path, {"X-Request-Id": "from-the-client"})
        problem(answer, 404, "not-found")
        equal(answer.get("x-request-id"), "from-the-client")
        assert ask("GET", path).get("x-request-id"), "the daemon's own"


@claim("a body beyond the limit gets the daemon's problem document")
def too_large(kind, daemon):
    proxy, path = front(kind, daemon), f"/v1/tasks/{suite.name()}/runs/a"
    json_type = {"Content-Type": "application/json"}
    with proxy.connect() as connection:
        equal(connection.ask("PUT", path, json_type, b"{}" + b" " * 65_534, host=NAME).status, 201, "the largest")
    # Within what nginx lets through: of other proxies the daemon reads 1 MiB beyond a refusal before it resets.
    for size in [65_535] + [125_000] * 30:
        problem(proxy.ask("PUT", path, json_type, b"{}" + b" " * size), 413, "too-large", limit=65_536)
    body = b"".join(b"8000\r\n" + b" " * 32_768 + b"\r\n" for _ in range(3)) + b"0\r\n\r\n"
    problem(proxy.ask("PUT", path, {**json_type, "Transfer-Encoding": "chunked"}, body), 413, "too-large")


# -- who may come --------------------------------------------------------------------------------------------

def write_from(proxy, origin, host=NAME):
    return proxy.ask("PUT", f"/v1/tasks/{suite.name()}/runs/a", {"Origin": origin} if origin else {}, {}, host=host)


@claim("with the original Host and --host: our name and page pass, others get 421 and 403; no metrics", 56)
def host_passed(kind, daemon):
    proxy = front(kind, daemon)
    for host in ("evil.example", "localhost", "127.0.0.1", f"{NAME}.evil.example", f"x{NAME}"):
        equal(proxy.ask("GET", "/v1/screens/s", host=host).status, 421, host)
    equal(write_from(proxy, None).status, 201)
    equal(write_from(proxy, ORIGIN).status, 201)
    equal(write_from(proxy, f"{ORIGIN}:8443", host=f"{NAME}:8443").status, 201, "the port is passed, too")
    for origin in ("https://evil.example", "null", f"{ORIGIN}:1", f"https://{NAME}.evil.example"):
        problem(write_from(proxy, origin), 403, "origin-not-allowed")
    for target in ("/metrics", "/metrics?a", "/%6detrics", "/%6Detrics?format=sse"):
        for headers in ({}, {"Accept": "text/event-stream"}):
            answer = proxy.ask("GET", target, headers)
            assert b"pending_" not in answer.body, f"{target}: {answer}"
    with Daemon() as strict, Proxy(kind, strict.port) as proxy:
        problem(proxy.ask("GET", "/v1/screens/s"), 421, "misdirected-request")


@claim("with Host set to 127.0.0.1 and --cors-origin: the granted page passes, others get 421 and 403", 56)
def host_replaced(kind, _):
    with Daemon("--cors-origin", ORIGIN) as daemon, Proxy(kind, daemon.port, keeps_host=False) as proxy:
        for host in ("evil.example", "localhost", "127.0.0.1"):
            equal(proxy.ask("GET", "/v1/screens/s", host=host).status, 421, host)
        equal(write_from(proxy, None).status, 201)
        answer = write_from(proxy, ORIGIN)
        equal((answer.status, answer.get("access-control-allow-origin")), (201, ORIGIN))
        for origin in ("https://evil.example", "null", "https://127.0.0.1:8443"):
            problem(write_from(proxy, origin), 403, "origin-not-allowed")
        with proxy.stream("/v1/screens/s", {"Origin": ORIGIN}) as stream:
            equal(stream.head.get("access-control-allow-origin"), ORIGIN)
            assert stream.next(20)
        for path in ("/metrics", "/%6detrics"):
            assert b"pending_" not in proxy.ask("GET", path).body, path
    with Daemon() as strict, Proxy(kind, strict.port, keeps_host=False) as proxy:
        problem(write_from(proxy, ORIGIN), 403, "origin-not-allowed")


@claim("no oddity of a request brings a second one past the proxy")
def smuggling(kind, _):
    rows = [row.data for table in (cases.REQUEST_LINES, cases.FIELDS, cases.ODD, bodies.LENGTHS, bodies.CODINGS,
                                   bodies.CHUNKS, bodies.BODIES, bodies.READ) for row in table]
    ours = f"Host: {NAME}\r\n".encode()
    rows = [row.replace(cases.EFFECT, EVIL).replace(cases.HOST, ours) + EVIL for row in rows]
    with Daemon("--host", "*", "--idle-deadline", 5) as daemon, Proxy(kind, daemon.port) as proxy:
        equal(daemon.raw(EVIL).status, 201, "the daemon itself would do it")
        equal(daemon.run("DELETE", "smuggled", "after").status, 204)
        equal(proxy.ask("PUT", "/v1/tasks/smuggled/runs/after", body={}, host="evil.test").status, 421)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(functools.partial(send, proxy), rows))
        # What was left on a connection to the daemon would be answered in place of this.
        for _ in range(20):
            equal(proxy.ask("GET", "/healthz").body, b"ok\n")
        equal(daemon.run("GET", "smuggled", "after").status, 404, "smuggled")


def send(proxy, data):
    """Sends it, and reads what comes until nothing does."""
    with proxy.connect(timeout=0.3) as connection:
        try:
            connection.send(data)
            while connection.socket.recv(65536):
                pass
        except OSError:
            pass


@claim("the daemon may listen on a unix socket")
def unix_socket(kind, _):
    with temporary_directory() as place:
        path = f"{place}/pending.sock"
        with Daemon("--host", NAME, "--listen", f"unix:{path}") as daemon:
            # The socket is 0660: proxies that give up root need the group, and here have no other way in.
            pathlib.Path(place).chmod(0o755)
            pathlib.Path(path).chmod(0o666)
            with Proxy(kind, path) as proxy, proxy.stream("/v1/screens/t") as stream:
                each_event_before_the_next_change(daemon, stream, "t")


for kind in KINDS:
    for text, numbers, function in claims:
        suite.case(f"{kind}: {text}", *numbers)(functools.partial(function, kind))

if __name__ == "__main__":
    try:
        suite.main()
    finally:
        for proxy in fronts.values():
            proxy.stop()
