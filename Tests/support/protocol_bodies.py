"""Bodies whose end two servers have seen in two places, and requests at the edge of every limit.

Rows as in ``protocol_cases``; what is served writes to the task ``served``.
"""

from protocol_cases import EFFECT, END, GET, HOST, fields, line, refused, served

PUT = b"PUT /v1/tasks/smuggled/runs/a HTTP/1.1\r\n"
PUT_1_0 = PUT[:-3] + b"0\r\n"
SERVED = b"PUT /v1/tasks/served/runs/a HTTP/1.1\r\n"
CHUNKED = b"Transfer-Encoding: chunked"
LAST = b"0\r\n\r\n"


def put(*lines, body=b"{}", first=PUT):
    """A PUT with these header lines behind Host, and whatever stands for its body."""
    return fields(*lines, first=first) + body


def chunks(body, first=PUT):
    return put(CHUNKED, body=body, first=first)


def around(*offsets):
    """A few places to cut a long request at, around these."""
    return sorted({offset + step for offset in offsets for step in (-2, -1, 0, 1, 2)})


LENGTHS = [
    *(refused(put(b"Content-Length: " + value), 400) for value in (
        b"", b"+2", b"-2", b"-0", b"2 2", b"2,2", b"2, 2", b"2,3", b",2", b"2,", b"0x2", b"2.0", b"2e0", b"2;",
        b"2\0", b"\x0b2", b"2\x0b", b"\xa02", b"\xd9\xa2", b"two", b"'2'", b"\"2\"", b"0 2", b"2\r", b"2\n",
        b"1_0", b"\t2", b"2\t", b" \t 2", b"2h", b"\r\n 2", b"1\r\n 2")),
    *(refused(put(b"Content-Length: " + value), 413) for value in (
        b"65537", b"4294967298", b"9223372036854775807", b"9223372036854775808", b"18446744073709551618",
        b"99999999999999999999999999999999999999")),
    *(refused(put(*lines), 400) for lines in (
        (b"Content-Length: 2", b"Content-Length: 2"), (b"Content-Length: 2", b"Content-Length: 3"),
        (b"Content-Length: 0", b"Content-Length: 2"), (b"Content-Length: 2", b"content-length: 0"),
        (b"Content-Length : 2",), (b"Content-Length\t: 2",), (b" Content-Length: 2",),
        (b"X: y\nContent-Length: 2",),
        (b"X: y\rContent-Length: 2",), (b"X: y\0\nContent-Length: 2",), (b"Content-Length\0: 2",),
        (b"Content-Length: 2", CHUNKED), (CHUNKED, b"Content-Length: 2"), (CHUNKED, b"Content-Length: 0"),
        (b"Content-Length: 2", b"Transfer-Encoding: identity"), (b"Content-Length: 2", b"Transfer-Encoding: x"),
        (b"Content-Length: 2", b"Transfer-Encoding:"), (CHUNKED, b"Content-Length: x"))),
]

