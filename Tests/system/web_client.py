#!/usr/bin/python3
"""/pending.js in a real browser, in pages of another origin: connections, states, elements."""

import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import client_pages  # noqa: E402
from client_pages import bar, page  # noqa: E402
from daemon import Daemon, delays  # noqa: E402
from suite import Suite, equal, eventually  # noqa: E402

suite = Suite("--loops", 2, "--cors-origin", client_pages.pages.origin, workers=3)
case = suite.case

#: Seconds that an edge may be off in a page, on top of what the machine is seen to be late.
EDGE = 0.25


def streams(daemon):
    return daemon.metrics()["pending_streams"]


@case("the module is served to pages of any origin, and is asked for again only to hear that it is the same")
def served(daemon):
    for path, kind in (("/pending.js", "text/javascript; charset=utf-8"), ("/pending.d.ts", "text/plain; charset=utf-8")):
        answer = daemon.ask("GET", path, {"Origin": "https://any.example"})
        equal((answer.status, answer.get("content-type")), (200, kind))
        for field, value in (("access-control-allow-origin", "*"), ("cross-origin-resource-policy", "cross-origin"),
                             ("x-content-type-options", "nosniff"), ("cache-control", "no-cache")):
            equal(answer.get(field), value, path)
        again = daemon.ask("GET", path, {"If-None-Match": answer.etag})
        equal((again.status, again.body, again.get("content-type")), (304, b"", None))
        head = daemon.ask("HEAD", path)
        equal((head.status, head.body, head.get("content-length")), (200, b"", str(len(answer.body))))
        equal(daemon.ask("POST", path, body={}).status, 405)
    for path in ("/pending.jsx", "/Pending.js", "/pending.js/", "/pending-line.js", "/..%2fpending.js"):
        equal(daemon.ask("GET", path).status, 404, path)


@case("what the declarations declare is what the module exports, and its elements observe their attributes")
def declarations(_):
    with page(suite.daemon) as shown:
        shown.open("")
        exported = shown.browser.wait(f"return Object.keys(await import('{shown.service}/pending.js'))")
    text = suite.daemon.ask("GET", "/pending.d.ts").body.decode()
    equal(sorted(exported), sorted(re.findall(r"^export (?:class|function) (\w+)", text, re.MULTILINE)))


@case("an indicator shows and goes when its timing says, and the page hears of it: pending, change, attributes")
def on_time(_):
    name = suite.name()
    suite.daemon.configure(name, timing=delays(500, 500, 200))
    with page(suite.daemon) as shown:
        shown.open(bar(name))
        shown.run(f"record(document.querySelector('[screen={name}]'))")
        start = time.time()
        suite.daemon.put(f"{name}.work", title="Working…")
        shown.until(f"shown(part('{name}', 'spinner'))")
        equal(shown.run(f"return document.querySelector('[screen={name}]').hasAttribute('pending')"), True)
        end = time.time()
        suite.daemon.end(f"{name}.work")
        shown.until(f"!shown(part('{name}', 'spinner'))")
        equal(shown.run(f"return document.querySelector('[screen={name}]').hasAttribute('pending')"), False)
        first, last = [one["at"] for one in shown.events("pending", name)]
        late = EDGE + suite.lag.since(0)
        assert -0.02 < first - start - 0.5 < late, first - start
        goes = max(end + 0.2, first + 0.5)
        assert -0.05 < last - goes < late, last - goes
        flips = [one["at"] for one in shown.run("return changes") if one["attribute"] == "hidden"
                 and one["node"] == "spinner"]
        equal(len(flips), 2, "the spinner appears once and goes once")
        equal([one["detail"]["isPending"] for one in shown.events("change", name)][-2:], [True, False])
        equal(shown.messages(), [])


@case("runs that are shorter than the delay change nothing in the page, not one node and not one attribute")
def no_flicker(_):
    name = suite.name()
    suite.daemon.configure(name, timing=delays(500, 500, 200))
    with page(suite.daemon) as shown:
        shown.open(bar(name) + bar(name, kind="search"))
        shown.run("document.querySelectorAll('[screen]').forEach(record)")
        for index in range(12):
            suite.daemon.put(f"{name}.work", str(index), title=f"Work {index}")
            time.sleep(0.03)
            suite.daemon.end(f"{name}.work", str(index))
            time.sleep(0.02)
        time.sleep(0.8)
        equal(shown.run("return changes"), [])
        equal(len(shown.events("change", name)), 2, "the first state of each element")
        suite.daemon.put(f"{name}.work", "long", title="Long")
        shown.until(f"shown(part('{name}', 'spinner'))")
        assert shown.run("return changes"), "the recorder sees what does change"


