#!/usr/bin/env python3
"""Tickets: how clients that can send no header field, such as a browser's EventSource and <img>, read screens."""

import base64
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from permissions import PERMISSIONS, Guarded, Key, asked, grant  # noqa: E402
from suite import Suite, equal, problem  # noqa: E402

suite = Suite(workers=8)
case = suite.case
READER = grant("screens:read", scope="acme.>")
PATH = "/v1/scopes/acme/screens/chats"


def ticket(daemon, key, path=PATH):
    answer = asked(daemon, key, "POST", "/v1/tickets", {"path": path})
    equal(answer.status, 201, answer)
    equal(answer.get("cache-control"), "no-store")
    equal(sorted(answer.json), ["expiresIn", "ticket"])
    equal(answer.json["expiresIn"], 3600)
    return answer.json["ticket"]


@case("a ticket opens its path, with any query and in every form, any number of times, and no other path")
def one_path(_):
    key = Key("app", READER)
    with Guarded(key) as daemon:
        text = ticket(daemon, key)
        assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."), "safe in a URL"
        for query in ("", "&width=200", "&format=svg", "&format=png&scale=2", "&include=appearance", "&format=json"):
            for _ in range(2):
                equal(daemon.ask("GET", f"{PATH}?ticket={text}{query}").status, 200, query)
            equal(daemon.ask("HEAD", f"{PATH}?ticket={text}{query}").status, 200, query)
        tag = daemon.ask("GET", f"{PATH}?ticket={text}").etag
        equal(daemon.ask("GET", f"{PATH}?ticket={text}", {"If-None-Match": tag}).status, 304)
        streams = [daemon.stream(f"{PATH}?ticket={text}") for _ in range(3)]
        for stream in streams:
            equal(stream.next().kind, "state")
        several = ticket(daemon, key, "/v1/scopes/acme/screens")
        equal(daemon.ask("GET", f"/v1/scopes/acme/screens?id=a&id=b&ticket={several}").status, 200)
        for target in ("/v1/scopes/acme/screens/chat", "/v1/scopes/acme/screens/chats2", "/v1/scopes/acme/screens",
                       "/v1/scopes/acme/screens/ch%61ts", "/v1/scopes/acme.u/screens/chats", "/v1/screens/chats",
                       "/v1/scopes/acme/runs", "/v1/scopes/acme/tasks/a/runs/1", "/metrics",
                       "/v1/screens/chats/configuration"):
            problem(daemon.ask("GET", f"{target}?ticket={text}"), 401, "unauthenticated")
        problem(daemon.ask("PUT", f"/v1/scopes/acme/tasks/a/runs/1?ticket={text}", {}, {}), 401, "unauthenticated")
        problem(daemon.ask("POST", f"/v1/tickets?ticket={text}", {}, {"path": PATH}), 401, "unauthenticated")


@case("who may not read a path gets no ticket for it, whatever is there; what is no path of screens is 422")
def not_for_all(_):
    key, writer = Key("app", READER), Key("writer", grant("tasks:write", "admin"))
    with Guarded(key, writer) as daemon:
        for path in ("/v1/screens/chats", "/v1/screens", "/v1/scopes/acme2/screens/chats"):
            problem(asked(daemon, key, "POST", "/v1/tickets", {"path": path}), 403, "forbidden")
        problem(asked(daemon, writer, "POST", "/v1/tickets", {"path": PATH}), 403, "forbidden")
        problem(daemon.ask("POST", "/v1/tickets", {}, {"path": PATH}), 401, "unauthenticated")
        for body in ({}, {"path": None}, {"path": 1}, {"path": ""}, {"path": PATH + "?width=2"}, {"path": PATH, "x": 1},
                     {"path": "/v1/scopes/acme/runs"}, {"path": "/v1/tickets"}, {"path": "v1/screens"},
                     {"path": "http://h" + PATH}, {"path": PATH + "/"}, {"path": "/v1/screens/a b"}, {"path": "/v1/screens/-"},
                     {"path": "/v1/screens/" + "a" * 600}, {"path": "/v1/screens/a/configuration"}):
            answer = asked(daemon, key, "POST", "/v1/tickets", body)
            problem(answer, 422, "invalid-member")
        equal(asked(daemon, key, "GET", "/v1/tickets").status, 405)
    problem(suite.daemon.ask("POST", "/v1/tickets", {}, {"path": "/v1/screens"}), 404, "not-found")


