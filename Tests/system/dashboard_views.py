#!/usr/bin/python3
"""What the page at `/` shows of scopes, many runs and the last minutes, to whom, on which screens, and how it goes on."""

import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/support"))
from daemon import delays, temporary_directory  # noqa: E402
from dashboard_page import Keys, dashboard, instant  # noqa: E402
from suite import Suite, equal, eventually  # noqa: E402

suite = Suite("--loops", 2, workers=2)
case = suite.case

#: Seconds that an edge may be off in a page, on top of what the machine is seen to be late.
EDGE = 0.25
SCREENS = {
    "chats": {"tasks": ["chats.*", "network.*"], "regularTitle": "Chats", "timing": delays(300, 500, 200)},
    "search": {"kind": "searchBar", "tasks": ["search.*"], "regularTitle": "Search", "pendingTitle": "Searching…"},
}
FOCUSABLE = {"button", "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "link", "DisclosureTriangle"}


def names(page):
    return page.value("[...document.querySelectorAll('#rows > tr')].map((one) => one.querySelector('code').textContent)")


@case("the filter finds screens by name and runs by task, id and title; the state asks for runs in it")
def filters(_):
    with dashboard(None, screens=SCREENS) as page:
        for task, run, title, state in (("chats.sync", "one", "Updating…", "running"), ("search.query", "two", "Looking", "running"),
                                        ("photos", "three", None, "failed")):
            page.daemon.put(task, run, title=title, state=state)
        page.open()
        for text, runs, screens in (("", {"one", "two", "three"}, ["chats", "search"]), ("SYNC", {"one"}, []),
                                    ("looking", {"two"}, []), ("thr", {"three"}, []), ("chats", {"one"}, ["chats"]),
                                    ("nothing like it", set(), [])):
            page.type("#filter", text)
            equal(set(names(page)), runs, f"runs that fit {text!r}")
            equal(page.value("[...document.querySelectorAll('.card')].map((one) => one.dataset.screen)"), screens, text)
            equal(page.value("seen(document.querySelector('#no-runs'))"), not runs, text)
        page.type("#filter", "")
        for state, runs in (("failed", {"three"}), ("running", {"one", "two"}), ("lost", set()), ("all", {"one", "two", "three"})):
            page.run("const it = document.querySelector('#state'); it.value = arguments[0];"
                     "it.dispatchEvent(new Event('change', {bubbles: true}))", state)
            page.until("[...document.querySelectorAll('#rows code')].map((one) => one.textContent).sort().join()"
                       f" === {','.join(sorted(runs))!r}")
        equal(page.messages(), [])


@case("a scope shows its own runs and those of the scopes above, nobody else's; what is looked at stands in the address")
def scopes(_):
    with dashboard(None, screens=SCREENS) as page:
        daemon = page.daemon
        daemon.put("chats.sync", "root", title="Maintenance…", ttl=600)
        daemon.put("chats.sync", "above", scope="acme", ttl=600)
        daemon.put("chats.sync", "mine", scope="acme.u-42", title="Mine", priority=9, ttl=600)
        daemon.put("chats.sync", "other", scope="acme.u-421", ttl=600)
        page.open()
        equal(names(page), ["root"])
        page.type("#scope", "acme.u-42")
        page.press(Keys.ENTER)
        page.until("document.querySelectorAll('#rows > tr').length === 3")
        equal(set(names(page)), {"root", "above", "mine"})
        page.until("card('chats')?.querySelector('pending-navigation-bar').state?.title === 'Mine'")
        page.until("spans('chats', 'run').length === 3")
        equal(page.value("location.hash"), "#scope=acme.u-42")
        equal(page.value("row('chats.sync', 'above').querySelector('.scope').textContent"), "scope acme")
        page.click_in_row("chats.sync", "above", "succeeded")
        eventually(lambda: daemon.get("chats.sync", "above", scope="acme").json["state"] == "succeeded", 10)
        page.click("#start")
        page.type("#start-task", "photos.sync")
        page.type("#start-run", "new")
        page.press(Keys.ENTER)
        eventually(lambda: daemon.get("photos.sync", "new", scope="acme.u-42").status == 200, 10)
        # A name that can be none is not asked for.
        page.type("#scope", "a..b")
        page.press(Keys.ENTER)
        page.until("document.querySelector('#scope-fault').textContent.startsWith('A scope is')")
        equal(page.value("[document.querySelector('#scope').getAttribute('aria-invalid'), location.hash]"),
              ["true", "#scope=acme.u-42"])
        page.open("#scope=acme&state=running&span=15&filter=chats")
        page.until("row('chats.sync', 'root')")
        equal([page.value(f"document.querySelector('#{one}').value") for one in ("scope", "state", "filter")],
              ["acme", "running", "chats"])
        equal(page.value("document.querySelector('[name=span]:checked').value"), "15")
        equal(page.value("[...document.querySelectorAll('#scopes option')].map((one) => one.value)"), ["acme"])
        page.run("location.hash = '#scope=acme.u-421'")
        page.until("row('chats.sync', 'other') && !row('chats.sync', 'mine')")
        equal(page.messages(), [])


@case("the timeline shows the intervals that the service tells, and the runs as they began and ended, to scale")
def timeline(_):
    with dashboard(None, screens=SCREENS) as page:
        daemon = page.daemon
        page.open()
        page.until("card('chats')?.querySelector('pending-navigation-bar').state")
        # Each look at the runs halves what it does not know of the service's clock.
        page.until("performance.getEntriesByType('resource').filter((one) => one.name.includes('/v1/runs')).length >= 10", 60)
        watch = daemon.stream("/v1/screens/chats")
        watch.wait(lambda: watch.states)
        daemon.put("chats.sync", "short")
        daemon.end("chats.sync", "short")
        for run, title in (("a", "Updating…"), ("b", "Importing…")):
            daemon.put("chats.sync", run, title=title)
            watch.wait(lambda title=title: watch.states[-1].json["title"] == title)
            daemon.put("network.link", run, title="Connecting…", priority=300)
            watch.wait(lambda: watch.states[-1].json["title"] == "Connecting…")
            daemon.end("network.link", run)
            daemon.end("chats.sync", run)
            watch.wait(lambda: not watch.states[-1].json["isPending"])
        page.until("spans('chats', 'shown').filter((one) => one.to !== null).length >= 4 && spans('chats', 'run').length === 5")
        told = [(one.json, one.at) for one in watch.states]
        watch.close()
        shown = page.value("spans('chats', 'shown')")
        begins = sorted({instant(state["pendingSince"]) for state, _ in told if state["pendingSince"]})
        firsts = [one for i, one in enumerate(shown) if i == 0 or shown[i - 1]["to"] != one["from"]]
        equal([one["from"] for one in firsts], begins, "when the intervals began")
        titles = [state["title"] for state, _ in told if state["isPending"]]
        changes = [one for i, one in enumerate(titles) if i == 0 or titles[i - 1] != one]
        equal([one["text"] for one in shown], changes, "titles in their order")
        # How long, by the clock of this process: the second interval's end less its begin.
        ends = [at for (state, at), (before, _) in zip(told[1:], told) if before["isPending"] and not state["isPending"]]
        starts = [at for (state, at), (before, _) in zip(told[1:], told) if state["isPending"] and not before["isPending"]]
        lasts = [shown[i] for i in range(len(shown)) if i + 1 == len(shown) or shown[i + 1]["from"] != shown[i]["to"]]
        late = EDGE + suite.lag.since(0)
        for first, last, start, end in zip(firsts, lasts, starts, ends):
            assert abs((last["to"] - first["from"]) / 1000 - (end - start)) < late, (first, last, end - start)
        runs = {(one["startedAt"], one["endedAt"]) for one in daemon.ask("GET", "/v1/runs?state=all").json["items"]}
        equal(sorted((one["from"], one["to"]) for one in page.value("spans('chats', 'run')")),
              sorted((instant(start), instant(end)) for start, end in runs), "runs")
        view = page.value("card('chats').querySelector('.view').getBoundingClientRect().toJSON()")
        for one in page.value("spans('chats', 'shown')"):
            width = max(2, (one["to"] - one["from"]) * view["width"] / 60_000)
            assert abs(one["box"]["width"] - width) < 3, (one, width)
        sentence = page.value("card('chats').querySelector('.timeline').getAttribute('aria-label')")
        assert "shown 2 times" in sentence and "5 runs" in sentence, sentence
        page.run("card('chats').querySelector('summary').click()")
        words = page.until("[...card('chats').querySelectorAll('.log li')].map((one) => one.textContent).join('|')")
        assert "Updating… → Connecting…" in words and "after the first start" in words, words
        # The delay is 0.3 s: between the first start and its interval it is no less.
        for one in page.value("[...card('chats').querySelectorAll('.log small')].map((one) => parseFloat(one.textContent))"):
            assert one >= 0.29, one
        equal(page.messages(), [])


@case("a minute of the demo's work is followed without a message in the console, and no interval is missed or invented")
def demo(_):
    sys.path.insert(0, str(ROOT / "scripts/demo.d"))
    import story
    configurations = json.loads((ROOT / "scripts/demo.d/screens.json").read_text(encoding="utf-8"))
    with dashboard(None, screens=configurations) as page:
        page.open("#span=300")
        watches = {name: page.daemon.stream(f"/v1/screens/{name}") for name in configurations}
        for name, watch in watches.items():
            watch.wait(lambda watch=watch: watch.states)
            page.until(f"card('{name}')?.querySelector('.bar').firstElementChild.state")
        epoch = time.monotonic() + 1
        workers = {name: subprocess.Popen(
            [sys.executable, str(ROOT / "scripts/demo.d/worker.py"), name, str(page.daemon.port), repr(epoch),
             page.daemon.path(f"{name}.log")], stdin=subprocess.DEVNULL) for name in story.workers()}
        for name, at in story.DEATHS.items():
            time.sleep(max(0, epoch + at - time.monotonic()))
            workers[name].kill()
        for process in workers.values():
            process.wait(120)
        for name, watch in watches.items():
            watch.wait(lambda watch=watch: not watch.states[-1].json["isPending"], 20)
            begins = sorted({instant(one.json["pendingSince"]) for one in watch.states if one.json["pendingSince"]})
            assert begins, name
            watch.close()
            page.run(f"card('{name}').scrollIntoView()")
            page.until(f"!card('{name}').hasAttribute('data-pending')")
            page.until(f"spans('{name}', 'shown').every((one) => one.to !== null) && spans('{name}', 'shown').length > 0")
            shown = page.value(f"spans('{name}', 'shown')")
            equal([one["from"] for i, one in enumerate(shown) if i == 0 or shown[i - 1]["to"] != one["from"]], begins, name)
        equal(page.messages(), [])


@case("rows stay the same nodes and keep the focus; nothing moves beneath a pointer until it is asked for")
def calm(_):
    with dashboard(None, "--loops", 1) as page:
        daemon = page.daemon
        for run in ("a", "b"):
            daemon.put("chats.sync", run, ttl=600)
        page.open()
        page.until("row('chats.sync', 'a') && row('chats.sync', 'b')")
        page.run("window.kept = row('chats.sync', 'a'); kept.querySelector('[data-action=details]').focus();")
        daemon.put("chats.sync", "a", ttl=600, title="New title", progress={"completed": 1, "total": 2})
        page.until("kept.querySelector('.task-title').textContent === 'New title'")
        equal(page.value("kept === row('chats.sync', 'a') && document.activeElement === kept.querySelector('[data-action=details]')"), True)
        page.run("document.activeElement.blur(); kept.scrollIntoView({block: 'center'})")
        button = page.run("return kept.querySelector('[data-action=renew]')")
        top = page.value("kept.getBoundingClientRect().top")
        page.point_at(button)
        daemon.put("chats.sync", "c", ttl=600)
        daemon.put("other.sync", "d", ttl=600)
        # The pointer stays alive, as a hand does.
        def offered():
            page.point_at(button)
            return page.value("seen(document.querySelector('#new-runs'))")
        eventually(offered, 15)
        equal(page.value("[row('chats.sync', 'c'), kept.getBoundingClientRect().top]"), [None, top])
        page.run("document.querySelector('#new-runs').click()")
        page.until("row('chats.sync', 'c') && row('other.sync', 'd')")
        equal(page.value("kept === row('chats.sync', 'a')"), True)
        equal(page.messages(), [])


@case("of thousands of runs some are shown, and more when asked; the whole name of a task finds what was not looked at")
def thousands(_):
    with dashboard(None, "--runs-per-task", 10_000) as page:
        with page.daemon.connect(timeout=60) as connection:
            for number in range(1_500):
                equal(connection.ask("PUT", f"/v1/tasks/many.sync/runs/r{number:04}", body={"ttl": 3600}).status, 201)
        page.daemon.put("zebra.sync", "z", ttl=3600)
        page.open()
        equal(len(names(page)), 100)
        equal(page.value("document.querySelector('#run-count').textContent"), "100 of 200+")
        for count in (200, 300):
            page.click("#more-runs")
            page.until(f"document.querySelectorAll('#rows > tr').length === {count}")
        page.type("#filter", "zebra.sync")
        page.until("row('zebra.sync', 'z')")
        page.type("#filter", "")
        page.until("document.querySelectorAll('#rows > tr').length === 100")
        page.until("card('many').querySelector('.view').dataset.more.startsWith('+')")
        equal(page.messages(), [])


@case("after a restart of the daemon it is live again by itself, with what is true then; the time between is unknown")
def restart(_):
    directory = temporary_directory()
    with dashboard(None, screens=SCREENS, journal="sqlite:" + directory.name + "/pending.db", directory=directory) as page:
        daemon = page.daemon
        daemon.put("chats.sync", "a", ttl=600)
        page.open()
        page.until("card('chats').hasAttribute('data-pending')")
        page.run("window.stays = true")
        daemon.kill()
        page.until("document.querySelector('#connection').dataset.state === 'lost'", 30)
        page.until("row('chats.sync', 'a').querySelector('.lease').textContent === 'unknown'")
        assert "ago" in page.until("document.querySelector('#run-count').textContent")
        daemon.start()
        page.live(60)
        page.until("card('chats').querySelector('pending-navigation-bar').connection === 'live'", 60)
        daemon.end("chats.sync", "a")
        page.until("!card('chats').hasAttribute('data-pending') && badge('chats.sync', 'a') === 'Succeeded'", 30)
        daemon.put("search.query", "b")
        page.until("card('search').hasAttribute('data-pending') && badge('search.query', 'b') === 'Running'", 30)
        assert page.value("spans('chats', 'unknown').length") >= 1
        equal(page.value("window.stays"), True, "the same page")
        strange = [one for one in page.messages() if "ERR_CONNECTION_REFUSED" not in one and "ERR_INCOMPLETE_CHUNKED" not in one
                   and "ERR_CONNECTION_RESET" not in one and "ERR_EMPTY_RESPONSE" not in one]
        equal(strange, [])


@case("each control has a role and a name, each part its landmark and heading, and the table its cells, in every width")
def accessible(_):
    with dashboard(None, screens=SCREENS) as page:
        page.daemon.put("chats.sync", "a", title="Updating…", ttl=600, progress={"completed": 1, "total": 2})
        page.open()
        page.until("row('chats.sync', 'a') && card('chats').querySelector('.timeline').hasAttribute('aria-label')")
        for width in (1280, 400):
            page.browser.resize(width, 900)
            tree = page.browser.accessibility()
            roles = {node["role"] for node in tree}
            for role in ("banner", "main", "table", "row", "columnheader", "rowheader", "cell", "status", "alert", "image"):
                assert role in roles, f"{role} is not in {sorted(map(str, roles))}"
            for node in tree:
                assert node["role"] not in FOCUSABLE or node["name"].strip(), node
            headings = [(node["name"], node["level"]) for node in tree if node["role"] == "heading"]
            equal(sorted(headings), [("Pending", 1), ("Runs", 2), ("Screens", 2), ("chats", 3), ("search", 3)])
            labels = [node["name"] for node in tree]
            for name in ("Scope", "Filter", "State", "Start a run", "Renew chats.sync a", "End chats.sync a", "Details chats.sync a"):
                assert name in labels, name
            assert any(one.startswith("Last minute: indicator shown 1 time, ") for one in labels), labels
        for opener, dialog in (("#start", "Start a run"), ("[data-action=details]", "chats.sync a")):
            page.run("document.querySelector(arguments[0]).click()", opener)
            tree = page.browser.accessibility()
            assert any(node["role"] == "dialog" and node["name"] == dialog for node in tree), dialog
            for node in tree:
                assert node["role"] not in FOCUSABLE or node["name"].strip(), node
            page.press(Keys.ESCAPE)
        equal(page.value("document.documentElement.lang"), "en")
        equal(page.messages(), [])


@case("from 320 px on nothing is scrolled sideways and no control is cut off, in no dialog either")
def narrow(_):
    with dashboard(None, screens=SCREENS) as page:
        long = "w" * 60
        page.daemon.put("chats.sync", "a", title="Waiting for the network, which is slow tonight", ttl=600)
        page.daemon.put(f"chats.{long}", long, title=long * 3, progress={"completed": 2**53 - 2, "total": 2**53 - 1}, scope="acme.u-42")
        page.open("#scope=acme.u-42")
        page.until(f"row('chats.{long}', '{long}')")
        for width in (320, 375, 560, 561, 768, 900, 901, 1024, 1920):
            page.browser.resize(width, 800)
            for opener in (None, "#start", "[data-action=details]"):
                if opener:
                    page.run("document.querySelector(arguments[0]).click()", opener)
                equal(page.value("document.documentElement.scrollWidth"), width, f"{opener} at {width}")
                cut = page.value("[...document.querySelectorAll('button, input, select, summary')].filter(seen).filter((one) => {"
                                 "const box = one.getBoundingClientRect(); return box.left < 0 || box.right > innerWidth; })"
                                 ".map((one) => one.outerHTML)")
                equal(cut, [], f"{opener} at {width}")
                if opener:
                    page.press(Keys.ESCAPE)
        equal(page.messages(), [])


@case("every text has a contrast of 4.5 and more, in light and in dark, in the dialogs and where nothing is")
def contrast(_):
    with dashboard(None, screens=SCREENS) as page:
        def check(what):
            for scheme in ("light", "dark"):
                page.browser.prefer(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
                time.sleep(0.3)
                found = page.value("contrasts()")
                assert len(found) > 10, what
                assert found[0][0] >= 4.5, f"{what}, {scheme}: {[one for one in found if one[0] < 4.5]}"

        page.open()
        check("empty")
        for run, state in (("a", "running"), ("b", "failed"), ("c", "canceled"), ("d", "succeeded")):
            page.daemon.put("chats.sync", run, title="Updating…", state=state, ttl=600)
        page.daemon.put("chats.sync", "e", ttl=5, priority=-1)
        page.until("badge('chats.sync', 'e') === 'Lost'", 20)
        page.run("for (const one of document.querySelectorAll('details')) one.open = true")
        page.type("#scope", "a..b")
        page.press(Keys.TAB)
        check("runs of every state")
        page.run("document.querySelector('#problem-text').textContent = 'A fault'; document.querySelector('#done-text').textContent = 'Done'")
        check("messages")
        page.click("#start")
        check("a dialog")
        page.press(Keys.ESCAPE)
        page.click_in_row("chats.sync", "a", "details")
        check("details")
        page.browser.resize(320, 800)
        check("narrow")


if __name__ == "__main__":
    suite.main()