CODINGS = [
    *(refused(put(b"Transfer-Encoding: " + coding, body=LAST), 501) for coding in (
        b"gzip", b"gzip, chunked", b"chunked, gzip", b"chunked, chunked", b"identity", b"chunked, identity",
        b"identity, chunked", b"xchunked", b"chunkedx", b"x chunked", b"chunked x", b"chunk ed", b"chunked;q=1",
        b"chunked;", b"chunked,", b",chunked", b"\"chunked\"", b"'chunked'", b"cow", b"", b"chunked\xa0",
        b"\xa0chunked", b"ch\xc3\xbcnked", b"trailers", b"chunked#", b"=chunked", b"chunked:")),
    *(refused(put(*lines, body=LAST), 400) for lines in (
        (b"Transfer-Encoding : chunked",), (b"Transfer-Encoding\t: chunked",),
        (b" Transfer-Encoding: chunked",),
        (b"Transfer-Encoding: \x0bchunked",), (b"Transfer-Encoding: chunked\x0b",),
        (b"Transfer-Encoding: \0chunked",),
        (b"Transfer-Encoding: chunked\0",), (b"Transfer-Encoding:\r\n chunked",),
        (b"Transfer-Encoding:\n chunked",),
        (b"Transfer-Encoding\r\n: chunked",), (b"X: y\nTransfer-Encoding: chunked",),
        (b"X: y\rTransfer-Encoding: chunked",), (b"X: y\r\n Transfer-Encoding: chunked",), (CHUNKED, CHUNKED),
        (CHUNKED, b"Transfer-Encoding: identity"), (b"Transfer-Encoding: identity", CHUNKED),
        (b"Transfer-Encoding: gzip", CHUNKED), (CHUNKED, b"transfer-encoding: x"),
        (b"Transfer-\xebncoding: chunked",))),
    refused(PUT_1_0 + b"Transfer-Encoding: chunked\r\n\r\n" + LAST, 400),
    refused(PUT_1_0 + b"Transfer-Encoding: x\r\nContent-Length: 2\r\n\r\n{}", 400),
]

CHUNKS = [refused(chunks(body), 400) for body in (
    b"2\n{}\r\n" + LAST, b"2\r{}\r\n" + LAST, b"2\r\r\n{}\r\n" + LAST, b"2\r\n{}\n" + LAST, b"2\r\n{}\r" + LAST,
    b"2\r\n{}" + LAST, b"2\r\n{} \r\n" + LAST, b"2\r\n{}x\r\n" + LAST, b"2\r\n{}\r\n\r\n" + LAST,
    b"\r\n2\r\n{}\r\n" + LAST, b"2 \r\n{}\r\n" + LAST, b" 2\r\n{}\r\n" + LAST, b"\t2\r\n{}\r\n" + LAST,
    b"2\t\r\n{}\r\n" + LAST, b"2 ;a\r\n{}\r\n" + LAST, b"0x2\r\n{}\r\n" + LAST, b"2h\r\n{}\r\n" + LAST,
    b"+2\r\n{}\r\n" + LAST, b"-2\r\n{}\r\n" + LAST, b"g\r\n{}\r\n" + LAST, b"2.0\r\n{}\r\n" + LAST,
    b"2,2\r\n{}\r\n" + LAST, b";\r\n{}\r\n" + LAST, b";a=b\r\n{}\r\n" + LAST, b"\0\r\n{}\r\n" + LAST,
    b"2\0\r\n{}\r\n" + LAST, b"\xd9\xa2\r\n{}\r\n" + LAST, b"'2'\r\n{}\r\n" + LAST,
    b"000000002\r\n{}\r\n" + LAST, b"000000000\r\n\r\n", b"2;a\n{}\r\n" + LAST, b"2;a\r{}\r\n" + LAST,
    b"2;a\0\r\n{}\r\n" + LAST, b"2;a=\"\n\"\r\n{}\r\n" + LAST, b"2;a=\"\r\n\"\r\n{}\r\n" + LAST,
    b"2;\x7f\r\n{}\r\n" + LAST, b"3\r\n{}\r\n" + LAST, b"1\r\n{}\r\n" + LAST, b"2\r\n{}\r\n0\n\n",
    b"2\r\n{}\r\n0\r\n\n", b"2\r\n{}\r\n0\r\n\r\r", b"2\r\n{}\r\n0\n\r\n", b"2\r\n{}\r\n0\r\r\n\r\n",
    b"2\r\n{}\r\n0\r\nX\r\n\r\n", b"2\r\n{}\r\n0\r\nX : 1\r\n\r\n", b"2\r\n{}\r\n0\r\n: 1\r\n\r\n",
    b"2\r\n{}\r\n0\r\nX: 1\n\r\n", b"2\r\n{}\r\n0\r\nX: 1\r\n 2\r\n\r\n", b"2\r\n{}\r\n0\r\n X: 1\r\n\r\n",
    b"2\r\n{}\r\n0\r\nX: 1\0\r\n\r\n", b"2\r\n{}\r\n0\r\nX: 1\rY: 2\r\n\r\n", b"2\r\n{}\r\n0\r\n" + EFFECT,
    b"2\r\n{}\r\n0 " + END + END, b"2\r\n{}\r\n-0" + END + END, b"{}", b"\r\n", b"\n",
    *(b"2;" + extension + b"\r\n{}\r\n" + LAST for extension in (
        b"", b";", b"a;", b" a", b"a ", b"a =b", b"a= b", b"a=", b"=b", b"a=b=c", b"a=\"b", b"a=\"b\"c", b"a=\"\\",
        b"\"a\"", b"a,b", b"a\tb", b"\xe9", b"a=\"\xe9\"\0")),
    # Fields that frame or route a request, where some take trailers for headers.
    *(b"2\r\n{}\r\n0\r\nX: y\r\n" + field + b"\r\n\r\n" for field in (
        b"Content-Length: 70", b"content-length:", b"Transfer-Encoding: chunked", b"Host: evil.example",
        b"Connection: close", b"Proxy-Connection: close", b"Expect: 100-continue")))]
