#!/usr/bin/env python3
"""Running a real daemon: flags, exit codes, logs, metrics, reload, drain.

A number in brackets is that of a known fault of comparable software in docs/cases.md.
"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import (  # noqa: E402
    ROOT, Daemon, binary, clean_environment, fails, free_port, run_binary, temporary_directory)
from suite import Suite, equal, eventually  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 2, workers=12)
case = suite.case
SSE = {"Accept": "text/event-stream"}


# -- flags and exit codes ------------------------------------------------------------------------------------

@case("--help and --version answer on standard output")
def help_and_version(_):
    for flag in ("--help", "--version"):
        done = run_binary(flag)
        equal((done.returncode, done.stderr), (0, ""), flag)
        assert "pendingd" in done.stdout, done.stdout
    text = run_binary("--help").stdout
    for flag in ("--listen", "--journal", "--screens", "--loops", "--timing", "--heartbeat", "--drain-delay",
                 "--drain",
                 "--journal-wait", "--host", "--cors-origin", "--allow-anonymous", "--check"):
        assert flag in text, f"{flag} is not in --help"


@case("the manual has every flag, every metric and nothing else")
def manual(daemon):
    text = pathlib.Path(ROOT, "docs/operations.md").read_text(encoding="utf-8")
    flags = set(re.findall(r"^  (--[a-z-]+)", run_binary("--help").stdout, re.M))
    table = text[text.index("## Flags") : text.index("## Exit codes")]
    equal(set(re.findall(r"`(--[a-z-]+)", table)) - {"--some-name"}, flags, "flags in docs/operations.md")
    families = set(re.findall(r"^# TYPE (\w+) ", daemon.ask("GET", "/metrics").body.decode(), re.M))
    documented = set(re.findall(r"^\| `(\w+)", text[text.index("## Metrics") : text.index("## Logs")], re.M))
    documented |= {"pending_layout_cache_misses_total"} if "`…_misses_total`" in text else set()
    equal(documented, families, "metrics in docs/operations.md")


@case("a wrong flag is usage: 64, and the line names it")
def usage(_):
    for flags, word in ((("--nonsense",), "--nonsense"), (("--loops",), "--loops"), (("--loops", "x"), "--loops"),
                        (("--loops", "0"), "--loops"), (("--loops", "-1"), "--loops"),
                        (("--listen", "nowhere"), "--listen"), (("--listen", "127.0.0.1:99999"), "--listen"),
                        (("--heartbeat", "4"), "--heartbeat"), (("--timing", "1,2"), "--timing"),
                        (("--timing", "0,0,61"), "--timing"), (("--journal", "paper:x"), "--journal"),
                        (("--drain", "soon"), "--drain"), (("stray",), "stray")):
        text = fails(64, "--journal", "memory", *flags)
        assert word in text, f"{flags}: {text}"
    text = fails(64, "--journal", "memory", environment={"PENDING_LOOPS": "many"})
    assert "PENDING_LOOPS" in text or "--loops" in text, text


@case("a wrong or missing screens file is configuration: 78, and the line says where")
def configuration(_):
    with temporary_directory() as place:
        for content, word in ((None, "screens.json"), ("{", "screens.json"), ("[]", "screens.json"),
                              ('{"chats":{"kind":"toolbar"}}', "chats"), ('{".bad":{}}', ".bad"),
                              ('{"chats":{"colour":"red"}}', "colour"), ('{"chats":{"scale":99}}', "scale"),
                              ('{"chats":{}} x', "screens.json"), ('{"a":{},"a":{}}', "screens.json")):
            path = pathlib.Path(place, "screens.json")
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(content)
            text = fails(78, "--journal", "memory", "--screens", str(path))
            assert word in text, f"{content}: {text}"


@case("every flag is also an environment variable, and the flag wins")
def environment(_):
    port = free_port()
    variables = {"PENDING_LISTEN": f"127.0.0.1:{port}", "PENDING_JOURNAL": "memory", "PENDING_TIMING": "0,1,0"}
    process = subprocess.Popen([binary()], env=clean_environment(variables), stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/readyz"
        eventually(lambda: run_binary("--check", url).returncode == 0, 10)
    finally:
        process.kill()
        process.wait()
    with Daemon("--timing", "0,0,0", environment={**variables, "PENDING_LISTEN": "127.0.0.1:1"}) as daemon:
        daemon.put("t")
        daemon.end("t")
        equal(daemon.screen("t")["isPending"], False)


@case("--timing is the default of screens that do not say")
def default_timing(_):
    with Daemon("--timing", "0.3,0.5,0.2") as daemon:
        daemon.configure("own", timing={"startDelay": 0, "minimumVisible": 0, "completionDelay": 0})
        daemon.put("own")
        daemon.put("other")
        equal((daemon.screen("own")["isPending"], daemon.screen("other")["isPending"]), (True, False))
        eventually(lambda: daemon.screen("other")["isPending"], 2)
        equal(daemon.ask("GET", "/v1/screens/other/configuration").status in (200, 404), True)
        daemon.configure("third")
        equal(daemon.ask("GET", "/v1/screens/third/configuration").json["timing"],
              {"startDelay": 0.3, "minimumVisible": 0.5, "completionDelay": 0.2})


@case("it refuses to listen beyond loopback unless told that anyone may come")
def beyond_loopback(_):
    for address in ("0.0.0.0", "[::]", "10.255.255.1"):
        text = run_binary("--listen", f"{address}:{free_port()}", "--journal", "memory")
        assert text.returncode in (64, 78), text
        assert "--allow-anonymous" in text.stderr, text.stderr
    port = free_port()
    with Daemon("--allow-anonymous", listen=f"0.0.0.0:{port}", port=port) as daemon:
        equal(daemon.ask("GET", "/v1/screens/x").status, 200)
        equal(daemon.ask("GET", "/v1/screens/x", host="evil.example").status, 421, "wherever it listens")


@case("--check answers with its exit code")
def check(daemon):
    base = f"http://127.0.0.1:{daemon.port}"
    for path, code in (("/healthz", 0), ("/readyz", 0), ("/nowhere", 1)):
        equal(run_binary("--check", base + path).returncode, code, path)
    equal(run_binary("--check", f"http://127.0.0.1:{free_port()}/healthz").returncode, 1, "nobody listens")
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        before = time.monotonic()
        equal(run_binary("--check", f"http://127.0.0.1:{mute.getsockname()[1]}/").returncode, 1, "no answer")
        assert time.monotonic() - before < 10


# -- logs and metrics ----------------------------------------------------------------------------------------

@case("logs are JSON lines with a level, without queries, tokens or titles", 48)
def logs(_):
    secret = "s3cr3t-t0ken"
    with Daemon(screens={"chats": {}}) as daemon:
        for target, headers in ((f"/v1/screens/x?token={secret}&access_token={secret}", None),
                                (f"/v1/screens/x?width={secret}", None), (f"/nowhere?ticket={secret}", None),
                                ("/v1/screens/x", {"Authorization": f"Bearer {secret}", "Cookie": secret}),
                                (f"/v1/screens/x?last_event_id={secret}", SSE)):
            with daemon.connect() as connection:
                connection.send(request_bytes("GET", target, headers))
                connection.head()
        with daemon.connect() as connection:
            connection.send(f"GET /?token={secret} HTTP/9\r\n\r\n".encode())
            connection.response()
        daemon.put("t", title=secret, reason=secret)
        daemon.run("PUT", "t", "a", '{"' + secret + '":1}', {"Content-Type": "application/json"})
        assert secret not in daemon.ask("GET", "/metrics").body.decode()
        daemon.hang_up()
        time.sleep(0.3)
        daemon.terminate()
        daemon.process.wait(12)
        text = daemon.log()
        assert text.strip(), "it says that it started"
        for line in text.splitlines():
            entry = json.loads(line)
            assert entry.get("level") in ("debug", "info", "notice", "warning", "error"), line
        assert secret not in text, text


@case("metrics are Prometheus text, with no series per task, run, scope or screen", 55)
def metrics(daemon):
    for i in range(30):
        daemon.put(f"metrictask{i}", f"metricrun{i}", scope=f"metricscope{i}")
        daemon.screen(f"metricscreen{i}", scope=f"metricscope{i}")
    daemon.ask("GET", "/metricpath/unknown")
    daemon.ask("METRICMETHOD", "/")
    answer = daemon.ask("GET", "/metrics")
    assert answer.get("content-type").startswith("text/plain"), answer
    text = answer.body.decode()
    assert not re.search(r"metric(task|run|scope|screen|path|method)\d*", text, re.I), text
    typed = {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert kind in ("counter", "gauge", "histogram", "summary") and name not in typed, line
            typed[name] = kind
        elif line and not line.startswith("#"):
            match = re.fullmatch(r'([a-z_]+)(\{(?:[a-z_]+="[^"\\]*",?)*\})? [0-9.eE+-]+|(?:.* )?(NaN|[+-]?Inf)', line)
            assert match, line
            stem = re.sub(r"_(bucket|sum|count)$", "", match[1])
            assert match[1] in typed or stem in typed, f"no TYPE for {line}"
    for word in ("requests", "connections", "streams", "runs", "journal", "publish", "conflated", "layout"):
        assert any(word in name for name in typed), f"nothing about {word} among {sorted(typed)}"


@case("counts follow what happens, gauges return to 0", 41, 55)
def gauges(_):
    with Daemon("--loops", 2) as daemon:
        def runs(state):
            return daemon.metrics()[f'pending_runs{{state="{state}"}}']

        equal(runs("running"), 0)
        for i in range(5):
            daemon.put("t", f"r{i}")
        equal(runs("running"), 5)
        for i in range(4):
            daemon.end("t", f"r{i}", state=("succeeded", "failed", "canceled", "succeeded")[i])
        equal([runs(state) for state in ("running", "succeeded", "failed", "canceled", "lost")], [1, 2, 1, 1, 0])
        for i in range(5):
            daemon.run("DELETE", "t", f"r{i}")
        equal([runs(state) for state in ("running", "succeeded", "failed", "canceled", "lost")], [0] * 5)


# -- screens file --------------------------------------------------------------------------------------------

@case("SIGHUP reloads screens: what differs is written, nothing is deleted, a fault changes nothing")
def reload(_):
    with Daemon(screens={"a": {"regularTitle": "A"}, "b": {"regularTitle": "B"}}) as daemon:
        def title(screen):
            return daemon.screen(screen)["title"]

        equal((title("a"), title("b")), ("A", "B"))
        daemon.configure("b", regularTitle="Put")
        daemon.configure("c", regularTitle="C")
        with daemon.stream("/v1/screens/a") as stream:
            daemon.write("screens.json", json.dumps({"a": {"regularTitle": "A2"}}))
            daemon.hang_up()
            eventually(lambda: title("a") == "A2", what="the new file")
            assert stream.wait(lambda: stream.states[-1].json["title"] == "A2"), "streams see it"
            equal((title("b"), title("c")), ("Put", "C"), "none is deleted")
            for broken in ('{"a":{"regularTitle":"A3"},"b":{"kind":"x"}}', '{"a":', ""):
                daemon.write("screens.json", broken)
                daemon.hang_up()
                time.sleep(0.4)
                equal((title("a"), title("b")), ("A2", "Put"), f"after {broken}")
            os.unlink(daemon.path("screens.json"))
            daemon.hang_up()
            time.sleep(0.3)
            equal(title("a"), "A2")
            daemon.write("screens.json", json.dumps({"a": {"regularTitle": "A4"}, "b": {"regularTitle": "B"}}))
            daemon.hang_up()
            eventually(lambda: (title("a"), title("b")) == ("A4", "B"), what="the file wins over what was PUT")
            assert stream.ended_at is None
    with Daemon() as daemon:
        daemon.hang_up()
        time.sleep(0.3)
        equal(daemon.ask("GET", "/healthz").status, 200, "without a file SIGHUP is harmless")


if __name__ == "__main__":
    suite.main()

