"""A list of black-box cases, run side by side in threads, because most of them wait."""

import concurrent.futures
import itertools
import subprocess
import sys
import threading
import time
import traceback

from daemon import Daemon


class Skipped(Exception):
    """The machine cannot run this case (its rights, a tool that is missing); the text says why."""


def run_inside(what, *namespaces, timeout=120):
    """Runs this suite's ``--inside WHAT`` in namespaces of its own: ``--net`` for a network with nothing but a
    loopback to pull down, ``--mount`` for a disk to fill. Needs root, or a kernel that lets anyone be it there.
    """
    for rights in ([], ["--map-root-user"]):
        unshare = ["unshare", *rights, *namespaces]
        if subprocess.run([*unshare, "true"], capture_output=True).returncode == 0:
            done = subprocess.run([*unshare, sys.executable, sys.argv[0], "--inside", what], capture_output=True,
                                  text=True, timeout=timeout)
            assert done.returncode == 0, done.stdout + done.stderr
            return
    raise Skipped(f"this machine gives no namespace: unshare {' '.join(namespaces)}")


class Lag:
    """How late this process is woken: what a loaded machine adds to every edge that a case measures."""

    def __init__(self, step=0.005):
        self.step = step
        self.samples = []
        threading.Thread(target=self.watch, daemon=True).start()

    def watch(self):
        while True:
            before = time.monotonic()
            time.sleep(self.step)
            now = time.monotonic()
            if now - before - self.step > 0.01:
                self.samples.append((now, now - before - self.step))

    def since(self, start):
        """The longest delay since ``start``."""
        return max((late for at, late in list(self.samples) if at >= start), default=0.0)


class Suite:
    """Cases of one theme that share a daemon; each uses names of its own, so none sees another."""

    def __init__(self, *flags, workers=24, **daemon_options):
        self.flags = flags
        self.options = daemon_options
        self.workers = workers
        self.cases = []
        self.daemon = None
        self.lag = Lag()
        self.numbers = itertools.count(1)

    def case(self, claim, *numbers):
        """Registers a function of one argument, the shared daemon, under the claim that it checks.

        ``numbers`` are those of the known faults of comparable software that the claim keeps away.
        """

        def register(function):
            label = "".join(f"[{number}] " for number in numbers)
            self.cases.append((label + claim, function))
            return function

        return register

    def name(self, stem="t"):
        """A task or screen name that no other case uses."""
        return f"{stem}{next(self.numbers)}"

    def run_one(self, function):
        try:
            function(self.daemon)
            return "ok", ""
        except Skipped as reason:
            return "skipped", str(reason)
        except Exception:
            return "FAILED", traceback.format_exc(limit=-6)

    def main(self, **inside):
        """Runs all cases, or those whose claim has one of the arguments in it; ``inside`` are the halves of cases
        that ``run_inside`` starts.
        """
        only = sys.argv[1:]
        if only[:1] == ["--inside"]:
            inside[only[1]]()
            return
        chosen = [case for case in self.cases if not only or any(text in case[0] for text in only)]
        counts = {"ok": 0, "skipped": 0, "FAILED": 0}
        started = time.monotonic()
        with Daemon(*self.flags, **self.options) as self.daemon:
            with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
                waiting = {pool.submit(self.run_one, function): claim for claim, function in chosen}
                for done in concurrent.futures.as_completed(waiting):
                    result, detail = done.result()
                    counts[result] += 1
                    print(f"{result:8}{waiting[done]}", flush=True)
                    if detail:
                        print("    " + detail.strip().replace("\n", "\n    "), flush=True)
            if self.daemon.process.poll() is not None:
                counts["FAILED"] += 1
                print(f"FAILED  the daemon itself ended with {self.daemon.process.returncode}")
                print(self.daemon.log()[-3000:])
        print(f"in {time.monotonic() - started:.1f} s")
        skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
        print(f"{counts['ok']} passed, {counts['FAILED']} failed{skipped}")
        sys.exit(1 if counts["FAILED"] else 0)


def equal(actual, expected, what=""):
    assert actual == expected, f"{what or 'value'}: got {actual!r}, expected {expected!r}"


def near(actual, expected, tolerance, what=""):
    assert actual is not None and abs(actual - expected) <= tolerance, (
        f"{what or 'value'}: got {actual!r}, expected {expected!r} ± {tolerance}")


def eventually(condition, within=2.0, what=""):
    """Asks again and again; the last false answer is shown."""
    deadline = time.monotonic() + within
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what or 'condition'} does not hold after {within} s: {value!r}")
        time.sleep(0.02)


def problem(answer, status, kind, **members):
    """The answer is that problem document, whole, with those members."""
    equal(answer.status, status, f"status of {answer}")
    equal(answer.get("content-type", "").split(";")[0], "application/problem+json", "content type")
    document = answer.json
    equal(document.get("type", "").rpartition("/problems/")[2], kind, f"type of {document}")
    equal(document.get("status"), status, "status member")
    assert document.get("title") and "detail" in document, document
    for name, value in members.items():
        equal(document.get(name), value, name)
    return document