@case("a ticket that is damaged, made up, or of another daemon is 401; for a stream it is close and a minute's pause")
def damaged(_):
    key = Key("app", READER)
    with Guarded(key) as daemon, Guarded(key) as other:
        good = ticket(daemon, key)
        payload, mac = good.split(".")

        def signed_by_nobody(text):
            return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=") + "." + mac

        words = base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)).decode().split(" ")
        later = " ".join([*words[:3], str(int(words[3]) + 9999), words[4]])
        for text in ("", "x", ".", good[:-1], good + "A", "A" + good, payload, "." + mac, payload + ".", good.swapcase(),
                     signed_by_nobody(later), signed_by_nobody(later.replace("app", "root")), "A" * 2_000, "A" * 700 + ".A",
                     ticket(other, key)):
            problem(daemon.ask("GET", f"{PATH}?ticket={text}"), 401, "unauthenticated")
            stream = daemon.stream(f"{PATH}?ticket={text}")
            event = stream.next()
            equal((stream.head.status, event.kind, event.json), (200, "close", {"reason": "unauthenticated"}))
            assert stream.has_ended() and stream.retry == 60_000
        equal(daemon.ask("GET", f"{PATH}?ticket={good}").status, 200)
        equal(daemon.ask("GET", f"{PATH}?ticket=x", key.fields).status, 200, "a token wins over a ticket")
        problem(daemon.ask("GET", f"{PATH}?ticket={good}", {"Authorization": "Bearer x"}), 401, "unauthenticated")
        stream = daemon.stream(PATH, {"Authorization": "Bearer x"})
        equal(stream.head.status, 401, "who can send a field is told by a status")


@case("a ticket is good for what its key still allows: without the key, or with another secret of the same name, for nothing")
def key_gone(_):
    key, same_name, other = Key("app", READER), Key("app", READER), Key("other", READER)
    with Guarded(key, other) as daemon:
        text = ticket(daemon, key)
        stream = daemon.stream(f"{PATH}?ticket={text}")
        assert stream.next()
        daemon.give(other)
        equal(stream.next().json, {"reason": "unauthenticated"})
        problem(daemon.ask("GET", f"{PATH}?ticket={text}"), 401, "unauthenticated")
        daemon.give(same_name, other, wait_for=same_name)
        problem(daemon.ask("GET", f"{PATH}?ticket={text}"), 401, "unauthenticated")
        key.grants = [grant("screens:read", scope="elsewhere")]
        daemon.give(key, other, wait_for=key)
        problem(daemon.ask("GET", f"{PATH}?ticket={text}"), 403, "forbidden")
        key.grants = [READER]
        daemon.give(key, other, wait_for=key, status=200)
        equal(daemon.ask("GET", f"{PATH}?ticket={text}").status, 200, "and again when it allows it")


@case("tickets outlive a crash and a restart; the key that signs them is in the journal, and in nothing that is served")
def restart(_):
    key = Key("app", grant(*PERMISSIONS))
    with Guarded(key, sqlite=True) as daemon:
        text = ticket(daemon, key)
        daemon.kill()
        daemon.start()
        equal(daemon.ask("GET", f"{PATH}?ticket={text}").status, 200)
        runs = asked(daemon, key, "GET", "/v1/runs?state=all").json["items"]
        equal(runs, [])
        assert "ticket" not in daemon.log(), daemon.log()


@case("no ticket gets into the log, the metrics or an answer")
def no_leak(_):
    key = Key("app", grant(*PERMISSIONS))
    with Guarded(key) as daemon:
        text = ticket(daemon, key)
        seen = [daemon.ask("GET", target) for target in (
            f"{PATH}?ticket={text}&width=x", f"/v1/screens/a?ticket={text}", f"{PATH}?ticket={text}&ticket={text}x",
            f"/v2?ticket={text}")] + [asked(daemon, key, "GET", "/metrics")]
        for answer in (*seen, daemon.log()):
            assert text not in str(answer) and text[:40] not in str(answer), answer
        assert json.loads(seen[0].body)["parameter"] == "width"


if __name__ == "__main__":
    suite.main()
