#!/usr/bin/env python3
"""The fonts that titles are measured with, as a real daemon serves them, and what the log tells of them."""

import json
import os
import pathlib
import random
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, temporary_directory  # noqa: E402
from own_fonts import collection, color_font, install, png, served_name, tables  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402
from wire import request_bytes  # noqa: E402

suite = Suite("--loops", 4)
case = suite.case
INTER = pathlib.Path("/usr/share/fonts/opentype/inter")
SEMI_BOLD = (INTER / "Inter-SemiBold.otf").read_bytes()
CRAB, FISH = "\U0001f980", "\U0001f41f"
PICTURE = png(8, 8, (255, 0, 0, 255))


def url(data, index=0):
    return "/fonts/" + served_name(data, index)


def big_font():
    """A font of 20 MB, whose bytes are nowhere the same."""
    return color_font("Test Big", 0x1F980, PICTURE, 8, ZZZZ=random.randbytes(20_000_000))


def lines(daemon):
    """What the log tells of fonts: family, weight, and the family that answers."""
    found = [json.loads(line) for line in daemon.log().splitlines() if line.startswith("{")]
    return [(line["family"], line["weight"], line["answeredBy"]) for line in found if line["message"] == "Font"]


def rest(reader, count):
    """What a connection still sends, up to ``count`` bytes."""
    body = bytearray(reader.buffer)
    reader.buffer = b""
    while len(body) < count and reader.receive():
        body += reader.buffer
        reader.buffer = b""
    return bytes(body)


class OwnFonts:
    """A daemon on a machine with these fonts and no others; each file is (name, bytes)."""

    def __init__(self, *files, flags=("--loops", 1)):
        self.files, self.flags = files, flags

    def __enter__(self):
        self.directory = temporary_directory()
        environment = install(self.directory.name, *self.files)
        self.daemon = Daemon(*self.flags, environment=environment)
        return self.daemon, pathlib.Path(self.directory.name, "fonts")

    def __exit__(self, *_):
        self.daemon.stop()
        self.directory.cleanup()


@case("a font is served as it is on the disk, for ever, to pages of any origin, by every loop")
def whole(daemon):
    daemon.put(suite.name(), title="Updating…")
    daemon.screen(suite.name())
    for _ in range(20):
        answer = daemon.ask("GET", url(SEMI_BOLD), {"Origin": "https://example.org"})
        equal(answer.status, 200, answer)
        assert answer.body == SEMI_BOLD
        fields = {"content-type": "font/otf", "cache-control": "public, max-age=31536000, immutable",
                  "access-control-allow-origin": "*", "cross-origin-resource-policy": "cross-origin",
                  "x-content-type-options": "nosniff", "etag": f'"{served_name(SEMI_BOLD)[:32]}"',
                  "content-length": str(len(SEMI_BOLD))}
        equal({name: answer.get(name) for name in fields}, fields)
        equal(answer.get("vary"), None)


@case("the fonts that a state names are served, in the order of its families, whatever its script, kind and weight")
def named_by_states(daemon):
    bar, search = suite.name(), suite.name()
    daemon.configure(search, kind="searchBar", titleFont={"family": "DejaVu Sans", "size": 17, "weight": 700})
    for title in ("Updating…", "Обновление", f"Γειά σου κόσμε ≠ مرحبا {CRAB}"):
        daemon.put(bar, title=title)
        daemon.put(search, title=title)
        for screen in daemon.ask("GET", f"/v1/screens?id={bar}&id={search}&include=appearance").json["screens"]:
            fonts = screen["appearance"]["fonts"]
            families = list(dict.fromkeys(font["family"] for font in fonts))
            assert families, screen
            if screen["kind"] == "navigationBar":
                equal(families, screen["layout"]["fonts"])
            for font in fonts:
                answer = daemon.ask("GET", font["src"])
                equal(answer.status, 200, font)
                assert answer.body[:4] in (b"OTTO", b"\0\1\0\0"), answer
                weights = [int(weight) for weight in font["weight"].split(" ")]
                assert weights == sorted(weights) and 1 <= weights[0] and weights[-1] <= 1000, font
            if title == "Updating…":
                equal([(font["family"], font["weight"]) for font in fonts],
                      [("Inter", "600")] if screen["kind"] == "navigationBar" else [("DejaVu Sans", "700")])


