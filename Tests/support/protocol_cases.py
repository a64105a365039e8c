"""Requests on which HTTP servers have been smuggled, split and confused, and what a strict one answers.

A row that is refused must not have any effect: whatever it carries writes to the task ``smuggled``. To add one,
add a line. Bodies and chunks are in ``protocol_bodies``.
"""

from typing import NamedTuple

KINDS = {400: "bad-request", 404: "not-found", 405: "method-not-allowed", 413: "too-large", 414: "uri-too-long",
         415: "unsupported-media-type", 417: "expectation-failed", 421: "misdirected-request",
         431: "head-too-large", 501: "not-implemented", 505: "version-not-supported"}
TOKEN = b"!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
HOST = b"Host: localhost\r\n"
END = b"\r\n"
GET = b"GET /healthz HTTP/1.1\r\n"
# What would be done if the bytes behind a refusal were read.
EFFECT = b"PUT /v1/tasks/smuggled/runs/after HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}"


class Row(NamedTuple):
    """Bytes of one connection, and the answers to them: (status, what is in the body, method)."""

    data: bytes
    answers: list
    # The server closes after the last answer, and reads nothing more.
    closes: bool
    # Where the bytes are cut; every place if None.
    cuts: object = None


def refused(data, status, kind=None, cuts=None):
    return Row(data, [(status, f"/problems/{kind or KINDS[status]}", "GET")], True, cuts)


def served(data, *answers, closes=False, cuts=None):
    """Answers are statuses, or tuples of a status, what is in the body, and the method if it matters."""
    tuples = [answer if isinstance(answer, tuple) else (answer,) for answer in answers]
    return Row(data, [answer + ("", "GET")[len(answer) - 1 :] for answer in tuples], closes, cuts)


def line(first):
    """A request with this first line."""
    return first + b"\r\n" + HOST + END


def fields(*lines, first=GET):
    """A GET with these header lines behind Host."""
    return first + HOST + b"".join(text + b"\r\n" for text in lines) + END