@case("200 elements share one event stream; as they come, go, move and change their size none is drawn anew")
def many(_):
    with page(None, "--loops", 2, width=1200, height=900) as shown:
        names = [f"s{index}" for index in range(200)]
        shown.open("<style>main { width: 400px }</style><main>"
                   + "".join(bar(name, kind="search" if name.endswith("7") else "navigation") for name in names) + "</main>")
        equal(streams(shown.daemon), 1)
        equal(shown.run("return performance.getEntriesByType('resource').filter((one) => one.name.includes('/v1/')).length"),
              0, "requests of states besides: a stream is not listed before it ends")
        shown.run("document.querySelectorAll('[screen]').forEach(record)")
        shown.run("const main = document.querySelector('main'); main.prepend(main.lastElementChild);"
                  "main.append(main.firstElementChild); main.lastElementChild.remove();")
        shown.run("for (const [name, count] of [['new', 5]]) for (let i = 0; i < count; i++) {"
                  " const one = document.createElement('pending-navigation-bar'); one.setAttribute('screen', name + i);"
                  " document.querySelector('main').append(one); }")
        shown.until("settled()")
        eventually(lambda: streams(shown.daemon) == 1, 15, "one stream for those that were and those that came")
        equal([one for one in shown.run("return changes") if one["attribute"] == "hidden"], [], "nothing was hidden")
        shown.run("document.querySelector('main').style.width = '377px'")
        shown.until("[...document.querySelectorAll('[screen]')].every((one) => one.state.layout.bounds.width === 377)")
        eventually(lambda: streams(shown.daemon) == 1, 15, "one stream for the new sizes")
        equal([one for one in shown.run("return changes") if one["attribute"] == "hidden"], [], "nothing was hidden")
        shown.daemon.put("s7.work", title="Seven"), shown.daemon.put("new3.work", title="New")
        shown.until("shown(part('s7', 'spinner')) && shown(part('new3', 'spinner'))")
        shown.run("document.querySelector('main').remove()")
        eventually(lambda: streams(shown.daemon) == 0, 10, "no stream for nobody")
        equal(shown.messages(), [])


@case("beyond 256 views a page has as many streams as it needs, and each element its state")
def beyond(_):
    with page(None, "--loops", 2) as shown:
        shown.open("".join(bar(f"s{index}") for index in range(300)))
        equal(streams(shown.daemon), 2)
        shown.daemon.put("s299.work", title="Last"), shown.daemon.put("s0.work", title="First")
        shown.until("shown(part('s299', 'spinner')) && shown(part('s0', 'spinner'))")


@case("a scope has a stream of its own, and sees its ancestors; so has each base")
def scopes(_):
    name = suite.name()
    with page(suite.daemon) as shown, Daemon("--cors-origin", client_pages.pages.origin) as other:
        shown.open(bar(name, 'scope="acme.u-42"') + bar(name) + bar(name, f'base="http://127.0.0.1:{other.port}"'))
        suite.daemon.put(f"{name}.work", title="Own", scope="acme.u-42")
        shown.until("document.querySelectorAll('[screen]')[0].state.isPending")
        suite.daemon.put(f"{name}.work", title="Everybody's", priority=9)
        shown.until("document.querySelectorAll('[screen]')[1].state.title === \"Everybody's\"")
        shown.until("document.querySelectorAll('[screen]')[0].state.title === \"Everybody's\"")
        other.put(f"{name}.work", title="Elsewhere")
        shown.until("document.querySelectorAll('[screen]')[2].state.title === 'Elsewhere'")


@case("attributes are live: another screen, direction, size of font; without a screen nothing is shown, and it may come back")
def attributes(_):
    one, other = suite.name(), suite.name()
    suite.daemon.configure(one, regularTitle="One"), suite.daemon.configure(other, regularTitle="Other")
    with page(suite.daemon) as shown:
        shown.open(f'<pending-navigation-bar id="it" screen="{one}"></pending-navigation-bar>')
        for script, condition in (
                (f"it.setAttribute('screen', '{other}')", "it.state.title === 'Other'"),
                ("it.setAttribute('direction', 'rtl')", "it.state.appearance.direction === 'rtl'"),
                ("it.setAttribute('font-scale', '2')", "it.state.appearance.titleFont.size === 34"),
                ("it.setAttribute('scale', '3')", "true"),
                ("it.removeAttribute('screen')", "it.state === null && !it.hasAttribute('connection')"),
                (f"it.setAttribute('screen', '{one}')", "it.state && it.state.title === 'One'"),
                ("it.style.width = '123.5px'", "it.state.layout.bounds.width > 123"),
                ("it.setAttribute('leading-inset', '23')", "it.state.layout.frameInBar && it.state.layout.frameInBar.width < 101")):
            shown.run(script)
            shown.until(condition)
        equal(shown.messages(), [])
        shown.run("it.setAttribute('screen', '../etc')")
        shown.until("it.state === null")
        assert any("no name of a screen" in text for text in shown.messages())


