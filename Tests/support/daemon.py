"""Starts the daemon under test on a free loopback port and stops it by its process id."""

import json
import os
import pathlib
import random
import re
import resource
import signal
import socket
import subprocess
import tempfile
import time

from events import EventStream
from wire import Connection, WireError

ROOT = pathlib.Path(__file__).resolve().parents[2]


def binary():
    """$PENDINGD, else the release build, else the debug build."""
    candidates = [os.environ.get("PENDINGD"), ROOT / ".build/release/pendingd", ROOT / ".build/debug/pendingd"]
    for path in candidates:
        if path and os.access(path, os.X_OK):
            return str(pathlib.Path(path).resolve())
    raise SystemExit("no daemon: set PENDINGD, or run swift build --product pendingd")


_given_ports = set()


def free_port():
    """A port that nobody listens on, below the range that outgoing connections take theirs from; never the same
    twice, since the one who asked may not have bound it yet.
    """
    while True:
        port = random.randrange(20_000, 32_000)
        if port in _given_ports:
            continue
        # Not later: another thread may be here, too.
        _given_ports.add(port)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue


def temporary_directory():
    return tempfile.TemporaryDirectory(prefix="pending-test-")


def run_binary(*flags, environment=None, timeout=20, files=None):
    """Runs the daemon's binary to its end: for ``--check``, ``--help`` and starts that must fail."""
    return subprocess.run(
        [binary(), *map(str, flags)], env=clean_environment(environment), capture_output=True, text=True,
        timeout=timeout, stdin=subprocess.DEVNULL, preexec_fn=(lambda: limit_files(files)) if files else None)


def limit_files(count):
    """For a process that is about to start."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


def clean_environment(more=None):
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PENDING_")}
    kept.update(more or {})
    return kept


def fails(code, *flags, environment=None, timeout=20):
    """A start on a free port ends with that code and a clear line, which is returned, and not with a crash."""
    done = run_binary("--listen", f"127.0.0.1:{free_port()}", *flags, environment=environment, timeout=timeout)
    assert done.returncode == code, f"{flags}: {done.returncode}, expected {code}: {done.stderr}"
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert 1 <= len(lines) <= 3, f"{flags}: {done.stderr}"
    assert "Fatal error" not in done.stderr and "Backtrace" not in done.stderr, done.stderr
    return done.stderr


def delays(start, minimum, completion):
    """A configuration's timing, from milliseconds."""
    return {"startDelay": start / 1000, "minimumVisible": minimum / 1000, "completionDelay": completion / 1000}


class Daemon:
    """A running daemon. Anything in ``flags`` comes after ``--listen``; the journal is in memory unless told."""

    def __init__(self, *flags, journal="memory", screens=None, environment=None, files=None, listen=None,
                 port=None, directory=None, wait_for="/readyz", timeout=20):
        self.directory = directory or temporary_directory()
        self.files = files
        self.environment = environment
        self.port = port or free_port()
        self.address = ("127.0.0.1", self.port)
        self.log_path = self.path("log")
        self.flags = ["--listen", listen or f"127.0.0.1:{self.port}", "--journal", journal, *map(str, flags)]
        if screens is not None:
            self.write("screens.json", json.dumps(screens))
            self.flags += ["--screens", self.path("screens.json")]
        self.process = None
        self.start(wait_for, timeout)

    def path(self, name):
        return os.path.join(self.directory.name, name)

    def write(self, name, text):
        pathlib.Path(self.path(name)).write_text(text, encoding="utf-8")

    def start(self, wait_for="/readyz", timeout=20):
        """Starts (again) with the same flags and waits until ``wait_for`` answers 200."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [binary(), *self.flags], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=clean_environment(self.environment),
                preexec_fn=(lambda: limit_files(self.files)) if self.files else None)
        if wait_for:
            self.wait_until(wait_for, timeout)

    def wait_until(self, path, timeout=20, status=200):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise AssertionError(f"the daemon ended with {self.process.returncode}: {self.log()[-2000:]}")
            try:
                if self.ask("GET", path).status == status:
                    return
            except (OSError, WireError):
                pass
            time.sleep(0.02)
        raise AssertionError(f"{path} is not {status} after {timeout} s: {self.log()[-2000:]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends it at once, whatever it is doing."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.directory.cleanup()

    def kill(self):
        """SIGKILL, as a crash; ``start()`` brings it back on the same port and journal."""
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return time.monotonic()

    def hang_up(self):
        self.process.send_signal(signal.SIGHUP)

    def log(self):
        return pathlib.Path(self.log_path).read_text(encoding="utf-8", errors="replace")

    def connect(self, **how):
        return Connection(self.address, **how)

    def raw(self, data, method="GET"):
        """Sends bytes as they are on a connection of their own, and reads one response."""
        with self.connect() as connection:
            connection.send(data)
            return connection.response(method)

    def ask(self, method, target, headers=None, body=None, **how):
        """One request on a connection of its own."""
        with self.connect() as connection:
            return connection.ask(method, target, headers, body, **how)

    def stream(self, target, headers=None, **how):
        return EventStream(self.address, target, headers, **how)

    def run(self, method, task, run, body=None, headers=None, scope=None):
        prefix = f"/v1/scopes/{scope}" if scope else "/v1"
        return self.ask(method, f"{prefix}/tasks/{task}/runs/{run}", headers, body)

    def get(self, task, run="a", headers=None, scope=None):
        """One run, whatever the answer is."""
        return self.run("GET", task, run, headers=headers, scope=scope)

    def put(self, task, run="a", scope=None, **members):
        """Declares a run; an answer of 4xx or 5xx raises."""
        answer = self.run("PUT", task, run, members, scope=scope)
        assert answer.status in (200, 201), answer
        return answer

    def end(self, task, run="a", state="succeeded", scope=None):
        return self.put(task, run, scope=scope, state=state)

    def screen(self, name, query="", scope=None):
        prefix = f"/v1/scopes/{scope}" if scope else "/v1"
        answer = self.ask("GET", f"{prefix}/screens/{name}{query}")
        assert answer.status == 200, answer
        return answer.json

    def configure(self, name, **members):
        answer = self.ask("PUT", f"/v1/screens/{name}/configuration", body=members)
        assert answer.status in (200, 201), answer
        return answer

    def resident_kib(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])

    def cpu_seconds(self):
        """User and system time so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def metrics(self):
        """Each sample of ``/metrics`` as {name{labels}: value}."""
        samples = {}
        for line in self.ask("GET", "/metrics").body.decode().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                samples[name] = float(value)
        return samples