REQUEST_LINES = [
    *(refused(line(first), 400) for first in (
        b"GET  /healthz HTTP/1.1", b"GET /healthz  HTTP/1.1", b"GET\t/healthz HTTP/1.1",
        b"GET /healthz\tHTTP/1.1", b"GET /healthz HTTP/1.1 ", b"GET /healthz HTTP/1.1\t",
        b" GET /healthz HTTP/1.1", b"\tGET / HTTP/1.1", b"GET\x0b/healthz HTTP/1.1",
        b"GET\x0c/healthz HTTP/1.1", b"GET\xa0/healthz HTTP/1.1", b"GET\0/ HTTP/1.1", b"GET /healthz", b"GET",
        b"GET ", b"GET  HTTP/1.1", b"/healthz HTTP/1.1", b": HTTP/1.1", b"GET /a b HTTP/1.1",
        b"GET /healthz HTTP/1.1 HTTP/1.1", b"GET /healthz/HTTP/1.1", b"GET /healthz HTTP /1.1",
        b"GET /healthz HTTP/ 1.1", b"GET /healthz HTTP/1 .1", b"GET /healthz HTTP/1", b"GET /healthz HTTP/1.",
        b"GET /healthz HTTP/.1", b"GET /healthz HTTP/11", b"GET /healthz HTTP/1.10",
        b"GET /healthz HTTP/1.1.1", b"GET /healthz HTTP/01.1", b"GET /healthz HTTP/1,1",
        b"GET /healthz HTTP-1.1", b"GET /healthz HTTP/1.1\0", b"GET /healthz HTTP/1.1x",
        b"GET /healthz HTTP/x.1", b"GET /healthz HTTP/1.x", b"GET /healthz http/1.1",
        b"GET /healthz HTTPS/1.1", b"GET /healthz HTTQ/1.1", b"GET /healthz XTTP/1.1",
        b"GET /healthz RTSP/1.0", b"GET /healthz HTTP/+1.1", b"GET /healthz HTTP/1.-1",
        # The target: origin form, or absolute form with http.
        b"GET healthz HTTP/1.1", b"GET ?a HTTP/1.1", b"GET * HTTP/1.1", b"OPTIONS ** HTTP/1.1",
        b"GET \\ HTTP/1.1", b"GET localhost:80 HTTP/1.1", b"GET localhost/healthz HTTP/1.1",
        b"GET http:/localhost/ HTTP/1.1", b"GET http:localhost HTTP/1.1", b"GET http:// HTTP/1.1",
        b"GET http:///healthz HTTP/1.1", b"GET http://?a HTTP/1.1", b"GET https://localhost/healthz HTTP/1.1",
        b"GET ftp://localhost/ HTTP/1.1", b"GET file:///etc/passwd HTTP/1.1",
        b"GET http://a@localhost/healthz HTTP/1.1", b"GET http://:80/ HTTP/1.1",
        b"GET http://localhost:x/ HTTP/1.1", b"GET http://localhost:65536/ HTTP/1.1",
        b"GET http://[::1/ HTTP/1.1", b"GET http://[::1]x/ HTTP/1.1", b"GET http://[localhost]/ HTTP/1.1",
        b"GET http://local%zz/ HTTP/1.1", b"GET http://localhost\\@evil.example/ HTTP/1.1",
        b"GET http://localhost:80:80/ HTTP/1.1", b"CONNECT / HTTP/1.1", b"CONNECT localhost HTTP/1.1",
        b"CONNECT http://localhost:80/ HTTP/1.1", b"CONNECT :80 HTTP/1.1", b"CONNECT * HTTP/1.1",
        b"GET /healthz#top HTTP/1.1", b"GET /?a#b HTTP/1.1", b"GET /caf\xc3\xa9 HTTP/1.1",
        b"GET /\xff HTTP/1.1", b"GET /a\0b HTTP/1.1", b"GET /a\x01 HTTP/1.1", b"GET /a\x7f HTTP/1.1",
        b"GET /a\x0bb HTTP/1.1", b"GET /a\x1b[2J HTTP/1.1",
        # Methods are tokens.
        b"G\xffT / HTTP/1.1", b"G(T / HTTP/1.1", b"GET/ / HTTP/1.1", b"\"GET\" / HTTP/1.1", b"G\0T / HTTP/1.1",
        b"GET,PUT / HTTP/1.1", b"GET: / HTTP/1.1")),
    *(refused(line(first), 501) for first in (
        b"BREW / HTTP/1.1", b"get /healthz HTTP/1.1", b"Get /healthz HTTP/1.1", b"GETT / HTTP/1.1",
        b"GE / HTTP/1.1", b"PROPFIND / HTTP/1.1", b"PURGE / HTTP/1.1", b"PRI / HTTP/1.1", b"SOURCE / HTTP/1.1",
        b"M-SEARCH * HTTP/1.1", b"PUTDELETE / HTTP/1.1", b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2",
        b"~ / HTTP/1.1", b"X" * 300)),
    *(refused(line(b"GET /healthz HTTP/" + version), 505) for version in (
        b"0.9", b"0.0", b"1.2", b"1.9", b"2.0", b"3.0", b"9.9")),
    # Other protocols at the door.
    refused(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 501),
    refused(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n", 400),
    refused(b"SSH-2.0-OpenSSH_9.2\r\n", 501), refused(b"* 1 2\r\n", 501), refused(b"\0\r\n\r\n", 400),
    refused(b"\x80\x2e\x01\0\x02", 400),
    refused(b"\r\n\r\n\0\0\0\0\0", 400), refused(b"{\"a\":1}\r\n", 400),
    # Ends of lines.
    refused(b"\r\n\r\n" + fields(), 400), refused(b"\n" + fields(), 400), refused(b"\r" + fields(), 400),
    refused(b"\n\r\n" + fields(), 400), refused(GET[:-2] + b"\n" + HOST + END, 400),
    refused(GET[:-2] + b"\r" + HOST + END, 400), refused(GET[:-2] + b"\r\r\n" + HOST + END, 400),
    refused(GET + HOST[:-2] + b"\n\r\n", 400), refused(GET + HOST[:-2] + b"\r\r\n", 400),
    refused(GET + HOST + b"\n", 400), refused(GET + HOST + b"\r\r\n", 400), refused(GET + HOST + b"\rX", 400),
    refused(b"GET /healthz HTTP/1.1\nHost: localhost\n\n", 400), refused(b"GET /\r\n", 400),
    refused(b"GET /\n", 400),
]

# Every byte that may not stand in a name, and every one that may not stand in a value.
NAME_BYTES = [refused(fields(b"X" + bytes([byte]) + b"Y: 1"), 400)
              for byte in range(256) if byte not in TOKEN and byte not in b":"]
VALUE_BYTES = [refused(fields(b"X: a" + bytes([byte]) + b"b"), 400)
               for byte in range(256) if byte < 0x20 and byte != 9 or byte == 0x7F]
TARGET_BYTES = [refused(line(b"GET /a" + bytes([byte]) + b" HTTP/1.1"), 400)
                for byte in range(256) if not 0x20 <= byte < 0x7F or byte == 0x23]

FIELDS = [
    *(refused(fields(text), 400) for text in (
        b"X : 1", b"X\t: 1", b"X\x0b: 1", b"X", b"X 1", b": 1", b" : 1", b"X: 1\r\n 2", b"X: 1\r\n\t2",
        b"X:\r\n 2", b"X: 1\r\n  \r\nY: 2", b" X: 1", b"\tX: 1", b"X: 1\nY: 2", b"X: 1\rY: 2",
        b"X: 1\n\nGET / HTTP/1.1", b"X: 1\r\r\nY: 2", b"X: 1\n\r\nY: 2", b"X\r\n: 1", b"X\r: 1", b"X\0: 1",
        b"X: 1\0", b"X: \x1b[31m", b"\xef\xbb\xbfX: 1", b"X\xc2\xa0: 1", b"Content Length: 0", b"X\r\n: y",
        b"X: y\r\n : z")),
    # Whose request is it?
    refused(GET + END, 400), refused(fields(b"Host: localhost"), 400),
    refused(fields(b"hOST: other.example"), 400),
    refused(b"GET /healthz HTTP/1.0\r\n" + HOST + HOST + END, 400),
    refused(GET + b" Host: localhost\r\n\r\n", 400),
    refused(GET + b"Host : localhost\r\n\r\n", 400), refused(GET + b"Host\r\n: localhost\r\n\r\n", 400),
    refused(GET + b"Host:\r\n localhost\r\n\r\n", 400), refused(GET + b"X: y\r\n Host: localhost\r\n\r\n", 400),
    *(refused(GET + b"Host: " + host + b"\r\n\r\n", 400) for host in (
        b"", b"a b", b"localhost evil.example", b"localhost/healthz", b"user@localhost",
        b"localhost@evil.example", b"localhost:x", b"localhost:-1", b"localhost:65536", b"localhost:80:80",
        b":80", b"[::1", b"[::1]x", b"[localhost]", b"[]", b"http://localhost", b"localhost#", b"localhost?",
        b"localhost\\", b"local\"host", b"localhost\x00", b"localhost\xe9", b"local%zz", b"local%",
        b"<localhost>", b"localhost:80 ,x")),
    *(refused(fields(text), 417) for text in (
        b"Expect: 200-ok", b"Expect: ", b"Expect: 100-continue, x", b"Expect: 100", b"Expect: x100-continue",
        b"Expect: 100-continue\r\nExpect: x", b"Expect: \"100-continue\"")),
]

# Forms that look odd and are right, and fields by which others were led astray and which mean nothing here.
ODD = [
    served(b"\r\n" + fields(), 200), served(b"GET /healthz HTTP/1.1\r\nhOsT:\t localhost \t\r\n\r\n", 200),
    served(b"GET http://localhost/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 200),
    served(line(b"GET HTTP://LOCALHOST:1/healthz HTTP/1.1"), 200),
    served(line(b"GET http://[::1] HTTP/1.1"), 200),
    served(line(b"OPTIONS http://localhost HTTP/1.1"), 204), served(line(b"OPTIONS * HTTP/1.1"), 204),
    served(line(b"GET //evil.example/healthz HTTP/1.1"), 404), served(line(b"GET /%2fhealthz HTTP/1.1"), 404),
    served(line(b"GET /v1/screens/a%2fconfiguration HTTP/1.1"), (400, "invalid-name")),
    served(line(b"GET /v1/screens/%2e%2e HTTP/1.1"), (400, "invalid-name")),
    served(line(b"GET /v1/screens/a%00 HTTP/1.1"), (400, "invalid-name")),
    served(line(b"GET /v1/screens/a%2561 HTTP/1.1"), (400, "invalid-name")),
    served(line(b"GET /v1/screens/%c0%ae HTTP/1.1"), (400, "invalid-name")),
    served(line(b"GET /v1/screens/a;b=c HTTP/1.1"), (400, "invalid-name")),
    served(line(b"GET /v1/screens/a%0d%0aX-Injected:%201 HTTP/1.1"), (400, "invalid-name")),
    served(line(b"GET /healthz/../v1/runs HTTP/1.1"), 404), served(line(b"GET /healthz\\..\\x HTTP/1.1"), 404),
    served(line(b"GET /healthz%00 HTTP/1.1"), 404), served(line(b"GET /healthz;x HTTP/1.1"), 404),
    served(line(b"GET /healthz? HTTP/1.1"), 200), served(line(b"GET /healthz?a=%zz&&=?/ HTTP/1.1"), 200),
    served(line(b"TRACE /healthz HTTP/1.1"), (405, "method-not-allowed")),
    served(line(b"HEAD /healthz HTTP/1.1"), (200, "", "HEAD")),
    *(served(fields(text), 200) for text in (
        b"X:", b"X: ", b"X:1", b"X: \t 1 \t", b"X: a:b: c", b"X: caf\xe9 \xff", b"X!#$%&'*+-.^_`|~: 1", b"0: 1",
        b"Content_Length: 70", b"Transfer_Encoding: chunked", b"Content-Length: 0", b"Content-Length: 00",
        b"Content-Lengt: 70", b"Content-Lengths: 70", b"XContent-Length: 70", b"Content.Length: 70",
        b"TE: trailers, chunked", b"Trailer: Content-Length", b"Keep-Alive: timeout=0, max=1",
        b"Connection: keep-alive", b"Connection: Host", b"Connection: Content-Length, x", b"Connection: ,,",
        b"Connection: closed", b"Connection: \"close\"",
        b"Proxy-Connection: keep-alive", b"X-HTTP-Method-Override: DELETE", b"X-Original-URL: /v1/runs",
        b"X-Rewrite-URL: /v1/runs", b"X-Forwarded-Host: evil.example", b"X-Forwarded-For: 127.0.0.1",
        b"Forwarded: host=evil.example", b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x",
        b"Upgrade: TLS/1.0, HTTP/1.1",
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
        b"Expect: 100-continue", b"Range: bytes=0-,0-,0-,0-", b"Accept-Encoding: gzip", b"X-Request-Id: a\xe9",
        b"X-Request-Id: a%0d%0aX-Injected: 1", b"Cookie: " + b"a=b; " * 40)),
    *(served(GET + b"Host: " + host + b"\r\n\r\n", 200) for host in (b"localhost:", b"LOCALHOST:080",
    b"[::ffff:1.2.3.4]")),
    # /healthz is for probes, which know no name; all others must name us.
    *(served(b"GET /v1/screens/x HTTP/1.1\r\nHost: " + host + b"\r\n\r\n", 421) for host in (
        b"evil.example", b"localhost.evil.example", b"localhost,evil.example", b"local%68ost", b"0x7f.1",
        b"2130706433", b"127.1", b"xn--localhost")),
    served(b"GET http://evil.example/v1/screens/x HTTP/1.1\r\n" + HOST + END, 421),
]

# After these the server closes, and what follows in the same write has no effect.
CLOSING = [
    served(fields(b"Connection: close"), 200, closes=True),
    served(fields(b"Connection: x, Close ,y"), 200, closes=True),
    served(fields(b"Connection: keep-alive, close"), 200, closes=True),
    served(fields(b"Connection: keep-alive", b"Connection: close"), 200, closes=True),
    served(fields(b"Proxy-Connection: a, close"), 200, closes=True),
    served(b"GET /healthz HTTP/1.0\r\n\r\n", 200, closes=True),
    served(b"GET /healthz HTTP/1.0\r\nConnection: x\r\n\r\n", 200, closes=True),
    served(b"GET /healthz HTTP/1.0\r\nProxy-Connection: keep-alive\r\n\r\n", 200, closes=True),
    served(line(b"CONNECT localhost:80 HTTP/1.1"), 405, closes=True),
    served(line(b"CONNECT evil.example:443 HTTP/1.1"), 421, closes=True),
]