@case("HEAD tells the length, If-None-Match gets a 304, OPTIONS the methods, others a 405, foreign hosts a 421")
def methods(daemon):
    daemon.screen(suite.name())
    target = url(SEMI_BOLD)
    with daemon.connect() as connection:
        head = connection.ask("HEAD", target)
        equal((head.status, head.get("content-length"), head.get("content-type")),
              (200, str(len(SEMI_BOLD)), "font/otf"))
        for tags in (head.etag, "W/" + head.etag, f'"x", {head.etag}', "*"):
            for method in ("GET", "HEAD"):
                answer = connection.ask(method, target, {"If-None-Match": tags})
                equal((answer.status, answer.body, answer.etag), (304, b"", head.etag))
                equal(answer.get("access-control-allow-origin"), "*")
                equal(answer.get("content-type"), None)
        equal(connection.ask("GET", target, {"If-None-Match": '"x"'}).body, SEMI_BOLD)
        options = connection.ask("OPTIONS", target)
        equal((options.status, options.get("allow")), (204, "GET, HEAD, OPTIONS"))
        problem(connection.ask("DELETE", target), 405, "method-not-allowed")
        problem(connection.ask("GET", target, host="example.org"), 421, "misdirected-request")
    samples = daemon.metrics()
    assert samples['pending_http_requests_total{route="fonts",status="304"}'] >= 8, samples


@case("a font is answered in its place of a pipeline, and its connection stays")
def pipeline(daemon):
    daemon.screen(suite.name())
    with daemon.connect() as connection:
        targets = ["/healthz", url(SEMI_BOLD), "/readyz", url(SEMI_BOLD), "/healthz"]
        connection.send(b"".join(request_bytes("GET", target) for target in targets))
        answers = [connection.response() for _ in targets]
        equal([len(answer.body) for answer in answers], [3, len(SEMI_BOLD), 6, len(SEMI_BOLD), 3])
        equal(connection.ask("GET", "/healthz").status, 200)


@case("with --cors-origin a font is no different")
def granted(_):
    with Daemon("--loops", 1, "--cors-origin", "https://example.org") as daemon:
        daemon.screen("a")
        answer = daemon.ask("GET", url(SEMI_BOLD), {"Origin": "https://example.org"})
        equal((answer.get("access-control-allow-origin"), answer.get("vary")), ("*", None))


@case("only fonts that a text was measured with are served")
def measured_only(_):
    black = (INTER / "Inter-Black.otf").read_bytes()
    with Daemon("--loops", 2) as daemon:
        problem(daemon.ask("GET", url(SEMI_BOLD)), 404, "not-found")
        daemon.screen("a")
        equal(daemon.ask("GET", url(SEMI_BOLD)).status, 200)
        problem(daemon.ask("GET", url(black)), 404, "not-found")
        daemon.configure("b", titleFont={"family": "Inter", "size": 17, "weight": 900})
        daemon.screen("b")
        equal(daemon.ask("GET", url(black)).body, black)


@case("no other name finds anything, least of all a file")
def odd_names(daemon):
    daemon.screen(suite.name())
    name = served_name(SEMI_BOLD)
    path = str(INTER / "Inter-SemiBold.otf")
    encoded = "".join(f"%{byte:02x}" for byte in path.encode())
    odd = ["", ".", "..", "%2e%2e", "..%2f..%2f..%2fetc%2fpasswd", "../etc/passwd", "../../../../etc/passwd",
           "%2e%2e/%2e%2e/etc/passwd", "..%5c..%5cetc%5cpasswd", path, path[1:], encoded, encoded[3:],
           "file:%2f%2f%2fetc%2fpasswd", "Inter-SemiBold.otf", "Inter", name.upper(), name[:32], name[:32] + ".ttf",
           name + "/", name + "%00", name + "%2f", name + ".", " ".join(name).replace(" ", "%20"), "%00", "%ff%fe",
           "%" + name, "f" * 32 + ".otf", "0" * 32 + ".ttf", "a" * 30_000, name[:31] + "%3" + name[31] + name[32:]]
    with daemon.connect() as connection:
        for text in odd:
            problem(connection.ask("GET", f"/fonts/{text}"), 404, "not-found")
            equal(connection.ask("HEAD", f"/fonts/{text}").status, 404, text)
        for target in ("/fonts", "/fonts/", f"/fonts/x/{name}", f"/Fonts/{name}", f"/v1/fonts/{name}",
                       f"/fonts//{name}", f"//fonts/{name}"):
            problem(connection.ask("GET", target), 404, "not-found")
        equal(connection.ask("GET", f"/fonts/{name}?..%2f..%2fetc%2fpasswd").body, SEMI_BOLD)


