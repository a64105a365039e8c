#!/usr/bin/env python3
"""How long a connection to a real daemon lives: kept, idle, too slow, half closed, one of many.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import pathlib
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon  # noqa: E402
from suite import Suite, equal, eventually, near, problem  # noqa: E402
from wire import Connection, request_bytes  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case
JSON = {"Content-Type": "application/json"}


@case("pipelined requests are answered in order, writes and reads alike")
def pipelining(daemon):
    task = suite.name()
    data, expected = b"", []
    for i in range(40):
        data += request_bytes("PUT", f"/v1/tasks/{task}/runs/r{i}", JSON, "{}") + b""
        data += request_bytes("GET", f"/v1/screens/{task}")
        expected += [201, i + 1]
    with daemon.connect() as connection:
        connection.send(data)
        found = []
        for i in range(40):
            found.append(connection.response().status)
            found.append(connection.response().json["runCount"])
    equal(found, expected)


@case("a connection is kept on 1.1 and on a 1.0 that asks, else closed")
def keep_alive(daemon):
    for version, header, kept in (("1.1", None, True), ("1.1", "close", False), ("1.1", "foo, Close", False),
                                  ("1.0", None, False), ("1.0", "keep-alive", True), ("1.0", "Keep-Alive", True)):
        with daemon.connect() as connection:
            for _ in range(2 if kept else 1):
                wish = {"Connection": header} if header else None
                answer = connection.ask("GET", "/healthz", wish, version=version)
                equal(answer.status, 200)
                equal(answer.version, "HTTP/1.1", "our version, whatever the client's")
            if kept and version == "1.0":
                equal(answer.get("connection", "").lower(), "keep-alive")
            if not kept:
                equal(answer.get("connection", "").lower(), "close", f"{version} {header}")
                assert connection.is_closed(2), f"{version} {header}"
            else:
                assert connection.is_silent(0.1), f"{version} {header}"


@case("a head that does not come in 10 s is 408, a body in 30 s; an idle connection may wait longer")
def deadlines(daemon):
    with daemon.connect(timeout=40) as head, daemon.connect(timeout=40) as body, daemon.connect() as idle, \
            daemon.connect(timeout=40) as dripping_head:
        equal(idle.ask("GET", "/healthz").status, 200)
        started = time.monotonic()
        head.send(b"GET /healthz HTT")
        body.send(b"PUT /v1/tasks/late/runs/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{")

        def drip():
            try:
                for byte in b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100:
                    dripping_head.send(bytes([byte]))
                    time.sleep(0.2)
            except OSError:
                pass

        threading.Thread(target=drip, daemon=True).start()
        problem(head.response(), 408, "request-timeout")
        near(time.monotonic() - started, 10.5, 1.2 + suite.lag.since(started), "seconds of the head")
        assert head.is_closed()
        problem(dripping_head.response(), 408, "request-timeout")
        near(time.monotonic() - started, 10.5, 1.7 + suite.lag.since(started), "seconds of the dripping head")
        time.sleep(1)
        equal(idle.ask("GET", "/healthz").status, 200, "idle for 11 s")
        problem(body.response(), 408, "request-timeout")
        near(time.monotonic() - started, 30.5, 1.2 + suite.lag.since(started), "seconds of the body")


@case("an idle connection is closed without a word after its time")
def idle_deadline(_):
    with Daemon("--idle-deadline", 1) as daemon, daemon.connect() as fresh, daemon.connect() as used:
        equal(used.ask("GET", "/healthz").status, 200)
        with daemon.stream("/v1/screens/x") as stream:
            before = time.monotonic()
            for connection in (fresh, used):
                equal(connection.socket.recv(1), b"", "the end, and nothing before it")
            assert 0.8 < time.monotonic() - before < 3 + suite.lag.since(before)
            assert stream.ended_at is None, "a stream is not idle"


@case("a client that sends half a request and goes leaves nothing behind")
def half_requests(daemon):
    for data in (b"", b"G", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n",
                 "PUT /v1/tasks/half/runs/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{}".encode()):
        for leave in (Connection.close, Connection.reset, Connection.finish_sending):
            connection = daemon.connect()
            connection.send(data)
            leave(connection)
            if leave is Connection.finish_sending:
                assert connection.is_closed(3), data
                connection.close()
    problem(daemon.run("GET", "half", "a"), 404, "not-found")


@case("a write whose client half-closes is carried out and answered")
def half_closed_write(daemon):
    task = suite.name()
    with daemon.connect() as connection:
        connection.send(request_bytes("PUT", f"/v1/tasks/{task}/runs/a", JSON, "{}") +
                        request_bytes("GET", f"/v1/screens/{task}"))
        connection.finish_sending()
        equal(connection.response().status, 201)
        equal(connection.response().json["isPending"], True, "what was pipelined before the FIN")
        assert connection.is_closed()
    connection = daemon.connect()
    connection.send(request_bytes("PUT", f"/v1/tasks/{task}/runs/b", JSON, "{}"))
    connection.reset()
    eventually(lambda: daemon.run("GET", task, "b").status in (200, 404))
    equal(daemon.ask("GET", "/healthz").status, 200)


@case("hundreds of connections at once are all served")
def crowd(daemon):
    path = f"/v1/screens/{suite.name()}"
    crowd = [daemon.connect() for _ in range(400)]
    for connection in crowd:
        connection.send(request_bytes("GET", path))
    for connection in crowd:
        equal(connection.response().status, 200)
        connection.close()


if __name__ == "__main__":
    suite.main()

