#!/usr/bin/env python3
"""How a real daemon reads requests: strict and bounded, never repairing.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import WireError, request_bytes  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case
JSON = {"Content-Type": "application/json"}


def refused(daemon, data, status, kind=None):
    """The bytes are answered with a problem and the end of the connection; what follows them is no request."""
    with daemon.connect() as connection:
        connection.send(data)
        answer = connection.response()
        equal(answer.status, status, f"{data[:120]!r}")
        problem(answer, status, kind or answer.problem)
        equal(answer.get("connection", "").lower(), "close", f"{data[:120]!r}")
        assert connection.is_closed(4), f"still open after {data[:120]!r}"
        return answer


@case("damaged framing is refused and closes the connection, never repaired")
def bad_requests(daemon):
    host = b"Host: localhost\r\n"
    get = b"GET /healthz HTTP/1.1\r\n"
    put = b"PUT /v1/tasks/smuggled/runs/a HTTP/1.1\r\n"
    rows = [
        (b"GET  /healthz HTTP/1.1\r\n" + host + b"\r\n", 400), (b"GET /healthz\r\n\r\n", 400),
        (b"GET /health z HTTP/1.1\r\n" + host + b"\r\n", 400), (b" GET /healthz HTTP/1.1\r\n" + host + b"\r\n", 400),
        (b"GET /healthz HTTP/1.1 \r\n" + host + b"\r\n", 400), (b"GET healthz HTTP/1.1\r\n" + host + b"\r\n", 400),
        (b"GET /he#althz HTTP/1.1\r\n" + host + b"\r\n", 400), (b"GET /\xc3\xa9 HTTP/1.1\r\n" + host + b"\r\n", 400),
        (b"GET /a\x7f HTTP/1.1\r\n" + host + b"\r\n", 400), (b"GET /a\0b HTTP/1.1\r\n" + host + b"\r\n", 400),
        (b"GET /healthz HTTP/1.1\n" + host + b"\r\n", 400), (get + b"Host: localhost\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r" + host + b"\r\n", 400), (get + b"Host: local\rhost\r\n\r\n", 400),
        (get + b"\r\n", 400), (get + host + host + b"\r\n", 400),
        (get + b"Host : localhost\r\n\r\n", 400), (get + b" Host: localhost\r\n\r\n", 400),
        (get + host + b"X: a\r\n b\r\n\r\n", 400), (get + host + b"X\r\n\r\n", 400),
        (get + host + b": x\r\n\r\n", 400),
        (get + host + b"X(y): 1\r\n\r\n", 400), (get + host + b"X: a\0b\r\n\r\n", 400),
        (get + host + b"X: a\x01b\r\n\r\n", 400), (get + host + b"X: a\x7fb\r\n\r\n", 400),
        (put + host + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x", 400),
        (put + host + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
        (put + host + b"Content-Length: 2, 2\r\n\r\n{}", 400), (put + host + b"Content-Length: +2\r\n\r\n{}", 400),
        (put + host + b"Content-Length: -1\r\n\r\n", 400), (put + host + b"Content-Length: 0x2\r\n\r\n{}", 400),
        (put + host + b"Content-Length: \r\n\r\n", 400), (put + host + b"Content-Length: 2 2\r\n\r\n{}", 400),
        (put + host + b"Content-Length : 2\r\n\r\n{}", 400),
        (put + host + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (put + host + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", 400),
        (put + host + b"Transfer-Encoding: gzip\r\n\r\n", 501),
        (put + host + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        (put + host + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", (400, 501)),
        (put + host + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
        (put + host + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n", 400),
        (put + host + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", (400, 501)),
        (b"PUT /v1/tasks/smuggled/runs/a HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (b"GET /healthz HTTP/2.0\r\n" + host + b"\r\n", 505), (b"GET /healthz HTTP/1.2\r\n" + host + b"\r\n", 505),
        (b"GET /healthz HTTP/0.9\r\n\r\n", 505), (b"GET /healthz http/1.1\r\n" + host + b"\r\n", 400),
        (b"GET /healthz HTTP/1.10\r\n" + host + b"\r\n", 400), (b"GET /healthz HTTQ/1.1\r\n" + host + b"\r\n", 400),
        (b"BREW /healthz HTTP/1.1\r\n" + host + b"\r\n", 501), (b"get /healthz HTTP/1.1\r\n" + host + b"\r\n", 501),
        (b"PROPFIND / HTTP/1.1\r\n" + host + b"\r\n", 501), (b"G\xffT / HTTP/1.1\r\n" + host + b"\r\n", 400),
        (get + host + b"Expect: 200-ok\r\n\r\n", 417),
        (put + host + b"Expect: x\r\nContent-Length: 2\r\n\r\n{}", 417),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", (400, 501, 505)),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),
        (b"GET * HTTP/1.1\r\n" + host + b"\r\n", 400), (b"GET //localhost:1 HTTP/1.1\r\n" + host + b"\r\n", 404),
    ]
    kinds = {417: "expectation-failed", 501: "not-implemented", 505: "version-not-supported", 400: "bad-request"}
    for data, expected in rows:
        smuggled = request_bytes("PUT", "/v1/tasks/smuggled/runs/b", JSON, "{}")
        if expected == 404:
            equal(daemon.raw(data).status, 404, data)
            continue
        choices = expected if isinstance(expected, tuple) else (expected,)
        with daemon.connect() as connection:
            connection.send(data + smuggled)
            answer = connection.response()
            assert answer.status in choices, f"{data!r}: {answer}, expected {expected}"
            problem(answer, answer.status, kinds[answer.status])
            equal(answer.get("connection", "").lower(), "close", f"{data!r}")
            assert connection.is_closed(4), f"still open after {data!r}"
    problem(daemon.run("GET", "smuggled", "a"), 404, "not-found")
    problem(daemon.run("GET", "smuggled", "b"), 404, "not-found")


@case("chunked bodies are read; damaged chunks are refused and nothing behind them is a request")
def chunks(daemon):
    task = suite.name()
    head = (f"PUT /v1/tasks/{task}/runs/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Transfer-Encoding: %s\r\n\r\n")
    good = ['2\r\n{}\r\n0\r\n\r\n', '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n', '2;name=value\r\n{}\r\n0\r\n\r\n',
            '00000002\r\n{}\r\n000\r\n\r\n', '2\r\n{}\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n',
            'D\r\n{"title":"T"}\r\n0\r\n\r\n', 'd\r\n{"title":"T"}\r\n0\r\n\r\n']
    with daemon.connect() as connection:
        for i, body in enumerate(good):
            connection.send((head % (f"g{i}", "chunked")).encode() + body.encode())
        for i, body in enumerate(good):
            equal(connection.response().status, 201, body)
    equal(daemon.raw((head % ("upper", "Chunked")).encode() + good[0].encode()).status, 201, "names of codings")
    bad = [b"2\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n", b"2 \r\n{}\r\n0\r\n\r\n", b" 2\r\n{}\r\n0\r\n\r\n",
           b"0x2\r\n{}\r\n0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b"+2\r\n{}\r\n0\r\n\r\n", b"\r\n{}\r\n0\r\n\r\n",
           b"g\r\n{}\r\n0\r\n\r\n", b"000000002\r\n{}\r\n0\r\n\r\n", b"3\r\n{}\r\n0\r\n\r\n",
           b"ffffffffffffffff\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\n0\r\n\r\n", b"2\r\n{}\r\n0\r\nbad trailer\r\n\r\n",
           b"2;\x01\r\n{}\r\n0\r\n\r\n", b"2;" + b"x" * 100_000 + b"\r\n{}\r\n0\r\n\r\n",
           b"2\r\n{}\r\n0\r\n" + b"T: x\r\n" * 30_000 + b"\r\n"]
    for i, body in enumerate(bad):
        with daemon.connect() as connection:
            try:
                connection.send((head % (f"b{i}", "chunked")).encode() + body +
                                request_bytes("PUT", f"/v1/tasks/{task}/runs/after{i}", JSON, "{}"))
            except OSError:
                pass
            try:
                answer = connection.response()
                assert answer.status in (400, 413, 431), f"{body[:60]!r}: {answer}"
            except (WireError, OSError):
                assert len(body) > 10_000, f"no answer to {body[:60]!r}"
            assert connection.is_closed(4), f"still open after {body[:60]!r}"
    runs = [item["run"] for item in daemon.ask("GET", f"/v1/runs?task={task}&state=all").json["items"]]
    equal(runs, sorted([f"g{i}" for i in range(len(good))] + ["upper"]))


@case("heads, targets and bodies have limits, each with its own status")
def limits(daemon):
    pad = "x" * 1000
    equal(daemon.ask("GET", "/v1/screens/limits?" + "a" * 31_000).status, 200, "a target of 31 kB")
    refused(daemon, request_bytes("GET", "/v1/screens/limits?" + "a" * 33_000), 414, "uri-too-long")
    equal(daemon.ask("GET", "/healthz", [(f"X-{i}", "1") for i in range(99)]).status, 200, "100 fields with Host")
    refused(daemon, request_bytes("GET", "/healthz", [(f"X-{i}", "1") for i in range(101)]), 431, "head-too-large")
    equal(daemon.ask("GET", "/healthz", [(f"X-{i}", pad) for i in range(38)]).status, 200, "a head of 38 kB")
    refused(daemon, request_bytes("GET", "/healthz", [(f"X-{i}", pad) for i in range(42)]), 431, "head-too-large")
    refused(daemon, b"GET /healthz HTTP/1.1\r\nX: " + b"x" * 60_000, 431, "head-too-large")
    path = f"/v1/tasks/{suite.name()}/runs/a"
    body = '{"reason":"r"' + " " * (64 * 1024 - 14) + "}"
    equal(len(body), 64 * 1024)
    equal(daemon.ask("PUT", path, JSON, body).status, 201, "a body of exactly 64 KiB")
    answer = refused(daemon, request_bytes("PUT", path, JSON, body + " "), 413, "too-large")
    equal(answer.json["limit"], 64 * 1024)
    chunked = "Transfer-Encoding: chunked\r\n\r\n" + f"{0x8000:x}\r\n" + " " * 0x8000 + "\r\n" + f"{0x8001:x}\r\n"
    refused(daemon, f"PUT {path} HTTP/1.1\r\nHost: localhost\r\n{chunked}".encode() + b" " * 0x8001, 413, "too-large")
    refused(daemon, f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n"
            .encode(), 413, "too-large")
    refused(daemon, f"PUT {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n"
            .encode(), 413, "too-large")


@case("a too large body that the client is still sending ends in the answer, not in a reset")
def lingering_close(daemon):
    answer = daemon.ask("PUT", "/v1/tasks/big/runs/a", JSON, b" " * 66_000)
    problem(answer, 413, "too-large")


@case("bytes that drip in are a request all the same; a leading empty line is tolerated, two are not")
def dripping(daemon):
    with daemon.connect() as connection:
        for byte in b"\r\n" + request_bytes("PUT", f"/v1/tasks/{suite.name()}/runs/a", JSON, '{"title":"T"}'):
            connection.send(bytes([byte]))
        equal(connection.response().json["title"], "T")
        connection.send(b"\r\n" + request_bytes("GET", "/healthz"))
        equal(connection.response().status, 200)
    refused(daemon, b"\r\n\r\n" + request_bytes("GET", "/healthz"), 400, "bad-request")


@case("Expect: 100-continue is answered once the head is accepted, and not when it is refused")
def expect_continue(daemon):
    task = suite.name()
    head = (f"PUT /v1/tasks/{task}/runs/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\nExpect: 100-Continue\r\n\r\n").encode()
    with daemon.connect() as connection:
        connection.send(head)
        equal(connection.head().status, 100)
        connection.send(b"{}")
        equal(connection.response().status, 201)
        connection.send(head + b"{}")
        statuses = [connection.head().status]
        if statuses == [100]:
            statuses = [connection.response().status]
        equal(statuses, [200], "a body sent at once")
    for change, status in ((("/tasks/", "/tasks/.bad"), 400), (("localhost", "evil.example"), 421),
                           (("Content-Length: 2", "Content-Length: 70000"), 413), (("PUT", "PATCH"), None)):
        if status:
            refused(daemon, head.replace(change[0].encode(), change[1].encode()), status)


@case("a body on GET, HEAD and DELETE is read and ignored, within the limit")
def ignored_bodies(daemon):
    task = suite.name()
    daemon.put(task)
    with daemon.connect() as connection:
        for method, status in (("GET", 200), ("HEAD", 200), ("DELETE", 204), ("GET", 404)):
            text = {"Content-Type": "text/plain"}
            answer = connection.ask(method, f"/v1/tasks/{task}/runs/a", text, "GET / HTTP/1.1")
            equal(answer.status, status, method)
    refused(daemon, request_bytes("GET", "/healthz", body="x" * 70_000), 413, "too-large")


@case("an absolute target is served if its authority is ours, which then counts in place of Host")
def absolute_targets(daemon):
    for target, host, status in (("http://localhost/healthz", "localhost", 200),
                                 (f"http://127.0.0.1:{daemon.port}/v1/screens/x?width=3", "evil.example", 200),
                                 ("http://evil.example/v1/screens/x", "localhost", 421),
                                 ("HTTP://LOCALHOST/v1/screens/x", "localhost", 200)):
        equal(daemon.ask("GET", target, host=host).status, status, target)
    for bad in ("http:///healthz", "http://user@localhost/v1/screens/x", "http://localhost:x/v1/screens/x",
                "http://local host/"):
        answer = daemon.ask("GET", bad)
        assert answer.status in (400, 421), (bad, answer)


@case("random damage to requests never takes the daemon down")
def fuzz(_):
    seed = random.randrange(2**32)
    chance = random.Random(seed)
    valid = [request_bytes("GET", "/v1/screens/x?width=200&format=json", {"If-None-Match": '"0123456789abcdef"'}),
             request_bytes("PUT", "/v1/tasks/fuzz/runs/a", JSON, '{"title":"T","progress":{"total":2}}'),
             request_bytes("PUT", "/v1/screens/fuzz/configuration", JSON, '{"tasks":["a.*"],"scale":2}'),
             request_bytes("GET", "/v1/screens?id=a&id=b:1x2", {"Accept": "text/event-stream"}),
             request_bytes("PATCH", "/v1/tasks/fuzz/runs/a", {"Transfer-Encoding": "chunked"})
             + b"2\r\n{}\r\n0\r\n\r\n",
             request_bytes("GET", "/v1/runs?state=all&limit=3", {"Prefer": "wait=1", "Expect": "100-continue"})]
    with Daemon("--loops", 2) as daemon:
        for _ in range(5000):
            data = bytearray(chance.choice(valid) + chance.choice(valid))
            for _ in range(chance.randrange(1, 6)):
                at = chance.randrange(len(data))
                match chance.randrange(4):
                    case 0: data[at] = chance.randrange(256)
                    case 1: del data[at : at + chance.randrange(1, 9)]
                    case 2: data[at:at] = bytes(chance.choices(b"\r\n :,;=\"\\{}[]0%\xff", k=chance.randrange(1, 5)))
                    case 3: data[at:at] = data[at : at + chance.randrange(40)]
            with daemon.connect() as connection:
                connection.send(bytes(data))
                connection.finish_sending()
                assert connection.is_closed(3), f"seed {seed}: still open after {bytes(data)!r} and its end"
        equal(daemon.ask("GET", "/healthz").status, 200, f"seed {seed}")
        assert daemon.process.poll() is None, f"seed {seed}: {daemon.log()[-2000:]}"
        eventually(lambda: daemon.metrics()["pending_http_connections"] <= 1, 3, f"seed {seed}: none is left")


if __name__ == "__main__":
    suite.main()

