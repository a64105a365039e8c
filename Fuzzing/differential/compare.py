"""Holds what this server accepts against what llhttp reads in the same bytes; run by scripts/differential.

This server may refuse more. What it accepts, llhttp must read the same way: method, target, version, names and
values of fields, body, and whether the connection goes on, however the bytes are cut. Each side tells a line per
connection: the requests, each `METHOD TARGET VERSION keep|close NAME:VALUE,… BODY|` in hexadecimal, with `...` for
a body that is not complete, then how it ended.
"""

import pathlib
import random
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
import protocol_bodies  # noqa: E402
import protocol_cases  # noqa: E402

ECHO = ROOT / ".build/differential/echo"
LLHTTP = pathlib.Path(__file__).with_name("llhttp.js")

METHODS = [b"GET", b"PUT", b"POST", b"HEAD", b"DELETE", b"PATCH", b"OPTIONS", b"TRACE", b"CONNECT"]
TARGETS = [b"/", b"/v1/screens/a?width=1", b"/a%2fb;c=d", b"//a", b"http://localhost/a", b"http://[::1]:80", b"*",
           b"localhost:80", b"/a?b?c=/d", b"/\\", b"/~{}|^`\"<>", b"http://a?b", b"/" + b"a" * 300]
VERSIONS = [b"HTTP/1.1"] * 8 + [b"HTTP/1.0", b"HTTP/1.0", b"HTTP/0.9", b"HTTP/2.0", b"http/1.1"]
NAMES = [b"X", b"x-y", b"Accept", b"Cookie", b"!#$%&'*+-.^_`|~0", b"Connection", b"Proxy-Connection", b"Upgrade",
         b"Expect", b"Content-Length", b"Transfer-Encoding", b"TE", b"Trailer", b"Content-Type", b"Keep-Alive", b"Host",
         b"Content_Length", b"Transfer-Encodin", b"Content-Lengthx"]
VALUES = [b"", b"a", b"close", b"Close", b"keep-alive", b"a, close", b"close,a", b"keep-alive, close", b"closed",
          b"upgrade", b"Upgrade, close", b"websocket", b"100-continue", b"0", b"3", b"03", b"3, 3", b"chunked",
          b"gzip, chunked", b"identity", b"a\tb", b"\xe9\xff", b"a:b", b"x" * 100, b"\"a\\\"b\"", b",", b"close ,",
          b"c lose", b"close;a", b"keep-alive,,close\t"]
ODD = b"\r\n\t :,;0aA\0\x0b\""
LIMIT = 3000


class Generator:
    """Requests that are right or nearly so: pieces of the grammar put together, then damaged now and then."""

    def __init__(self, seed, corpus):
        self.chance = random.Random(seed)
        self.corpus = corpus

    def one(self, choices):
        return self.chance.choice(choices)

    def rarely(self, odd, usual, rate=0.02):
        return self.one(odd) if self.chance.random() < rate else usual

    def field(self):
        space = self.one([b" ", b"", b"\t", b"  "])
        return self.one(NAMES) + self.rarely([b" :", b"", b"\t:"], b":") + space + self.one(VALUES) + space

    def chunks(self):
        data = b""
        for _ in range(self.chance.randrange(4)):
            size = self.chance.randrange(1, 20)
            digits = self.one([b"%x", b"%X", b"0%x", b"%08x"]) % size
            extension = self.one([b""] * 4 + [b";a", b";a=b", b";a=\"b;\\\"c\"", b";a;b=!", b";", b"; a",
                                               b";a=\"\xe9\t\""])
            data += digits + extension + self.line() + self.chance.randbytes(size) + self.line()
        trailers = self.one([b""] * 3 + [b"X: y\r\n", self.field() + b"\r\n", b"Content-Length: 3\r\nZ:\r\n"])
        return data + self.one([b"0", b"00"]) + self.line() + trailers + self.line()

    def line(self):
        return self.rarely([b"\n", b"\r", b"\r\r\n", b"\n\r\n", b""], b"\r\n", 0.005)

    def request(self):
        fields = [b"Host: localhost"] + [self.field() for _ in range(self.chance.randrange(3))]
        body = b""
        kind = self.chance.random()
        if kind < 0.3:
            body = self.chance.randbytes(self.chance.randrange(20))
            fields.append(b"Content-Length: %d" % len(body))
        elif kind < 0.6:
            body = self.chunks()
            fields.append(b"Transfer-Encoding: " + self.one([b"chunked", b"Chunked", b"\tchunked "]))
        self.chance.shuffle(fields)
        first = b" ".join((self.one(METHODS), self.one(TARGETS), self.one(VERSIONS)))
        return first + self.line() + b"".join(field + self.line() for field in fields) + self.line() + body

    def damaged(self, data):
        data = bytearray(data)
        for _ in range(self.chance.randrange(1, 4)):
            at = self.chance.randrange(len(data) + 1)
            match self.chance.randrange(4):
                case 0: data[at : at + 1] = bytes([self.chance.randrange(256)])
                case 1: del data[at : at + self.chance.randrange(1, 4)]
                case 2: data[at:at] = bytes(self.chance.choices(ODD, k=self.chance.randrange(1, 3)))
                case 3: data[at:at] = data[at : at + self.chance.randrange(40)]
        return bytes(data)

    def connection(self):
        source = self.chance.random()
        if source < 0.3:
            data = self.one(self.corpus)
        else:
            data = b"".join(self.request() for _ in range(self.chance.randrange(1, 4)))
        if self.chance.random() < 0.3:
            data = self.damaged(data)
        return data[:LIMIT], self.chance.randrange(len(data[:LIMIT]) + 1)