@case("a face of a collection is served as a font of its own, which others can open and which measures the same")
def collections(_):
    fonts = [color_font("Test Crab", 0x1F980, PICTURE, 8), color_font("Test Fish", 0x1F41F, PICTURE, 8)]
    data = collection(fonts)
    with OwnFonts(("both.ttc", data), ("Inter.otf", SEMI_BOLD)) as (daemon, _):
        daemon.put("s", title=f"Hi {CRAB}{FISH}")
        layout = daemon.screen("s")["layout"]
        equal(layout["fonts"], ["Inter", "Test Crab", "Test Fish"])
        served = [daemon.ask("GET", url(data, index)) for index in (0, 1)]
    for index, answer in enumerate(served):
        equal((answer.status, answer.get("content-type")), (200, "font/ttf"))
        original, own = tables(data, index), tables(answer.body)
        for tag, table in original.items():
            # The head holds the sum of the file.
            equal(own[tag][:8] + own[tag][12:] if tag == b"head" else own[tag],
                  table[:8] + table[12:] if tag == b"head" else table, tag)
        equal(own.keys(), original.keys())
    with temporary_directory() as directory:
        for index, (answer, family) in enumerate(zip(served, ("Test Crab", "Test Fish"))):
            path = pathlib.Path(directory, f"{index}.ttf")
            path.write_bytes(answer.body)
            found = subprocess.run(["fc-query", "-f", "%{family}|%{index}|%{color}", path], capture_output=True,
                                   text=True, check=True)
            equal(found.stdout, f"{family}|0|True")
    files = [(f"{index}.ttf", answer.body) for index, answer in enumerate(served)]
    with OwnFonts(*files, ("Inter.otf", SEMI_BOLD)) as (daemon, _):
        daemon.put("s", title=f"Hi {CRAB}{FISH}")
        equal(daemon.screen("s")["layout"], layout)


@case("readers of a large font keep nobody waiting, hold little of it, and get all of it however slow they are")
def large(_):
    font = big_font()
    with OwnFonts(("big.ttf", font)) as (daemon, _):
        daemon.put("s", title=CRAB)
        daemon.screen("s")
        before = daemon.resident_kib()
        readers = [daemon.connect(timeout=60, receive_buffer=65_536) for _ in range(24)]
        for reader in readers:
            reader.send(request_bytes("GET", url(font)))
        for reader in readers:
            reader.read_head = reader.head()
            reader.take(100_000)
        # All are in the middle of it, and take nothing.
        for _ in range(20):
            equal(daemon.ask("GET", "/v1/screens/s").status, 200)
        grown = daemon.resident_kib() - before
        assert grown < 60_000, f"{grown} KiB more for 24 readers of 20 MB"
        for reader in readers[::2]:
            reader.reset()
        wrong = []

        def finish(reader):
            body = rest(reader, len(font) - 100_000)
            if body != font[100_000:]:
                wrong.append(len(body))

        threads = [threading.Thread(target=finish, args=(reader,)) for reader in readers[1::2]]
        for thread in threads:
            thread.start()
        asked = 0
        while any(thread.is_alive() for thread in threads):
            equal(daemon.ask("GET", "/v1/screens/s").status, 200)
            asked += 1
        equal(wrong, [])
        equal({reader.read_head.get("content-length") for reader in readers}, {str(len(font))})
        assert asked > 0


@case("of very many who ask at once, those who are not served are told to come again")
def crowd(_):
    with Daemon("--loops", 1) as daemon:
        daemon.screen("s")
        readers = [daemon.connect(timeout=60) for _ in range(300)]
        for reader in readers:
            reader.send(request_bytes("GET", url(SEMI_BOLD)))
        statuses = []
        for reader in readers:
            answer = reader.response()
            statuses.append(answer.status)
            if answer.status == 503:
                assert answer.get("retry-after"), answer
            else:
                assert answer.body == SEMI_BOLD
            reader.close()
        assert set(statuses) <= {200, 503} and statuses.count(200) >= 64, statuses