@case("after a crash of the daemon its pages keep what they showed, and go on by themselves when it is back")
def crash(_):
    with page(None) as shown:
        shown.daemon.put("a.work", title="Before")
        shown.open(bar("a"))
        shown.run("record(document.querySelector('[screen]'))")
        shown.daemon.kill()
        time.sleep(1)
        equal(shown.run("return changes"), [], "the drawing stays")
        shown.daemon.start()
        shown.daemon.put("a.work", title="After")
        shown.until("document.querySelector('[screen]').state.title === 'After'", 30)
        equal([one["detail"] for one in shown.events("connection")], ["live"], "too short to be told")


@case("a service that is silent for twice the time that it promised is stale: dimmed, its spinner stands; then live again")
def stale(_):
    with page(None, "--heartbeat", 5) as shown:
        shown.daemon.put("a.work", title="Working…", ttl=300)
        shown.open(bar("a"))
        shown.until("performance.now() > 7000")
        equal(shown.run("return document.querySelector('[screen]').connection"), "live", "heartbeats keep it so")
        shown.daemon.process.send_signal(19)
        began = time.monotonic()
        shown.until("document.querySelector('[screen]').connection === 'stale'", 40)
        assert 6 < time.monotonic() - began < 14 + suite.lag.since(0), "twice 6 s after the last event"
        look = shown.run("return [getComputedStyle(part('a', 'bar')).opacity,"
                         "getComputedStyle(part('a', 'spinner')).animationPlayState, part('a', 'title').textContent]")
        equal(look, ["0.5", "paused", "Working…"])
        shown.daemon.process.send_signal(18)
        shown.until("document.querySelector('[screen]').connection === 'live'", 40)
        equal(shown.run("return getComputedStyle(part('a', 'spinner')).animationPlayState"), "running")
        equal([one["detail"] for one in shown.events("connection")], ["live", "stale", "live"])


@case("where no event stream comes through, pages poll, and hear of a change at once")
def polling(_):
    for before in ("<script>delete window.EventSource</script>",
                   # A proxy that keeps every event to itself.
                   "<script>window.EventSource = class extends EventTarget { close() {} }</script>",
                   # A proxy that answers streams with an error.
                   "<script>window.EventSource = class extends EventTarget { static CLOSED = 2; readyState = 2;"
                   " constructor() { super(); setTimeout(() => this.dispatchEvent(new Event('error')), 50) } close() {} };"
                   "</script>"):
        name = suite.name()
        with page(suite.daemon) as shown:
            shown.open(bar(name), before=before, settled=False)
            shown.until("settled()", 40)
            suite.daemon.put(f"{name}.work", title="Polled")
            shown.until(f"shown(part('{name}', 'spinner'))", 5)
            suite.daemon.end(f"{name}.work")
            shown.until(f"!shown(part('{name}', 'spinner'))", 5)
            equal(shown.messages(), [])


@case("from polling a page comes back to a stream as soon as the service answers again")
def probing(_):
    with page(None) as shown:
        shown.open(bar("a"))
        # What a page sees of a service that is away for long, without the wait.
        shown.open(bar("a"), settled=False, before="""<script>
            const Real = EventSource;
            window.failures = 0;
            window.EventSource = class extends EventTarget {
                static CLOSED = 2;
                constructor(url) {
                    super();
                    if (window.failures++ > 1) return new Real(url);
                    this.readyState = 2;
                    setTimeout(() => this.dispatchEvent(new Event("error")), 10);
                }
                close() {}
            };
            const ask = fetch;
            window.fetch = (...request) => window.asked++ ? ask(...request) : Promise.reject(new TypeError("away"));
            window.asked = 0;
        </script>""")
        shown.until("settled()", 40)
        eventually(lambda: streams(shown.daemon) == 1, 20, "a stream again")
        shown.daemon.put("a.work", title="Streamed")
        shown.until("shown(part('a', 'spinner'))")
        eventually(lambda: shown.daemon.metrics()["pending_long_polls"] == 0, 5, "and no poll")


