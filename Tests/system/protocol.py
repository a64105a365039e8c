#!/usr/bin/env python3
"""Every rule of the parser against a real daemon, over raw sockets: each row of the tables is sent whole, cut at
every byte, byte by byte, and with another request in one write.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import protocol_bodies as bodies  # noqa: E402
import protocol_cases as cases  # noqa: E402
from protocol_cases import EFFECT, fields, refused, served  # noqa: E402
from suite import Suite, equal  # noqa: E402
from wire import Connection, WireError, request_bytes  # noqa: E402

# One loop: an answer on one connection then tells that the bytes sent on others before it have been read.
suite = Suite("--loops", 1, workers=4)
case = suite.case
BATCH = 100
LAST_REQUEST = fields(b"Connection: close")
# What it leaves behind in the decoders would show in the row behind it.
CHUNKED_REQUEST = bodies.chunks(b"3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n", cases.GET)
FIRST_REQUEST = b"GET /healthz?first HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Received(Connection):
    """What came until the connection's end, to be taken apart."""

    def __init__(self, data):
        self.buffer = data

    def receive(self):
        return False


class Barrier:
    """Waits until the daemon has read what was sent."""

    def __init__(self, daemon):
        self.connection = daemon.connect()

    def wait(self):
        # New connections are accepted in one turn of the loop and read in the next.
        for _ in range(2):
            self.connection.ask("GET", "/healthz")


def send(connection, data):
    """A refusal may have closed the connection already; then the answer tells."""
    try:
        connection.send(data)
    except OSError:
        pass


def everything(connection):
    try:
        while connection.receive():
            pass
    except ConnectionError:
        pass
    connection.close()
    return connection.buffer


def judge(data, answers, row, how):
    """The bytes are these answers, each whole, and nothing else."""
    received = Received(data)
    try:
        for status, text, method in answers:
            answer = received.response(method)
            while answer.status == 100:
                answer = received.response(method)
            choices = status if isinstance(status, tuple) else (status,)
            assert answer.status in choices, f"{answer}, expected {status}"
            assert text.encode() in answer.body, f"{answer} lacks {text}"
            assert answer.get("x-injected") is None, answer
            is_problem = answer.get("content-type") == "application/problem+json"
            equal(is_problem, answer.status >= 400, "is a problem document")
            if is_problem:
                document = answer.json
                equal(document["status"], answer.status)
                assert document["title"] and document["type"].startswith("/problems/"), document
        equal(received.buffer, b"", "bytes behind the last answer")
        equal(answer.get("connection"), "close", "Connection of the last answer")
    except (AssertionError, WireError) as error:
        raise AssertionError(f"{row.data[:300]!r} {how}: {error}; all of it: {data[:300]!r}") from error


def exchange(daemon, plan):
    """Sends the parts of each (parts, answers, row, how), the daemon reading in between; judges what comes."""
    barrier = Barrier(daemon)
    plan = iter(plan)
    while batch := [step for step, _ in zip(plan, range(BATCH))]:
        connections = [daemon.connect() for _ in batch]
        for index in range(max(len(parts) for parts, *_ in batch)):
            if index:
                barrier.wait()
            for connection, (parts, *_) in zip(connections, batch):
                if index < len(parts):
                    send(connection, parts[index])
        for connection, (_, answers, row, how) in zip(connections, batch):
            judge(everything(connection), answers, row, how)


def whole(row):
    """The row's bytes, what comes behind them, and all answers."""
    if row.closes:
        return row.data, EFFECT, row.answers
    return row.data, LAST_REQUEST, row.answers + [(200, "ok", "GET")]


def cuts(rows):
    for row in rows:
        data, behind, answers = whole(row)
        yield [data + behind], answers, row, "whole"
        for cut in range(1, len(data) + 1) if row.cuts is None else row.cuts:
            yield [data[:cut], data[cut:] + behind], answers, row, f"cut at {cut}"


def pairs(rows):
    """Behind another request in the same write; a row that is served also behind itself."""
    for row in rows:
        data, behind, answers = whole(row)
        yield [FIRST_REQUEST + data + behind], [(200, "ok", "GET")] + answers, row, "as the second of two"
        yield [CHUNKED_REQUEST + data + behind], [(200, "ok", "GET")] + answers, row, "behind chunks and trailers"
        if not row.closes:
            yield [data + data + behind], row.answers + answers, row, "twice in one write"


