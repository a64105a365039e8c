#!/usr/bin/python3
"""What pages do to the client module: elements that come back, hide, are copied, change all the time; odd proxies."""

import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import client_pages  # noqa: E402
from client_pages import bar, page  # noqa: E402
from daemon import delays  # noqa: E402
from suite import Suite, equal, eventually, near  # noqa: E402

suite = Suite("--loops", 2, "--cors-origin", client_pages.pages.origin, workers=3)
case = suite.case

#: Counts what a page asks the service for.
COUNTER = """<script>
window.opened = 0;
window.polled = 0;
window.open_now = 0;
window.open_most = 0;
window.errors = [];
addEventListener("error", (event) => errors.push(event.message));
const Source = EventSource;
window.EventSource = class extends Source {
    constructor(url) { super(url); opened++; open_most = Math.max(open_most, ++open_now); }
    close() { if (this.readyState !== 2) open_now--; super.close(); }
};
const sleep = (time) => new Promise((next) => setTimeout(next, time));
function make(screen) {
    const element = document.createElement("pending-navigation-bar");
    element.setAttribute("screen", screen);
    return element;
}
</script>"""
#: No stream comes through, and answers to polls are changed by what follows.
POLLS = """<script>
delete window.EventSource;
window.polled = 0;
const ask = fetch;
window.fetch = (url, options) => { if (String(url).includes("/v1/")) polled++; return answer(url, options); };
</script>"""


def streams(daemon):
    return daemon.metrics()["pending_streams"]


@case("an element in the place of one that has gone has its state, at once and later; so has a second subscription")
def successor(_):
    with page(None) as shown:
        shown.open(bar("a") + bar("b") + bar("c"), before=COUNTER)
        shown.run("part('a', 'bar').getRootNode().host.replaceWith(make('a'))")
        shown.until("settled()")
        shown.run("document.querySelector('[screen=b]').remove()")
        time.sleep(2.5)
        shown.run("document.body.append(make('b'))")
        shown.until("settled()")
        equal((shown.run("return opened"), streams(shown.daemon)), (1, 1), "the stream was left open, and still serves")
        shown.daemon.put("b.work", title="Back")
        shown.until("shown(part('b', 'spinner'))")
        shown.browser.wait(f"""
            const {{ subscribe }} = await import("{shown.service}/pending.js");
            window.told = [];
            const options = {{scale: devicePixelRatio}};
            const one = subscribe("a", options, () => {{}});
            one.close();
            window.other = subscribe("a", options, (state) => told.push(state.title));
            one.close();""")
        shown.daemon.put("a.work", title="Closed twice")
        shown.until("told.at(-1) === 'Closed twice'")


@case("an element that comes back while the service is away shows nothing, rather than what was once true")
def back_in_silence(_):
    with page(None) as shown:
        shown.daemon.put("a.work", title="Once")
        shown.open(bar("a"), before=COUNTER)
        shown.run("window.it = document.querySelector('[screen]'); it.remove()")
        eventually(lambda: streams(shown.daemon) == 0, 10)
        shown.daemon.kill()
        shown.run("document.body.append(it)")
        shown.until("it.connection === 'connecting' && it.state === null && !it.hasAttribute('pending')")
        equal([one["detail"] for one in shown.events("connection")], ["live", "connecting"])
        shown.daemon.start()
        shown.until("it.connection === 'live'", 40)


@case("900 elements change their size at once: no stream waits for another one, and there is at most one more than before")
def takeover(_):
    with page(None, "--loops", 2) as shown:
        shown.open("<style>main { width: 400px }</style><main>" + "".join(bar(f"s{index}") for index in range(900))
                   + "</main>", before=COUNTER)
        equal(streams(shown.daemon), 4)
        shown.run("document.querySelector('main').style.width = '377px'")
        shown.until("[...document.querySelectorAll('[screen]')].every((one) => one.state.layout.bounds.width === 377)", 30)
        eventually(lambda: streams(shown.daemon) == 4, 10)
        equal(shown.run("return [opened, open_most]"), [8, 5])