@case("subscribe() tells every state and the connection, shares the stream of the elements, and ends when it is closed")
def subscribing(_):
    name = suite.name()
    with page(None) as shown:
        shown.open(bar("b"))
        shown.browser.wait(f"""
            const {{ subscribe }} = await import("{shown.service}/pending.js");
            window.told = [];
            window.one = subscribe("{name}", {{scale: devicePixelRatio}}, (state, connection) => {{
                told.push([state && state.isPending, connection]);
                if (told.length === 2) throw new Error("a fault of the page's own");
            }});
            told.push([one.state, one.connection]);""")
        shown.until("told.length >= 2")
        shown.daemon.put(f"{name}.work", title="Work"), shown.until("told.length >= 3")
        equal(shown.run("return told"), [[None, "connecting"], [False, "live"], [True, "live"]])
        assert any("fault of the page" in text for text in shown.messages()), "it is reported, and stops nobody"
        eventually(lambda: streams(shown.daemon) == 1, 5)
        shown.run("one.close()")
        shown.daemon.end(f"{name}.work")
        time.sleep(0.5)
        equal(shown.run("return told.length"), 3)
        refused = shown.browser.wait(f"""
            const {{ subscribe }} = await import("{shown.service}/pending.js");
            const names = [];
            for (const [screen, options] of [["", {{}}], ["-a", {{}}], ["a b", {{}}], ["a".repeat(129), {{}}],
                    ["a.b.c.d.e.f.g.h.i", {{}}], [undefined, {{}}], ["a", {{scope: "a..b"}}], ["a", {{scope: "a.b.c.d.e"}}],
                    ["a", {{scale: 0}}], ["a", {{scale: NaN}}], ["a", {{scale: "2"}}], ["a", {{width: 10}}],
                    ["a", {{width: -1, height: 1}}], ["a", {{direction: "up"}}], ["a", {{fontScale: 5}}],
                    ["a&id=b", {{}}], ["a", {{barWidth: Infinity}}]]) {{
                try {{ subscribe(screen, options, () => {{}}); names.push("accepted " + screen); }}
                catch (error) {{ names.push(error.constructor.name); }}
            }}
            return names;""")
        assert set(refused) == {"TypeError", "RangeError"}, refused


@case("a page that is left ends its streams; coming back by the history it goes on")
def left(_):
    with page(None) as shown:
        shown.open(bar("a"))
        equal(streams(shown.daemon), 1)
        shown.run("window.isTheSame = true")
        shown.browser.open(client_pages.pages.add("/empty", "nothing"))
        eventually(lambda: streams(shown.daemon) == 0, 5)
        shown.browser.driver.back()
        shown.until("typeof settled === 'function' && settled()")
        equal(shown.run("return window.isTheSame"), True, "the page was kept")
        shown.daemon.put("a.work", title="Back")
        shown.until("shown(part('a', 'spinner'))")


@case("under a strict policy of the page, without inline style, all is drawn and the console stays empty")
def policy(_):
    name = suite.name()
    with page(suite.daemon) as shown:
        service = shown.service
        shown.open(bar(name) + bar(name, kind="search"), policy=(
            f"default-src 'none'; script-src 'unsafe-inline' {service}; connect-src {service}; font-src {service}; "
            "style-src 'none'; img-src data:"))
        suite.daemon.put(f"{name}.work", title="Strict")
        shown.until(f"shown(part('{name}', 'spinner'))")
        equal(shown.run(f"return getComputedStyle(part('{name}', 'spinner')).position"), "absolute")
        equal(shown.messages(), [])


@case("foreign text stays text, in the title, the names and the announcement")
def foreign(_):
    name, text = suite.name(), "<img src=x onerror=alert(1)>&amp;\"'"
    with page(suite.daemon) as shown:
        shown.open(bar(name) + bar(name, kind="search"))
        suite.daemon.put(f"{name}.work", title=text)
        shown.until(f"shown(part('{name}', 'spinner'))")
        equal(shown.run(f"return ['title', 'status'].map((name) => part('{name}', name).textContent)"), [text, text])
        equal(shown.run(f"return part('{name}', 'spinner').getAttribute('aria-label')"), text)
        equal(shown.run("return document.querySelectorAll('[screen]')[0].shadowRoot.querySelectorAll('img').length"), 0)
        equal(shown.messages(), [])


if __name__ == "__main__":
    suite.main()
