"""HTTP over plain sockets, and event streams: what a careful client sees, byte by byte.

Nothing here repairs an answer: a response that breaks its own framing raises ``WireError``.
"""

import hashlib
import json
import select
import socket
import threading
import time


class WireError(Exception):
    """The peer broke the framing, closed too early, or stayed silent for longer than the timeout."""


def token(body):
    """The token of a screen's body: the hash of it without its outermost version, which comes last."""
    start, mark, rest = body.rpartition(b',"version":"')
    if not mark or rest[16:] != b'"}':
        raise WireError(f"no version at the end: {body[-60:]!r}")
    return hashlib.sha256(start + b"}").hexdigest()[:16]


class Response:
    """One response. Header names are lower case in ``fields``; a repeated field is joined by ``", "``."""

    def __init__(self, version, status, reason, lines, body):
        self.version = version
        self.status = status
        self.reason = reason
        self.lines = lines
        self.body = body
        self.fields = {}
        for name, value in lines:
            key = name.lower()
            self.fields[key] = f"{self.fields[key]}, {value}" if key in self.fields else value

    def get(self, name, default=None):
        return self.fields.get(name.lower(), default)

    @property
    def json(self):
        return json.loads(self.body.decode("utf-8"))

    @property
    def etag(self):
        return self.get("etag")

    @property
    def problem(self):
        """The last part of a problem document's type: ``run-ended`` of ``/problems/run-ended``."""
        if self.get("content-type", "").split(";")[0] != "application/problem+json":
            return None
        return self.json.get("type", "").rpartition("/problems/")[2]

    def __repr__(self):
        return f"<{self.status} {self.fields} {self.body[:400]!r}>"


def request_bytes(method, target, headers=None, body=None, version="1.1", host="localhost"):
    """A request as bytes. ``headers`` is a dict or a list of pairs; ``Host`` is added unless given or None."""
    pairs = list(headers.items()) if isinstance(headers, dict) else list(headers or [])
    names = {name.lower() for name, _ in pairs}
    lines = [f"{method} {target} HTTP/{version}"]
    if host is not None and "host" not in names:
        lines.append(f"Host: {host}")
    if isinstance(body, (dict, list)):
        body = json.dumps(body, ensure_ascii=False)
        if "content-type" not in names:
            lines.append("Content-Type: application/json")
    if isinstance(body, str):
        body = body.encode("utf-8")
    if body is not None and not names & {"content-length", "transfer-encoding"}:
        lines.append(f"Content-Length: {len(body)}")
    lines += [f"{name}: {value}" for name, value in pairs]
    # Latin-1 keeps bytes above 0x7f as they are: some tests send them on purpose.
    head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
    return head + (body or b"")


class Connection:
    """One TCP (or Unix) connection to a daemon; several requests may be under way on it."""

    def __init__(self, address, timeout=15.0, receive_buffer=None):
        if isinstance(address, str):
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        else:
            family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
            self.socket = socket.socket(family, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        if self.socket.family != socket.AF_UNIX:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Closes with an RST in place of a FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def finish_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        """More bytes into the buffer; False at the end of the connection."""
        try:
            more = self.socket.recv(65536)
        except (TimeoutError, socket.timeout) as error:
            raise WireError(f"nothing received for {self.socket.gettimeout()} s") from error
        except ConnectionResetError:
            return False
        self.buffer += more
        return bool(more)

    def take_until(self, mark):
        while mark not in self.buffer:
            if not self.receive():
                raise WireError(f"closed before {mark!r}; had {self.buffer[:300]!r}")
        taken, _, self.buffer = self.buffer.partition(mark)
        return taken

    def take(self, count):
        while len(self.buffer) < count:
            if not self.receive():
                raise WireError(f"closed after {len(self.buffer)} of {count} bytes")
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def head(self):
        """A response's head without its body."""
        text = self.take_until(b"\r\n\r\n").decode("latin-1")
        first, *rest = text.split("\r\n")
        version, status, reason = (first.split(" ", 2) + [""])[:3]
        if not version.startswith("HTTP/1.") or not (status.isdigit() and len(status) == 3):
            raise WireError(f"not a status line: {first!r}")
        lines = []
        for line in rest:
            name, colon, value = line.partition(":")
            if not colon or name != name.strip():
                raise WireError(f"not a header line: {line!r}")
            lines.append((name, value.strip()))
        return Response(version, int(status), reason, lines, b"")

    def response(self, method="GET"):
        """The next response with its body. ``method`` is that of the request it answers."""
        response = self.head()
        if method == "HEAD" or response.status in (204, 304) or 100 <= response.status < 200:
            return response
        if response.get("transfer-encoding") == "chunked":
            while chunk := self.chunk():
                response.body += chunk
        elif response.get("content-length") is not None:
            response.body = self.take(int(response.get("content-length")))
        else:
            while self.receive():
                pass
            response.body, self.buffer = self.buffer, b""
        return response

    def chunk(self):
        """One chunk's bytes; empty for the last one, after which no trailer is expected."""
        size = int(self.take_until(b"\r\n"), 16)
        data = self.take(size)
        if self.take(2) != b"\r\n":
            raise WireError("a chunk does not end in CRLF")
        return data

    def ask(self, method, target, headers=None, body=None, **how):
        self.send(request_bytes(method, target, headers, body, **how))
        return self.response(method)

    def is_closed(self, within=3.0):
        """True when the peer ends the connection in time; whatever else arrives until then is dropped."""
        deadline = time.monotonic() + within
        while (left := deadline - time.monotonic()) > 0:
            if select.select([self.socket], [], [], left)[0]:
                try:
                    if not self.socket.recv(65536):
                        return True
                except ConnectionError:
                    return True
        return False

    def is_silent(self, seconds):
        """True when nothing at all arrives for so long, not even the end."""
        return not self.buffer and not select.select([self.socket], [], [], seconds)[0]


class Event:
    """One dispatched event of a stream. ``at`` is when its last byte arrived, by the monotonic clock."""

    def __init__(self, at, kind, data, last_id):
        self.at = at
        self.kind = kind
        self.data = data
        self.id = last_id

    @property
    def json(self):
        return json.loads(self.data)

    def __repr__(self):
        return f"<{self.kind} id={self.id} {self.data[:200]}>"


class EventParser:
    """The event stream parser of the HTML standard, 9.2.6, fed with bytes.

    ``own_id`` of an event tells whether its block had an ``id`` line, which a browser does not show.
    """

    def __init__(self):
        self.pending = b""
        self.is_first = True
        self.after_cr = False
        self.data = []
        self.kind = ""
        self.last_id = ""
        self.block_has_id = False
        self.retry = None
        self.comments = []

    def feed(self, bytes_in, at):
        """The events that these bytes complete."""
        events = []
        self.pending += bytes_in
        if self.is_first and len(self.pending) >= 3:
            self.is_first = False
            self.pending = self.pending.removeprefix(b"\xef\xbb\xbf")
        while (line := self.next_line()) is not None:
            event = self.line(line.decode("utf-8", "replace"), at)
            if event:
                events.append(event)
        return events

    def next_line(self):
        if self.after_cr and self.pending:
            self.pending = self.pending.removeprefix(b"\n")
            self.after_cr = False
        ends = [i for i in (self.pending.find(b"\n"), self.pending.find(b"\r")) if i >= 0]
        if not ends:
            return None
        end = min(ends)
        line, self.after_cr = self.pending[:end], self.pending[end : end + 1] == b"\r"
        self.pending = self.pending[end + 1 :]
        return line

    def line(self, line, at):
        if line == "":
            return self.dispatch(at)
        if line.startswith(":"):
            self.comments.append((at, line[1:]))
            return None
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self.kind = value
        elif field == "data":
            self.data.append(value)
        elif field == "id" and "\0" not in value:
            self.last_id = value
            self.block_has_id = True
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value)
        return None

    def dispatch(self, at):
        event = None
        if self.data:
            event = Event(at, self.kind or "message", "\n".join(self.data), self.last_id)
            event.own_id = self.block_has_id
        self.data, self.kind, self.block_has_id = [], "", False
        return event