@case("a list that is scrolled through, or an attribute that a slider moves, opens few streams, and all is shown")
def restless(_):
    with page(None, "--loops", 2) as shown:
        shown.open("<main>" + "".join(bar(f"s{index}") for index in range(20)) + "</main>", before=COUNTER)
        took = shown.browser.wait("""
            const main = document.querySelector("main"), start = performance.now();
            for (let i = 0; i < 80; i++) { main.append(make("k" + i)); main.firstElementChild.remove(); await sleep(40); }
            return performance.now() - start;""")
        shown.until("settled()")
        opened = shown.run("return opened")
        assert opened <= 4 + took / 300, f"{opened} streams in {took:.0f} ms"
        shown.browser.wait("""
            const start = performance.now();
            for (let i = 1; i <= 60; i++) {
                for (const one of document.querySelectorAll("[screen]")) one.setAttribute("font-scale", 1 + i / 60);
                await sleep(30);
            }""")
        shown.until("document.querySelector('[screen]').state.appearance.titleFont.size === 34")
        assert shown.run("return open_most") <= 5
        eventually(lambda: streams(shown.daemon) == 1, 10)


@case("what is not displayed asks for nothing, and is there in its size as soon as it is displayed again")
def hidden(_):
    name = suite.name()
    with page(suite.daemon) as shown:
        shown.open("<main>" + bar(name) + "</main>", before=COUNTER)
        shown.run("record(document.querySelector('[screen]'))")
        for style in ("display", "none"), ("contentVisibility", "hidden"):
            shown.browser.wait("document.querySelector('main').style[arguments[0]] = arguments[1]; await sleep(600);"
                               "document.querySelector('main').style[arguments[0]] = ''; await sleep(600);", *style)
        equal(shown.run("return [opened, changes.length]"), [1, 0])
        suite.daemon.put(f"{name}.work", title="Shown")
        shown.until(f"shown(part('{name}', 'spinner'))")


@case("one element's faulty attribute is reported, and no other element suffers")
def faulty(_):
    name = suite.name()
    with page(suite.daemon) as shown:
        shown.open('<pending-navigation-bar screen="x" base="http://["></pending-navigation-bar>' + bar(name) + bar(name),
                   before=COUNTER, settled=False)
        shown.until("[...document.querySelectorAll('[screen]')].slice(1).every((one) => one.connection === 'live')")
        equal(shown.run("return [errors.length, document.querySelector('[screen=x]').state]"), [1, None])
        shown.run("document.querySelector('[screen=x]').removeAttribute('base')")
        shown.until("settled()")


@case("an element that moves into another document is drawn there as it was here, in the same fonts")
def adopted(_):
    name = suite.name()
    suite.daemon.configure(name, regularTitle="Moved")
    with page(suite.daemon) as shown:
        shown.open(bar(name) + "<iframe id=frame width=400 srcdoc='<!DOCTYPE html><p>Frame'></iframe>", before=COUNTER)
        shown.until("frame.contentDocument.querySelector('p') !== null")
        shown.run("window.it = document.querySelector('[screen]'); frame.contentDocument.body.append(it)")
        shown.until("it.connection === 'live' && it.state.layout.bounds.width < 400")
        shown.until("[...frame.contentDocument.fonts].some((one) => one.status === 'loaded')")
        equal(shown.run("const title = it.shadowRoot.querySelector('.title'), range = frame.contentDocument.createRange();"
                        "range.selectNodeContents(title); return [getComputedStyle(title).position,"
                        "Math.abs(range.getBoundingClientRect().width - it.state.layout.titleLabel.width) < 1, errors]"),
              ["absolute", True, []])
        shown.run("document.body.append(it)")
        shown.until("it.connection === 'live' && it.state.layout.bounds.width > 700")
        equal(shown.run("return getComputedStyle(it.shadowRoot.querySelector('.title')).position"), "absolute")
        shown.run("new DOMParser().parseFromString('', 'text/html').body.append(it)")
        shown.run("document.body.append(it)")
        shown.until("it.connection === 'live'")
        equal(shown.run("return errors"), [])


@case("a copy of an element begins anew: it is not pending before its own state says so")
def copied(_):
    name = suite.name()
    suite.daemon.put(f"{name}.work", title="Copied")
    with page(suite.daemon) as shown:
        shown.open(bar(name), before=COUNTER)
        equal(shown.run("const copy = document.querySelector('[screen]').cloneNode(true); document.body.append(copy);"
                        "return [copy.hasAttribute('pending'), copy.hasAttribute('connection')]"), [False, False])
        shown.until("[...document.querySelectorAll('[screen][pending][connection=live]')].length === 2")