def drips(rows):
    for row in rows:
        data, behind, answers = whole(row)
        if len(data) < 400:
            yield [bytes([byte]) for byte in data] + [behind], answers, row, "byte by byte"


def no_effect(daemon):
    runs = daemon.ask("GET", "/v1/runs?task=smuggled&state=all").json["items"]
    equal(runs, [], "what refused requests have done")


def table(claim, *tables):
    """Registers each way of sending a table as a case."""
    rows = [row for rows in tables for row in rows]

    def register(ways, how):
        @case(f"{claim}: {len(rows)} rows, {how}")
        def run(daemon):
            for way in ways:
                exchange(daemon, way(rows))
            no_effect(daemon)

    register((cuts,), "cut at every byte")
    register((pairs, drips), "in one write with another, and byte by byte")


table("request lines that are refused", cases.REQUEST_LINES)
table("bytes that may not stand in names, values and targets", cases.NAME_BYTES, cases.VALUE_BYTES,
      cases.TARGET_BYTES)
table("header fields that are refused", cases.FIELDS)
table("odd requests that are served, and mean nothing but what they say", cases.ODD)
table("requests after which the connection is closed", cases.CLOSING)
table("lengths that are refused", bodies.LENGTHS)
table("transfer codings that are refused", bodies.CODINGS)
table("chunks that are refused", bodies.CHUNKS)
table("bodies that are refused before they are read", bodies.BODIES)
table("bodies that are read to their end", bodies.READ)
table("the edges of all limits", bodies.LIMITS)


@case("requests that end too early, at any byte, have no effect and no answer")
def truncated(daemon):
    barrier = Barrier(daemon)
    for row in (bodies.put(b"Content-Length: 2"), bodies.chunks(b"2\r\n{}\r\n0\r\nX: y\r\n\r\n")):
        connections = [daemon.connect() for _ in range(1, len(row))]
        for cut, connection in enumerate(connections, 1):
            connection.send(row[:cut])
        barrier.wait()
        for cut, connection in enumerate(connections, 1):
            connection.finish_sending()
            equal(everything(connection), b"", f"the answer to {row[:cut]!r}")
    no_effect(daemon)


@case("what follows the request of a stream is no request")
def behind_a_stream(daemon):
    stream = request_bytes("GET", "/v1/screens/x", {"Accept": "text/event-stream"})
    barrier = Barrier(daemon)
    for cut in range(1, len(EFFECT) + 1, 3):
        with daemon.connect() as connection:
            connection.send(stream + EFFECT[:cut])
            equal(connection.head().status, 200)
            connection.send(EFFECT[cut:])
            barrier.wait()
    no_effect(daemon)


@case("an interim answer comes only to a client that waits, and not behind a refusal")
def interim(daemon):
    head = bodies.put(b"Content-Length: 2", b"Expect: 100-continue", body=b"", first=bodies.SERVED)
    with daemon.connect() as connection:
        connection.send(head)
        equal(connection.head().status, 100)
        connection.send(b"{}" + head + b"{}" + LAST_REQUEST)
        equal([connection.response().status // 100 for _ in range(3)], [2, 2, 2], "no 100 if the body is there")
    refusals = [refused(head.replace(b"localhost", b"evil.example"), 421),
                refused(head.replace(b"100-continue", b"100-continued"), 417),
                refused(head.replace(b": 2", b": 70000"), 413)]
    exchange(daemon, cuts([*refusals, served(head + b"{}", ((200, 201), "running"))]))


@case("one write of a thousand requests is answered in order")
def many(daemon):
    paths = [f"/v1/screens/p{i}" for i in range(1000)]
    data = b"".join(request_bytes("GET", path) for path in paths) + LAST_REQUEST
    with daemon.connect(timeout=30) as connection:
        connection.send(data)
        for path in paths:
            equal(connection.response().json["screen"], path.rpartition("/")[2])
        equal(connection.response().status, 200)


if __name__ == "__main__":
    suite.main()
