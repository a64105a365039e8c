"""Clients that change runs under load, and know what each of their changes must have come to."""

import random
import threading

from suite import equal
from wire import WireError


class Writer:
    """Changes runs and a configuration of its own, and knows what each must be: ``known`` holds what was answered
    last, ``open`` what may be instead because no answer came.
    """

    KEYS = ["r0", "r1", "r2", "r3", "screen"]

    def __init__(self, number, seed):
        self.task = f"w{number}"
        self.random = random.Random(seed * 1000 + number)
        self.known = dict.fromkeys(self.KEYS)
        self.open = {}
        self.serial = 0
        self.acknowledged = 0
        self.refused = 0

    def path(self, key):
        return "/v1/screens/%s/configuration" % self.task if key == "screen" else f"/v1/tasks/{self.task}/runs/{key}"

    def step(self, connection):
        key = self.random.choice(self.KEYS)
        self.serial += 1
        text = f"{self.serial}"
        if self.known[key] is None or (self.known[key][0] == "running" and self.random.random() < 0.6):
            after, method = ("running", text), "PUT"
            body = {"regularTitle": text} if key == "screen" else {"title": text, "ttl": 3600}
        elif key != "screen" and self.known[key][0] == "running" and self.random.random() < 0.5:
            after, method, body = ("succeeded", text), "PATCH", {"state": "succeeded", "title": text}
        else:
            after, method, body = None, "DELETE", None
        self.open[key] = after
        answer = connection.ask(method, self.path(key), body=body)
        del self.open[key]
        if answer.status == 503:
            self.refused += 1
            return
        assert answer.status in (200, 201, 204), f"{method} {key} at {self.known[key]}: {answer}"
        self.known[key] = after
        self.acknowledged += 1

    def work(self, daemon, stop):
        while not stop.is_set():
            try:
                with daemon.connect(timeout=10) as connection:
                    while not stop.is_set():
                        self.step(connection)
            except (OSError, WireError):
                return

    def check(self, daemon, what):
        """Everything is as it was answered; what was not answered is as before or as asked, and is known then."""
        with daemon.connect() as connection:
            for key in self.KEYS:
                answer = connection.ask("GET", self.path(key))
                if answer.status == 404:
                    found = None
                elif key == "screen":
                    found = ("running", answer.json["regularTitle"])
                else:
                    found = (answer.json["state"], answer.json["title"])
                allowed = [self.known[key]] + ([self.open[key]] if key in self.open else [])
                assert found in allowed, f"{what}: {self.task}/{key} is {found}, expected one of {allowed}"
                self.known[key] = found
            self.open = {}
            running = sum(value is not None and value[0] == "running" for key, value in self.known.items()
                          if key != "screen")
            equal(connection.ask("GET", f"/v1/screens/{self.task}").json["runCount"], running, what)


def at_work(daemon, writers, meanwhile):
    """Lets the writers work while ``meanwhile`` runs, and until they have noticed what it did."""
    stop = threading.Event()
    faults = []

    def work(writer):
        try:
            writer.work(daemon, stop)
        except Exception as error:
            faults.append(f"{writer.task}: {error}")

    threads = [threading.Thread(target=work, args=(writer,)) for writer in writers]
    for thread in threads:
        thread.start()
    try:
        meanwhile()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    equal(faults, [])
