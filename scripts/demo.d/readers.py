"""Three readers of the same screens: event stream, long poll, poll. Each collects (second, screen, State)."""

import contextlib
import pathlib
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests/support"))
from model import State  # noqa: E402
from events import EventStream  # noqa: E402
from wire import Connection, WireError  # noqa: E402


def state_of(screen):
    return State(screen["isPending"], screen["title"], screen["fractionCompleted"], screen["runCount"])


class StreamReader:
    """An EventSource client of all screens on one connection."""

    def __init__(self, address, names, epoch, seen_live):
        self.epoch = epoch
        self.faults = []
        self.seen_live = seen_live
        self.stream = EventStream(address, "/v1/screens?" + "&".join(f"id={name}" for name in names))
        self.stream.wait(lambda: len(self.stream.states) >= len(names))
        self.observations = []
        self.thread = threading.Thread(target=self.follow)
        self.thread.start()

    def follow(self):
        while (event := self.stream.next(timeout=600, kind="state")) is not None:
            screen = event.json
            state = state_of(screen)
            self.observations.append((event.at - self.epoch, screen["view"], state))
            if screen["announcement"] != (state.title if state.isPending else ""):
                self.faults.append(f"announcement {screen['announcement']!r} of {state}")
            if event.id != screen["version"]:
                self.faults.append(f"id {event.id} of version {screen['version']}")
            self.seen_live(event.at - self.epoch, screen["view"], state)

    def stop(self):
        ended_early = self.stream.ended_at is not None
        self.stream.close()
        self.thread.join()
        if ended_early:
            self.faults.append("the stream ended by itself")


class Poller:
    """Asks again and again; with ``wait`` each answer is held back until something changes."""

    def __init__(self, address, names, epoch, wait=None, pause=0.0):
        self.address, self.names, self.epoch, self.wait, self.pause = address, names, epoch, wait, pause
        self.observations = []
        self.not_modified = 0
        self.faults = []
        self.stopping = threading.Event()
        self.connections = []
        self.threads = [threading.Thread(target=self.follow, args=(name,)) for name in names]
        for thread in self.threads:
            thread.start()

    def follow(self, name):
        etag = None
        try:
            with Connection(self.address, timeout=60) as connection:
                self.connections.append(connection)
                while not self.stopping.is_set():
                    headers = {"If-None-Match": etag} if etag else {}
                    if self.wait:
                        headers["Prefer"] = f"wait={self.wait}"
                    asked = time.monotonic()
                    answer = connection.ask("GET", f"/v1/screens/{name}", headers)
                    answered = time.monotonic()
                    if answer.status == 200:
                        etag = answer.etag
                        # A held answer is as old as its arrival; a quick one lies between the two.
                        at = answered if self.wait and etag else (asked + answered) / 2
                        self.observations.append((at - self.epoch, name, state_of(answer.json)))
                        if answer.json["isPending"] != (answer.get("retry-after") == "2"):
                            self.faults.append(
                                f"Retry-After {answer.get('retry-after')} of {answer.json['title']}")
                    elif answer.status == 304:
                        self.not_modified += 1
                    else:
                        self.faults.append(repr(answer))
                    self.stopping.wait(self.pause)
        except (WireError, OSError) as error:
            if not self.stopping.is_set():
                self.faults.append(f"{name}: {error}")

    def stop(self):
        """Ends at once, also in the middle of a long poll."""
        self.stopping.set()
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.socket.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join()
