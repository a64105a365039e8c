"""HTTP over plain sockets: what a careful client sees, byte by byte.

Nothing here repairs an answer: a response that breaks its own framing raises ``WireError``.
"""

import hashlib
import json
import select
import socket
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
            if self.has_arrivals(left):
                try:
                    if not self.socket.recv(65536):
                        return True
                except ConnectionError:
                    return True
        return False

    def is_silent(self, seconds):
        """True when nothing at all arrives for so long, not even the end."""
        return not self.buffer and not self.has_arrivals(seconds)

    def has_arrivals(self, within):
        """True as soon as there are bytes to read, or the end. No ``select``, which fails above descriptor 1023."""
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(within * 1000))