def tables():
    """Every row that is sent to the daemon too, with what would have an effect behind it."""
    for module in (protocol_cases, protocol_bodies):
        for table in vars(module).values():
            if isinstance(table, list) and table and isinstance(table[0], protocol_cases.Row):
                yield from (row.data + protocol_cases.EFFECT for row in table)


def fuzzed():
    """What the fuzzers keep, and have found on this machine."""
    for root in (ROOT / "Fuzzing/corpus", ROOT / ".build/fuzz/corpus"):
        for path in sorted((root / "head").glob("*")):
            yield path.read_bytes()[2:]
        for path in sorted((root / "chunks").glob("*")):
            yield protocol_bodies.chunks(path.read_bytes()[1:])
        for path in sorted((root / "target").glob("*")):
            yield protocol_cases.line(b"GET " + path.read_bytes() + b" HTTP/1.1")


def ask(command, inputs):
    data = b"".join(struct.pack(">II", len(bytes_in), cut) + bytes_in for bytes_in, cut in inputs)
    done = subprocess.run(command, input=data, capture_output=True, check=True)
    lines = done.stdout.decode().splitlines()
    assert len(lines) == len(inputs), f"{command[0]}: {len(lines)} lines for {len(inputs)} inputs"
    return [line.split("|") for line in lines]


def unlike(ours, theirs):
    """Why two readings differ; None if they do not, as far as anything was accepted and can be compared."""
    *requests, end = ours
    *others, other_end = theirs
    for index, request in enumerate(requests):
        is_whole = not request.endswith(" ...")
        if not is_whole and end.startswith("refused"):
            return None
        if index >= len(others):
            # llhttp stops behind a request that asks for another protocol, where one that does not know it goes
            # on (RFC 9110, section 7.8).
            if not is_whole or other_end == "upgraded":
                return None
            return f"it accepts request {index + 1}, llhttp ends with: {other_end}"
        if request != others[index]:
            return None if is_deliberate(request, others[index]) else f"request {index + 1} differs"
    if end == "more" and len(others) > len(requests):
        return "llhttp has read another request"
    return None


def is_deliberate(request, other):
    """Whether nothing differs but that the connection is closed here, for a reason that is known.

    After CONNECT, since there is no tunnel and what follows was meant for one; and on HTTP/1.0 with `close` beside
    `keep-alive`, or with `keep-alive` in Proxy-Connection alone, since to close is always safe.
    """
    mine, its = request.split(" "), other.split(" ")
    may_close = mine[0] == "CONNECT" or mine[2] == "1.0"
    return may_close and mine[3] == "close" and mine[:3] + mine[4:] == its[:3] + its[4:]


def compare(claim, inputs):
    """1 if the two agree on all inputs, else 0."""
    ours, theirs = ask([str(ECHO)], inputs), ask(["node", str(LLHTTP)], inputs)
    accepted = sum(len(line) - 1 for line in ours)
    faults = [(why, *case) for *case, why in zip(inputs, ours, theirs, map(unlike, ours, theirs)) if why]
    for why, (data, cut), mine, its in faults[:8]:
        print(f"    {why}: {data!r} cut at {cut}\n      here    {mine}\n      llhttp  {its}")
    print(f"{'FAILED' if faults else 'ok':8}{claim}: {len(inputs)} connections, {accepted} requests accepted, "
          f"{len(faults)} read differently")
    return 0 if faults else 1


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(2**32)
    print(f"seed {seed}")
    rows, found = list(tables()), list(fuzzed())
    generator = Generator(seed, rows + found)
    cut = generator.chance.randrange
    parts = [("the tables of the protocol suite", [(row, cut(len(row) + 1)) for row in rows]),
             ("the fuzzers' corpora", [(data, cut(len(data) + 1)) for data in found]),
             ("random requests", [generator.connection() for _ in range(count)])]
    passed = sum(compare(*part) for part in parts)
    print(f"{passed} passed, {len(parts) - passed} failed")
    sys.exit(0 if passed == len(parts) else 1)


main()