@case("a font that was removed or replaced is not found; one that changes while it is sent ends its connection")
def changes(_):
    font = big_font()
    with OwnFonts(("big.ttf", font)) as (daemon, folder):
        daemon.put("s", title=CRAB)
        daemon.screen("s")
        file = folder / "big.ttf"
        with daemon.connect(receive_buffer=65_536) as reader:
            reader.send(request_bytes("GET", url(font)))
            reader.head()
            file.rename(folder / "old")
            assert len(rest(reader, len(font))) < len(font), "all of a file that is not there"
        problem(daemon.ask("GET", url(font)), 404, "not-found")
        equal(daemon.ask("HEAD", url(font)).status, 404)
        file.write_bytes(big_font())
        problem(daemon.ask("GET", url(font)), 404, "not-found")
        file.unlink()
        os.mkfifo(file)
        problem(daemon.ask("GET", url(font)), 404, "not-found")
        file.unlink()
        (folder / "old").rename(file)
        equal(len(daemon.ask("GET", url(font)).body), len(font))


@case("a font that is being read in a drain is read to its end")
def drain(_):
    font = big_font()
    with OwnFonts(("big.ttf", font), flags=("--loops", 1, "--drain-delay", 0, "--drain", 4)) as (daemon, _):
        daemon.put("s", title=CRAB)
        daemon.screen("s")
        with daemon.connect(receive_buffer=65_536) as reader:
            reader.send(request_bytes("GET", url(font)))
            reader.head()
            daemon.terminate()
            eventually(lambda: daemon.ask("GET", "/readyz").status == 503, what="the drain")
            assert rest(reader, len(font)) == font
        equal(daemon.process.wait(20), 0)


@case("the log tells once of each configured font which one answers: at start, and when another is configured")
def log(_):
    screens = {"a": {"titleFont": {"family": "DejaVu Sans", "size": 20, "weight": 700}},
               "b": {"titleFont": {"family": "DejaVu Sans", "size": 30, "weight": 700}, "kind": "searchBar"}}
    unknown = "No \"Such\" Family"
    with temporary_directory() as directory:
        journal = f"sqlite:{directory}/journal"
        with Daemon("--loops", 2, journal=journal, screens=screens) as daemon:
            expected = [("Inter", "600", "Inter"), ("DejaVu Sans", "700", "DejaVu Sans")]
            eventually(lambda: lines(daemon) == expected, what="lines of the start")
            files = [json.loads(line)["file"] for line in daemon.log().splitlines() if '"Font"' in line]
            equal([pathlib.Path(file).name for file in files], ["Inter-SemiBold.otf", "DejaVuSans-Bold.ttf"])
            for screen, weight in (("c", 400), ("c", 500), ("d", 400), ("d", 400)):
                daemon.configure(screen, titleFont={"family": unknown, "size": 17, "weight": weight})
            daemon.configure("e", regularTitle="Inter again")
            eventually(lambda: len(lines(daemon)) == 4, what="lines of later")
            equal([line[:2] for line in lines(daemon)[2:]], [(unknown, "400"), (unknown, "500")])
            assert all(line[2] not in ("", unknown) for line in lines(daemon)[2:]), lines(daemon)
            daemon.kill()
            daemon.start()
            eventually(lambda: len(lines(daemon)) == 8, what="lines of the second start")
            equal(sorted(lines(daemon)[4:]), sorted(lines(daemon)[:4]), "what the journal brings")


@case("however many fonts are configured, the log tells of a thousand")
def log_is_bounded(_):
    with Daemon("--loops", 1) as daemon, daemon.connect() as connection:
        for number in range(1_100):
            font = {"family": f"Family {number}", "size": 17, "weight": 400}
            answer = connection.ask("PUT", "/v1/screens/a/configuration", body={"titleFont": font})
            assert answer.status in (200, 201), answer
        eventually(lambda: len(lines(daemon)) == 1_000, within=60, what="a thousand lines")
        daemon.configure("a", titleFont={"family": "Another", "size": 17, "weight": 400})
        daemon.put("a", title="x")
        # What is told later would be told by now: a picture is drawn behind it.
        equal(daemon.ask("GET", "/v1/screens/a?format=png").status, 200)
        equal(len(lines(daemon)), 1_000)


if __name__ == "__main__":
    suite.main()