CHUNKS += [refused(chunks(body), 413) for body in (
    b"10001\r\n", b"100000000\r\n", b"100000000000000002\r\n{}\r\n" + LAST, b"ffffffff\r\n", b"80000000\r\n",
    b"7fffffff\r\n{}\r\n" + LAST, b"ffffffffffffffff\r\n{}\r\n" + LAST, b"2\r\n{}\r\nffff\r\n")]

# Refused before the body is read: the body, which is a request itself, is not read as one.
BODIES = [
    refused(put(b"Content-Length: %d" % len(EFFECT), body=EFFECT, first=first), status) for first, status in (
        (b"PUT /nowhere HTTP/1.1\r\n", 404), (b"POST /v1/runs HTTP/1.1\r\n", 405),
        (b"TRACE / HTTP/1.1\r\n", 405))
] + [
    refused(put(b"Content-Type: text/plain", b"Content-Length: %d" % len(EFFECT), body=EFFECT), 415),
    refused(put(b"Content-Type: text/plain",
                CHUNKED, body=b"%x\r\n" % len(EFFECT) + EFFECT + b"\r\n" + LAST), 415),
    refused(PUT + b"Host: evil.example\r\nContent-Length: %d\r\n\r\n" % len(EFFECT) + EFFECT, 421),
    refused(PUT + b"Host: evil.example\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}", 421),
    refused(put(b"Expect: 200-ok", b"Content-Length: 2"), 417),
    refused(put(b"Origin: http://evil.example", b"Content-Length: 2"), 403, "origin-not-allowed"),
]

