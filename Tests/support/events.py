"""Event streams as a browser reads them, and when each event arrived."""

import json
import socket
import threading
import time

from wire import Connection, WireError, request_bytes


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
    body bytes. Without ``dispatch`` (another status, HEAD) only the head is there. ``address`` may also be a
    ``Connection`` that is already made.
    """

    def __init__(self, address, target, headers=None, version="1.1", timeout=15.0, receive_buffer=None):
        is_made = isinstance(address, Connection)
        self.connection = address if is_made else Connection(address, timeout, receive_buffer)
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