class EventStream:
    """A subscription, read by a thread of its own so that arrival times are true.

    ``head`` is the response's head, ``chunks`` the bodies of the HTTP chunks in order (1.1 only), ``raw`` all
    body bytes. Without ``dispatch`` (another status, HEAD) only the head is there.
    """

    def __init__(self, address, target, headers=None, version="1.1", timeout=15.0, receive_buffer=None):
        self.connection = Connection(address, timeout, receive_buffer)
        self.parser = EventParser()
        self.events = []
        self.chunks = []
        self.raw = b""
        self.ended_at = None
        self.fault = None
        self.changed = threading.Condition()
        self.read_index = 0
        fields = {"Accept": "text/event-stream"}
        fields.update(headers or {})
        self.asked_at = time.monotonic()
        self.connection.send(request_bytes("GET", target, fields, version=version))
        self.head = self.connection.head()
        self.head_at = time.monotonic()
        self.connection.socket.settimeout(None)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            self.connection.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.thread.join(5)
        self.connection.close()

    def read(self):
        try:
            if self.head.get("transfer-encoding") == "chunked":
                while chunk := self.connection.chunk():
                    self.arrived(chunk, is_chunk=True)
                # After the last chunk only the end of the connection may follow.
                while self.connection.receive():
                    self.fault = f"bytes after the last chunk: {self.connection.buffer[:100]!r}"
                    break
            else:
                while True:
                    data, self.connection.buffer = self.connection.buffer, b""
                    if data:
                        self.arrived(data, is_chunk=False)
                    elif not self.connection.receive():
                        break
        except (WireError, OSError, ValueError) as error:
            self.fault = str(error)
        with self.changed:
            self.ended_at = time.monotonic()
            self.changed.notify_all()

    def arrived(self, data, is_chunk):
        now = time.monotonic()
        with self.changed:
            self.raw += data
            if is_chunk:
                self.chunks.append(data)
            self.events += self.parser.feed(data, now)
            self.changed.notify_all()

    @property
    def retry(self):
        return self.parser.retry

    @property
    def states(self):
        with self.changed:
            return [event for event in self.events if event.kind == "state"]

    def wait(self, condition, timeout=5.0):
        """True as soon as ``condition()`` holds; asked again after each arrival."""
        with self.changed:
            return self.changed.wait_for(condition, timeout)

    def next(self, timeout=5.0, kind=None):
        """The next event not yet taken (of ``kind`` if given); None when none comes in time."""
        deadline = time.monotonic() + timeout
        with self.changed:
            while True:
                while self.read_index < len(self.events):
                    event = self.events[self.read_index]
                    self.read_index += 1
                    if kind in (None, event.kind):
                        return event
                left = deadline - time.monotonic()
                if left <= 0 or self.ended_at is not None:
                    return None
                self.changed.wait(left)

    def has_ended(self, within=3.0):
        return self.wait(lambda: self.ended_at is not None, within)