# Bodies that are read: a request within one is none, and the next request begins where the body ends.
READ = [
    *(served(put(b"Content-Length: %d" % len(EFFECT), body=EFFECT, first=first), answer) for first, answer in (
        (GET, 200), (b"HEAD /healthz HTTP/1.1\r\n", (200, "", "HEAD")), (b"OPTIONS /healthz HTTP/1.1\r\n", 204),
        (b"DELETE /v1/tasks/served/runs/none HTTP/1.1\r\n", 204), (SERVED, (400, "invalid-json")))),
    *(served(chunks(b"%x\r\n" % len(EFFECT) + EFFECT + b"\r\n" + LAST, first), answer) for first, answer in (
        (GET, 200), (b"DELETE /v1/tasks/served/runs/none HTTP/1.1\r\n", 204), (SERVED, (400, "invalid-json")))),
    *(served(put(b"Content-Length: " + length, body=b'{"title":"T"}', first=SERVED), ((200, 201), '"T"'))
      for length in (b"13", b"0013", b"  13  ", b"0" * 40 + b"13")),
    *(served(put(b"Transfer-Encoding: " + coding, body=b'd\r\n{"title":"U"}\r\n' + LAST, first=SERVED),
             ((200, 201), '"U"')) for coding in (b"chunked", b"Chunked", b"CHUNKED", b"  chunked  ")),
    *(served(chunks(body, SERVED), ((200, 201), '"V"')) for body in (
        b'D\r\n{"title":"V"}\r\n' + LAST, b'1\r\n{\r\nC\r\n"title":"V"}\r\n' + LAST,
        b'0000000d\r\n{"title":"V"}\r\n00000000\r\n\r\n', b'd;a;b=c;d="e;\\"f"\r\n{"title":"V"}\r\n0;x\r\n\r\n',
        b'd\r\n{"title":"V"}\r\n0\r\nX: y\r\nZ:\r\n\r\n')),
    served(chunks(b"%x\r\n%s\r\n" % (len(LAST + EFFECT), LAST + EFFECT) + LAST, GET), 200),
    served(put(b"Connection: Content-Length",
               b"Content-Length: %d" % len(EFFECT), body=EFFECT, first=GET), 200),
    served(put(b"Connection: Transfer-Encoding", CHUNKED, body=b"1\r\nx\r\n" + LAST, first=GET), 200),
    served(put(b"Content-Length: 2", first=b"PUT /v1/tasks/served/runs/a%0d%0aX-Injected:%201 HTTP/1.1\r\n"),
           400, closes=True),
    served(fields(b'Idempotency-Key: "a%0d%0aX-Injected: 1"', first=b"POST /v1/tasks/served/runs HTTP/1.1\r\n"), 400),
    served(SERVED[:-3] + b"0\r\nContent-Length: 2\r\n\r\n{}", ((200, 201), "running"), closes=True),
]

LIMITS = [
    served(fields(*[b"X: 1"] * 99), 200, cuts=range(0)),
    refused(fields(*[b"X: 1"] * 100), 431, cuts=around(640, 643)),
    served(line(b"GET /healthz?" + b"a" * (32768 - 9) + b" HTTP/1.1"), 200, cuts=around(4, 32770, 32774)),
    refused(line(b"GET /healthz?" + b"a" * (32769 - 9) + b" HTTP/1.1"), 414, cuts=around(4, 32770, 32774)),
    refused(b"GET /" + b"a" * 45_000, 414, cuts=around(32770, 40960)),
    served(fields(b"X: " + b"x" * (40960 - 47)), 200, cuts=around(40956)),
    refused(fields(b"X: " + b"x" * (40961 - 47)), 431, cuts=around(40956)),
    refused(GET + HOST + b"X" * 45_000, 431, cuts=around(40960)), refused(b"G" * 45_000, 501, cuts=around(8)),
    refused(GET + HOST + b"X: 1\r\n" * 7_000, 431, cuts=around(640)),
    served(put(b"Content-Length: 65536", body=b"{}" + b" " * 65534, first=SERVED), ((200, 201), "running"),
           cuts=around(80, 65600)),
    served(chunks(b"8000\r\n{}" + b" " * 32766 + b"\r\n8000\r\n" + b" " * 32768 + b"\r\n" + LAST, SERVED),
           ((200, 201), "running"), cuts=around(80, 33000)),
    refused(chunks(b"8000\r\n{}" + b" " * 32766 + b"\r\n8001\r\n"), 413, cuts=around(100, 32870)),
    served(chunks(b"2;" + b"x" * 256 + b"\r\n{}\r\n" + LAST, SERVED), ((200, 201), "running"),
           cuts=around(350)),
    refused(chunks(b"2;" + b"x" * 257 + b"\r\n{}\r\n" + LAST), 400, cuts=around(350)),
    refused(chunks((b"1;" + b"x" * 200 + b"\r\n \r\n") * 31), 400, cuts=around(4300)),
    refused(chunks(b"2\r\n{}\r\n0\r\n" + b"X: 1\r\n" * 101 + END), 431, cuts=around(700)),
    refused(chunks(b"2\r\n{}\r\n0\r\nX: " + b"x" * 9_000), 431, cuts=around(8290)),
]