@case("an input is found wherever blanks stand around it, and whenever it comes; blanks alone leave the text")
def blanks(_):
    name = suite.name()
    suite.daemon.configure(name, kind="searchBar", regularTitle="Search")
    with page(suite.daemon) as shown:
        shown.open(bar(name, "id=one", "search", "\n    <input>\n") + bar(name, "id=two", "search", "\n  \n"))
        place = "const its = {0}.getBoundingClientRect(), bar = {1}.getBoundingClientRect(); return [its.y - bar.y, its.height]"
        text = shown.state(name)["layout"]["textField"]
        top, height = shown.run(place.format("one.firstElementChild", "one"))
        near(top, text["y"], 0.02), near(height, text["height"], 0.02)
        look = "return {}.shadowRoot.querySelector('.placeholder').getBoundingClientRect().width"
        assert shown.run(look.format("two")) > 40, "its text is the title"
        equal(shown.run(look.format("one")), 0)
        shown.run("two.append(document.createElement('input'))")
        shown.until("two.firstElementChild.placeholder === 'Search'")
        equal(shown.run(look.format("two")), 0)
        shown.run("two.firstElementChild.remove()")
        shown.until("two.shadowRoot.querySelector('.placeholder').getBoundingClientRect().width > 40")


@case("a bar is drawn within the padding of its element, and from left to right where the page writes downwards")
def boxes(_):
    name = suite.name()
    suite.daemon.configure(name, regularTitle="Chats", arrangement="leading")
    with page(suite.daemon) as shown:
        shown.open("<style>pending-navigation-bar { padding: 7px 40px; border: 3px solid }</style>" + bar(name))
        drawn, layout = shown.run("const it = document.querySelector('[screen]'); return [frames(it), it.state.layout]")
        equal(layout["bounds"]["width"], 784 - 86)
        near(drawn["title"]["x"], layout["titleLabel"]["x"] + 43, 0.02)
        near(drawn["title"]["y"], layout["titleLabel"]["y"] + 10, 0.02)
        shown.open("<div style='writing-mode: vertical-rl'><pending-navigation-bar style='width: 300px; height: 44px' "
                   f"screen={name}></pending-navigation-bar></div>")
        width, height = shown.run(f"const range = document.createRange(); range.selectNodeContents(part('{name}', 'title'));"
                                  "const box = range.getBoundingClientRect(); return [box.width, box.height]")
        assert width > height, (width, height)


@case("a heartbeat that is rarer than usual does not make a page believe that the service is silent")
def rare_heartbeats(_):
    with page(None, "--heartbeat", 60) as shown:
        shown.open(bar("a"), before=COUNTER)
        # What half of the usual time is, without the wait.
        shown.run("const now = performance.now.bind(performance), wall = Date.now; "
                  "performance.now = () => now() + 50_000; Date.now = () => wall() + 50_000;")
        time.sleep(3)
        equal([one["detail"] for one in shown.events("connection")], ["live"])
        equal(shown.run("return opened"), 1)


@case("polls that something hinders from waiting are made at intervals: no tag, no wish to wait, or an odd answer")
def hindered_polls(_):
    for answer in ("(url, {signal}) => ask(url, {signal})",
                   "(url, {signal, headers}) => { delete headers.Prefer; return ask(url, {signal, headers}); }",
                   "(url, options) => ask(url, options).then((real) => new Response(real.body, {status: real.status}))",
                   "async () => new Response('{\"screens\": []}')",
                   "async () => new Response('', {status: 503, headers: {'Retry-After': '2600000'}})"):
        name = suite.name()
        with page(suite.daemon) as shown:
            start = time.monotonic()
            shown.open(bar(name), before=POLLS + f"<script>const answer = {answer};</script>", settled=False)
            shown.until("polled > 0")
            time.sleep(6)
            polled = shown.run("return polled")
            assert polled <= 2 + (time.monotonic() - start) / 2, f"{polled} polls: {answer}"


@case("where streams do not come through, this is found out once, and not by every new list of elements again")
def known_to_poll(_):
    name, other = suite.name(), suite.name()
    suite.daemon.configure(other, timing=delays(0, 0, 0))
    with page(suite.daemon) as shown:
        shown.open(bar(name), before="""<script>window.opened = 0; window.EventSource = class extends EventTarget {
            static CLOSED = 2; readyState = 2;
            constructor() { super(); opened++; setTimeout(() => this.dispatchEvent(new Event("error")), 50) } close() {} };
            </script>""", settled=False)
        shown.until("settled()", 40)
        before = shown.run("return opened")
        shown.run(f"const one = document.createElement('pending-search-bar'); one.setAttribute('screen', '{other}');"
                  "one.setAttribute('direction', 'rtl'); document.body.append(one)")
        shown.until("settled()")
        equal(shown.run("return opened"), before)


if __name__ == "__main__":
    suite.main()
