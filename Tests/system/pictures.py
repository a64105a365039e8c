#!/usr/bin/env python3
"""Pictures of indicators, as a real daemon serves them: SVG and PNG, decoded here by hand."""

import base64
import pathlib
import random
import struct
import sys
import threading
import time
import xml.etree.ElementTree
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, temporary_directory  # noqa: E402
from own_fonts import color_font, install, png  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402

suite = Suite("--loops", 2)
case = suite.case
SVG = "{http://www.w3.org/2000/svg}"
# All that an SVG of ours consists of.
ELEMENTS = {"svg", "title", "style", "g", "defs", "use", "path", "image", "animateTransform"}
# What Chromium, Firefox and Safari send for an <img>.
BROWSERS = ("image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8",
            "image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5",
            "image/webp,image/avif,image/jxl,image/heic,video/*;q=0.8,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5")


INTER = list(pathlib.Path("/usr/share/fonts/opentype/inter").glob("Inter-SemiBold.*"))


class Pixels:
    """An RGBA picture out of a PNG file (8 bits, not interlaced)."""

    def __init__(self, data):
        equal(data[:8], b"\x89PNG\r\n\x1a\n", "signature")
        place, packed = 8, b""
        while place < len(data):
            length, kind = struct.unpack(">I4s", data[place:place + 8])
            body = data[place + 8:place + 8 + length]
            equal(zlib.crc32(kind + body), struct.unpack(">I", data[place + 8 + length:place + 12 + length])[0], "CRC")
            if kind == b"IHDR":
                self.width, self.height, depth, colors, _, _, interlaced = struct.unpack(">IIBBBBB", body)
                equal((depth, colors, interlaced), (8, 6, 0), "8 bits, RGBA")
            packed += body if kind == b"IDAT" else b""
            place += 12 + length
        self.rows = list(self.unfiltered(zlib.decompress(packed)))

    def unfiltered(self, data):
        size = self.width * 4
        above = bytearray(size)
        for start in range(0, len(data), size + 1):
            kind, row = data[start], bytearray(data[start + 1:start + 1 + size])
            for i in range(size):
                left, up, corner = (row[i - 4] if i > 3 else 0), above[i], (above[i - 4] if i > 3 else 0)
                row[i] = row[i] + (0, left, up, (left + up) // 2, self.paeth(left, up, corner))[kind] & 255
            yield row
            above = row

    @staticmethod
    def paeth(left, up, corner):
        guess = left + up - corner
        return min((left, up, corner), key=lambda value: abs(guess - value))

    def painted(self):
        """The box around what is not transparent: left, top, right, bottom."""
        columns = [x for row in self.rows for x in range(self.width) if row[4 * x + 3] > 8]
        lines = [y for y, row in enumerate(self.rows) if any(alpha > 8 for alpha in row[3::4])]
        return min(columns), min(lines), max(columns) + 1, max(lines) + 1

    def is_painted(self, frame, scale):
        """Whether anything is drawn inside a frame of points."""
        left, right = int(frame["x"] * scale), int((frame["x"] + frame["width"]) * scale)
        top, bottom = max(0, int(frame["y"] * scale)), int((frame["y"] + frame["height"]) * scale)
        return any(row[4 * x + 3] > 8 for row in self.rows[top:bottom] for x in range(left, min(right, self.width)))


def picture(daemon, screen, kind, query="", headers=None, status=200, method="GET"):
    answer = daemon.ask(method, f"/v1/screens/{screen}?format={kind}{query}", headers)
    equal(answer.status, status, answer)
    return answer


@case("a PNG has bounds times scale pixels, and its ink where the frames of the JSON are, in either direction")
def ink(daemon):
    name = suite.name()
    daemon.put(name, title="Updating…")
    for direction in ("ltr", "rtl"):
        for scale in (1, 2, 3.5, 4):
            query = f"&width=200&height=44&scale={scale}&direction={direction}"
            layout = daemon.screen(name, "?" + query[1:])["layout"]
            answer = picture(daemon, name, "png", query)
            equal(answer.get("content-type"), "image/png")
            pixels = Pixels(answer.body)
            equal((pixels.width, pixels.height), (200 * scale, 44 * scale))
            label, spinner = layout["titleLabel"], layout["activityIndicator"]
            assert pixels.is_painted(label, scale) and pixels.is_painted(spinner, scale), layout
            edges = [min(label["x"], spinner["x"]) * scale, max(f["x"] + f["width"] for f in (label, spinner)) * scale]
            left, _, right, _ = pixels.painted()
            assert edges[0] - 2 * scale <= left and right <= edges[1] + 2 * scale, (edges, left, right)
    daemon.end(name)
    idle = daemon.screen(name, "?width=200&scale=2")["layout"]
    pixels = Pixels(picture(daemon, name, "png", "&width=200&scale=2").body)
    assert pixels.is_painted(idle["titleLabel"], 2)
    equal(idle["activityIndicator"], None)
    left, _, right, _ = pixels.painted()
    start, end = idle["titleLabel"]["x"] * 2, (idle["titleLabel"]["x"] + idle["titleLabel"]["width"]) * 2
    assert start - 2 <= left and right <= end + 2, (start, end, left, right)


@case("an SVG is well-formed, as large as the bounds, spins by itself, has no script and nothing from elsewhere")
def vector(daemon):
    name = suite.name()
    title = "</title><script>alert(1)</script>&\"'<img src=x onerror=alert(1)> 🚀 שלום"
    daemon.put(name, title=title)
    answer = picture(daemon, name, "svg", "&width=300")
    equal(answer.get("content-type"), "image/svg+xml")
    equal(answer.get("content-security-policy"), "default-src 'none'; sandbox")
    equal(answer.get("x-content-type-options"), "nosniff")
    root = xml.etree.ElementTree.fromstring(answer.body)
    equal((root.tag, root.get("width"), root.get("height"), root.get("viewBox")),
          (SVG + "svg", "300", "20", "0 0 300 20"))
    equal(root.find(SVG + "title").text, title)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= ELEMENTS, tags
    for element in root.iter():
        for key, value in element.attrib.items():
            assert not key.lower().startswith("on"), key
            assert "href" not in key or value == "#s" or value.startswith("data:image/png;base64,"), value
    equal(len(root.findall(f".//{SVG}animateTransform")), 2, "one for those who want less motion")
    daemon.end(name)
    root = xml.etree.ElementTree.fromstring(picture(daemon, name, "svg").body)
    equal(root.findall(f".//{SVG}animateTransform"), [], "idle: no spinner")


@case("whatever a title says, its SVG is well-formed and has the title for a name, but for what XML cannot say")
def random_titles(daemon):
    name, seed = suite.name(), random.randrange(1 << 32)
    chance = random.Random(seed)
    pieces = ["&", "<", ">", "\"", "'", "]]>", "<!--", "-->", "<?xml?>", "&amp;", "&#0;", "</title>", "<![CDATA[",
              "\ufffe", "\uffff", "\ufdd0", "\ufeff", "\U0010ffff", "\u0301" * 40, "\u200d", "שלום", "مرحبا", "更新", "🦀",
              " ", "a", "\xa0"]
    titles = ["\ufffe", "\uffff", "e" + "\u0301" * 199, "\u0301" * 200, "\U0001f980" * 200, " " * 200, "W" * 200]
    titles += ["".join(chance.choices(pieces, k=chance.randrange(1, 20)))[:200] for _ in range(100)]
    with daemon.connect() as connection:
        for title in titles:
            body = {"title": title}
            stored = connection.ask("PUT", f"/v1/tasks/{name}/runs/a", {}, body)
            equal(stored.status // 100, 2, f"seed {seed}: {title!r}")
            width = chance.choice((1, 21, 40, 120, 2000))
            direction = chance.choice(("ltr", "rtl"))
            target = f"/v1/screens/{name}?format=svg&width={width}&direction={direction}"
            answer = connection.ask("GET", target)
            root = xml.etree.ElementTree.fromstring(answer.body)
            said = title.replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
            equal(root.find(SVG + "title").text, said, f"seed {seed}")
            tags = {element.tag.removeprefix(SVG) for element in root.iter()}
            assert tags <= ELEMENTS, (seed, tags)


@case("glyphs that are pictures are drawn as such: in their colours, in their place, and never larger than a bound")
def color_glyphs(_):
    crab = "\U0001f980"
    with temporary_directory() as directory:
        font = color_font("Test Colour", 0x1F980, png(64, 64, (255, 0, 0, 255)), 64)
        files = [("colour.ttf", font)] + [(path.name, path.read_bytes()) for path in INTER]
        with Daemon("--loops", 1, environment=install(directory, *files)) as daemon:
            daemon.put("s", title=f"Hi {crab}")
            layout = daemon.screen("s", "?width=200&scale=2")["layout"]
            equal(layout["fonts"], ["Inter", "Test Colour"])
            root = xml.etree.ElementTree.fromstring(picture(daemon, "s", "svg", "&width=200").body)
            image, = root.iter(SVG + "image")
            label = layout["titleLabel"]
            left, width = float(image.get("x")), float(image.get("width"))
            assert label["x"] + 15 < left and left + width <= label["x"] + label["width"] + 1, (label, image.attrib)
            drawn = Pixels(base64.b64decode(image.get("href").partition(",")[2]))
            equal(bytes(drawn.rows[drawn.height // 2][4 * (drawn.width // 2):][:4]), b"\xff\0\0\xff", "red")
            pixels = Pixels(picture(daemon, "s", "png", "&width=200&height=20&scale=2").body)
            row = pixels.rows[20]
            equal(bytes(row[4 * int((left + width / 2) * 2):][:4]), b"\xff\0\0\xff", "red, where the SVG has it")
            daemon.configure("s", titleFont={"family": "Inter", "size": 512, "weight": 600})
            for title, size in ((crab * 200, "width=10000&height=10000"), (crab, "width=10000&height=0"),
                                (crab * 9, "width=9000")):
                daemon.put("s", title=title)
                answer = picture(daemon, "s", "svg", f"&{size}&fontScale=4")
                for image in xml.etree.ElementTree.fromstring(answer.body).iter(SVG + "image"):
                    head = base64.b64decode(image.get("href").partition(",")[2])[16:24]
                    across, down = struct.unpack(">II", head)
                    assert across * down <= 2_100_000, (across, down)
                picture(daemon, "s", "png", "&width=1000&height=100&scale=4&fontScale=4")
            assert daemon.resident_kib() < 200 << 10, f"{daemon.resident_kib()} KiB"


@case("where not even an ellipsis has room, no text is drawn, rather than one outside its label")
def no_room(daemon):
    name = suite.name()
    daemon.put(name, title="Waiting for the network")
    for width in (29, 31, 35, 60):
        layout = daemon.screen(name, f"?width={width}")["layout"]
        root = xml.etree.ElementTree.fromstring(picture(daemon, name, "svg", f"&width={width}").body)
        paths = [element for element in root if element.tag == SVG + "path"]
        assert layout["titleLabel"]["width"] == width - 28, layout
        assert len(paths) == (1 if width == 60 else 0), (width, paths)


@case("a search bar has its icon while idle, a spinner while pending, and its title as the field's text")
def search_bar(daemon):
    name = suite.name()
    daemon.configure(name, kind="searchBar", regularTitle="Search")
    layout = daemon.screen(name)["layout"]
    idle = Pixels(picture(daemon, name, "png", "&scale=2").body)
    equal((idle.width, idle.height), (640, 112))
    assert idle.is_painted(layout["leftView"], 2)
    equal(idle.painted(), (16, 20, 624, 92), "the field")
    assert b"animateTransform" not in picture(daemon, name, "svg").body
    daemon.put(name, title="Searching…")
    pending = Pixels(picture(daemon, name, "png", "&scale=2").body)
    assert pending.rows != idle.rows
    assert b"animateTransform" in picture(daemon, name, "svg").body


@case("which format is served: Accept as browsers send it, format before Accept, several screens never as a picture")
def negotiation(daemon):
    name = suite.name()
    target = f"/v1/screens/{name}"
    for accept, kind in (*((accept, "image/svg+xml") for accept in BROWSERS), ("image/png", "image/png"),
                         ("image/*", "image/svg+xml"), ("image/webp,*/*", "application/json"),
                         ("image/png, image/svg+xml;q=0.9", "image/png"), ("*/*", "application/json"),
                         ("application/json, image/png", "application/json"),
                         ("text/event-stream;q=0.5, image/png;q=0.6", "image/png")):
        answer = daemon.ask("GET", target, {"Accept": accept})
        equal((answer.status, answer.get("content-type")), (200, kind), accept)
        assert "Accept" in answer.get("vary"), answer
    equal(picture(daemon, name, "png", headers={"Accept": "application/json"}).get("content-type"), "image/png")
    problem(daemon.ask("GET", target, {"Accept": "image/gif"}), 406, "not-acceptable")
    problem(daemon.ask("GET", "/v1/screens", {"Accept": "image/png"}), 406, "not-acceptable")
    problem(daemon.ask("GET", f"/v1/screens?id={name}&format=svg"), 400, "invalid-parameter", parameter="format")
    problem(daemon.ask("GET", f"{target}?format=gif"), 400, "invalid-parameter", parameter="format")


@case("a picture has an entity tag of its own, which changes with all that is seen, and with nothing else")
def entity_tags(daemon):
    name = suite.name()
    daemon.put(name, title="One", progress={"completed": 1, "total": 10})
    seen = {}
    for kind in ("svg", "png", "json"):
        seen[kind] = daemon.ask("GET", f"/v1/screens/{name}?format={kind}").etag
        head = picture(daemon, name, kind, method="HEAD")
        equal((head.etag, head.body), (seen[kind], b""))
        again = picture(daemon, name, kind, headers={"If-None-Match": seen[kind]}, status=304)
        equal((again.etag, again.body), (seen[kind], b""))
    equal(len(set(seen.values())), 3, "no two formats have the same")
    assert picture(daemon, name, "png", "&scale=2").etag != seen["png"]
    daemon.put(name, title="One", progress={"completed": 2, "total": 10})
    eventually(lambda: daemon.screen(name)["fractionCompleted"] == 0.2)
    picture(daemon, name, "svg", headers={"If-None-Match": seen["svg"]}, status=304)
    daemon.put(name, title="Two")
    assert picture(daemon, name, "svg", headers={"If-None-Match": seen["svg"]}).etag != seen["svg"]
    before = picture(daemon, name, "svg").etag
    daemon.configure(name, titleColor="#ff0000")
    assert picture(daemon, name, "svg").etag != before, "a colour is no part of the JSON, but seen"


@case("sizes and scales beyond what a picture may have are refused, and name the parameter; the least is one pixel")
def bounds(daemon):
    name = suite.name()
    for query in ("&scale=0.5", "&scale=4.1", "&scale=x"):
        problem(picture(daemon, name, "png", query, status=400), 400, "invalid-parameter", parameter="scale")
    problem(picture(daemon, name, "png", "&width=10000&height=10000&scale=1", status=400), 400, "invalid-parameter",
            parameter="scale")
    picture(daemon, name, "svg", "&width=10000&height=10000&scale=10")
    pixels = Pixels(picture(daemon, name, "png", "&width=0&height=0").body)
    equal((pixels.width, pixels.height), (1, 1))
    daemon.configure(name, scale=10)
    equal(Pixels(picture(daemon, name, "png").body).width, 480, "a configured scale of 10 is drawn with 4")


@case("a viewer sees the pictures of its own scope and of those above")
def scopes(daemon):
    name = suite.name()
    daemon.put(name, title="Mine", scope="acme.u-42")
    own = daemon.ask("GET", f"/v1/scopes/acme.u-42/screens/{name}?format=svg").body
    other = daemon.ask("GET", f"/v1/scopes/acme.u-421/screens/{name}?format=svg").body
    assert b"<title>Mine</title>" in own and b"Mine" not in other


@case("many who ask for large pictures keep nobody else waiting; beyond 64 at once they are told to come again")
def crowd(_):
    with Daemon("--loops", 1) as daemon:
        daemon.put("s", title="Updating…")
        answers = []

        def ask(number):
            size = f"width={1400 + number % 100}&height=300&scale=2"
            with daemon.connect(timeout=60) as connection:
                answers.append(connection.ask("GET", f"/v1/screens/s?format=png&{size}").status)

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(100)]
        slowest = 0
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            before = time.monotonic()
            equal(daemon.ask("GET", "/v1/screens/s").status, 200)
            slowest = max(slowest, time.monotonic() - before)
        assert set(answers) <= {200, 503} and answers.count(200) >= 64, answers
        assert slowest < 1 + 2 * suite.lag.since(0), f"{slowest:.2f} s for a JSON meanwhile"
        same = [threading.Thread(target=ask, args=(7,)) for _ in range(100)]
        del answers[:]
        for thread in same:
            thread.start()
        for thread in same:
            thread.join()
        equal(answers, [200] * 100, "one picture, however many ask for it")


@case("pictures that are waited for in a drain are served")
def drain(_):
    with Daemon("--loops", 1, "--drain-delay", 0, "--drain", 1) as daemon:
        daemon.put("s", title="Updating…")
        connections = [daemon.connect() for _ in range(8)]
        for i, connection in enumerate(connections):
            target = f"/v1/screens/s?format=png&width={300 + i}&height=44&scale=2"
            connection.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        daemon.terminate()
        for connection in connections:
            equal(connection.response().status, 200)
        equal(daemon.process.wait(15), 0)


if __name__ == "__main__":
    suite.main()
