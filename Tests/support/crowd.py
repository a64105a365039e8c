"""Thousands of clients in one thread: what many connections at once see, and what they cost the daemon."""

import contextlib
import errno
import os
import resource
import select
import socket
import threading
import time

from suite import equal, eventually
from wire import WireError, request_bytes

LIST = request_bytes("GET", "/v1/runs?state=failed&limit=200")
LINGER_RESET = b"\1\0\0\0\0\0\0\0"


def raise_file_limit():
    """As many descriptors as this process may have."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


class Member:
    """One connection of a crowd. ``end`` is None while it is open, then ``FIN``, ``RST`` or ``refused``."""

    __slots__ = ("socket", "data", "end", "ended_at", "received")

    def __init__(self, socket_):
        self.socket = socket_
        self.data = b""
        self.received = 0
        self.end = None
        self.ended_at = None

    def send(self, data):
        """The number of bytes that the kernel took; 0 when it is full, or the connection is over."""
        try:
            return self.socket.send(data)
        except (BlockingIOError, OSError):
            return 0

    def reset(self):
        """Goes with an RST in place of a FIN."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_RESET)
        self.socket.close()


class Crowd:
    """Non-blocking connections to one address. Every one is read whenever ``run`` is called, unless it is deaf."""

    def __init__(self, address, count=0, request=b"", receive_buffer=None, keeps=1 << 20):
        self.address = address
        self.members = []
        self.by_number = {}
        self.keeps = keeps
        self.poll = select.epoll()
        self.add(count, request, receive_buffer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for member in self.members:
            member.socket.close()
        self.poll.close()

    def add(self, count, request=b"", receive_buffer=None, is_deaf=False):
        """Connects ``count`` more, and sends ``request`` on each as soon as it is connected."""
        added = []
        for _ in range(count):
            member = Member(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            if receive_buffer:
                member.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            # Blocking: on the loopback it takes as long as the kernel needs to queue it.
            member.socket.settimeout(10)
            try:
                member.socket.connect(self.address)
                member.socket.setblocking(False)
            except OSError:
                member.end = "refused"
                member.ended_at = time.monotonic()
            else:
                if request:
                    member.send(request)
                if not is_deaf:
                    self.listen(member)
            self.members.append(member)
            added.append(member)
        return added

    def storm(self, count, request):
        """Begins ``count`` connections before any of them is waited for, and sends ``request`` on each."""
        waiting = {}
        for _ in range(count):
            member = Member(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
            member.socket.setblocking(False)
            if member.socket.connect_ex(self.address) not in (0, errno.EINPROGRESS):
                member.end = "refused"
            self.members.append(member)
            self.poll.register(member.socket.fileno(), select.EPOLLOUT)
            waiting[member.socket.fileno()] = member
        deadline = time.monotonic() + 15
        while waiting and time.monotonic() < deadline:
            for number, _ in self.poll.poll(0.05, 4096):
                if not (member := waiting.pop(number, None)):
                    self.read(self.by_number[number])
                elif member.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                    self.ended(member, "refused")
                else:
                    member.send(request)
                    self.by_number[number] = member
                    self.poll.modify(number, select.EPOLLIN)

    def listen(self, member):
        """What arrives for ``member`` is read from now on."""
        self.by_number[member.socket.fileno()] = member
        self.poll.register(member.socket.fileno(), select.EPOLLIN)

    def run(self, until=lambda: False, within=10.0):
        """Reads until ``until()`` holds, which is returned; it is asked after each turn."""
        deadline = time.monotonic() + within
        while not (done := until()) and time.monotonic() < deadline:
            for number, _ in self.poll.poll(min(0.05, max(0, deadline - time.monotonic())), 4096):
                self.read(self.by_number[number])
        return done

    def read(self, member):
        try:
            data = member.socket.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            return self.ended(member, "RST")
        if not data:
            return self.ended(member, "FIN")
        member.received += len(data)
        if len(member.data) < self.keeps:
            member.data += data

    def ended(self, member, how):
        self.poll.unregister(member.socket.fileno())
        member.end = how
        member.ended_at = time.monotonic()
        member.socket.close()

    def ends(self):
        """How many ended in which way; those that are open under None."""
        counts = {}
        for member in self.members:
            counts[member.end] = counts.get(member.end, 0) + 1
        return counts

    def having(self, mark):
        """How many have received these bytes."""
        return sum(mark in member.data for member in self.members)


def fill(daemon):
    """Makes what ``LIST`` asks for an answer of about 700 KB, always the same, which is returned."""
    with daemon.connect() as connection:
        for i in range(110):
            answer = connection.ask("PUT", f"/v1/tasks/big{i}/runs/a", body={"state": "failed", "reason": "€" * 2000})
            equal(answer.status, 201)
        connection.send(LIST)
        return connection.response().body


def descriptors(daemon):
    """How many descriptors the daemon has open."""
    return len(os.listdir(f"/proc/{daemon.process.pid}/fd"))


def quiet(daemon, within=3.0, others=0, streams=0):
    """Every gauge of connections is back to where nobody is there but the one who asks, and ``others``."""

    def gauges():
        samples = daemon.metrics()
        return (samples["pending_http_connections"] <= 1 + others and samples["pending_streams"] == streams
                and samples["pending_long_polls"] == 0)

    eventually(gauges, within, "gauges are back to zero")


@contextlib.contextmanager
def bystander(daemon, lag):
    """A client that behaves, beside those that do not: every one of its requests is answered, in reasonable time."""
    stop = threading.Event()
    failures, slowest = [], [0.0]
    started = time.monotonic()

    def ask():
        with daemon.connect() as connection:
            while not stop.is_set():
                before = time.monotonic()
                try:
                    status = connection.ask("GET", "/v1/screens/bystander").status
                    if status != 200:
                        failures.append(status)
                except (OSError, WireError) as error:
                    failures.append(error)
                    return
                slowest[0] = max(slowest[0], time.monotonic() - before)
                time.sleep(0.02)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    equal(failures, [], "what the bystander noticed")
    # A debug build puts a large answer together in some 30 ms, and a loop does its work in turn.
    assert slowest[0] < 1 + 2 * lag.since(started), f"the bystander waited {slowest[0]:.2f} s"
