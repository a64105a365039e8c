#!/usr/bin/python3
"""The page at `/` in a real browser: what it shows, and that everything can be done by clicks and by keys."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from daemon import Daemon, delays  # noqa: E402
from dashboard_page import Keys, dashboard  # noqa: E402
from suite import Suite, equal, eventually, problem  # noqa: E402

suite = Suite("--loops", 2, workers=2)
case = suite.case

FILES = {
    "/": "text/html; charset=utf-8", "/icon.svg": "image/svg+xml", "/dashboard.css": "text/css; charset=utf-8",
    **{f"/dashboard{part}.js": "text/javascript; charset=utf-8"
       for part in ("", "-dom", "-service", "-screens", "-timeline", "-history", "-runs", "-dialogs")}}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
SCREENS = {
    "chats": {"tasks": ["chats.*", "network.*"], "regularTitle": "Chats", "timing": delays(300, 500, 200)},
    "search": {"kind": "searchBar", "tasks": ["search.*"], "regularTitle": "Search", "pendingTitle": "Searching…"},
    "calls": {"arrangement": "centered", "direction": "rtl", "regularTitle": "שיחות", "pendingTitle": "מתעדכן…"},
}
FOREIGN = "<img src=x onerror=\"document.title='broken'\">"


def member(daemon, task, run, name):
    answer = daemon.get(task, run)
    return answer.json[name] if answer.status == 200 else None


@case("every file of the page is served with a strict policy, for no other page, and is asked for again only to hear that it is the same")
def served(daemon):
    for path, kind in FILES.items():
        answer = daemon.ask("GET", path)
        equal((answer.status, answer.get("content-type")), (200, kind), path)
        for field, value in (("content-security-policy", POLICY), ("x-content-type-options", "nosniff"),
                             ("cross-origin-resource-policy", "same-origin"), ("referrer-policy", "no-referrer"),
                             ("access-control-allow-origin", None)):
            equal(answer.get(field), value, f"{field} of {path}")
        equal(daemon.ask("GET", path, {"If-None-Match": answer.etag}).status, 304, path)
        equal(daemon.ask("HEAD", path).status, 200, path)
        equal(daemon.ask("PUT", path, body={}).status, 405, path)
        text = answer.body.decode()
        assert "://" not in text.replace("http://www.w3.org/2000/svg", ""), f"an address in {path}"
        assert " style=" not in text and " onclick=" not in text, path


@case("--dashboard off, as a flag or a variable, removes the page and its files, and nothing else")
def off(_):
    for flags, environment in ((("--dashboard", "off"), None), ((), {"PENDING_DASHBOARD": "off"})):
        with Daemon(*flags, environment=environment) as daemon:
            for path in FILES:
                for method in ("GET", "HEAD", "PUT", "OPTIONS"):
                    equal(daemon.ask(method, path, body={} if method == "PUT" else None).status, 404, f"{method} {path}")
            problem(daemon.ask("GET", "/"), 404, "not-found")
            for path in ("/pending.js", "/pending.d.ts", "/v1/screens", "/metrics"):
                equal(daemon.ask("GET", path).status, 200, path)


@case("include=tasks names the tasks whose runs a screen shows, alone, in a list and in a stream")
def tasks_of_screens(daemon):
    name = suite.name("s")
    equal(daemon.screen(name, "?include=tasks")["tasks"], [name, f"{name}.*"])
    assert "tasks" not in daemon.screen(name) and "appearance" not in daemon.screen(name, "?include=tasks")
    version = daemon.screen(name, "?include=tasks")["version"]
    daemon.configure(name, tasks=["a.*", "b"])
    several = daemon.ask("GET", f"/v1/screens?include=tasks&id={name}&id={name}x").json["screens"]
    equal([one["tasks"] for one in several], [["a.*", "b"], [f"{name}x", f"{name}x.*"]])
    assert daemon.screen(name, "?include=tasks")["version"] != version
    with daemon.stream(f"/v1/screens/{name}?include=tasks") as stream:
        stream.wait(lambda: stream.states)
        equal(stream.states[0].json["tasks"], ["a.*", "b"])
    problem(daemon.ask("GET", f"/v1/screens/{name}?include=x"), 400, "invalid-parameter", parameter="include")


@case("it loads and follows without one message in the console, and asks nobody else")
def quiet(_):
    with dashboard(None, screens=SCREENS) as page:
        page.open()
        for run in range(3):
            page.daemon.put("chats.sync", f"r{run}", title=f"Updating {run}…", progress={"completed": run, "total": 3})
            page.daemon.put("search.query", f"r{run}")
            page.until(f"badge('chats.sync', 'r{run}') === 'Running'")
            page.daemon.end("chats.sync", f"r{run}")
            page.daemon.end("search.query", f"r{run}")
            page.until(f"badge('search.query', 'r{run}') === 'Succeeded'")
        page.run("scrollTo(0, document.body.scrollHeight)")
        loaded = page.value("performance.getEntriesByType('resource').map((one) => one.name)")
        assert loaded and all(one.startswith(page.origin + "/") for one in loaded), loaded
        equal(page.messages(), [])


@case("each screen is drawn by the component, with the frames of the API")
def frames(_):
    with dashboard(None, screens=SCREENS) as page:
        page.daemon.put("chats.sync", title="Updating…")
        page.daemon.put("search.query")
        page.open()
        equal(page.value("[...document.querySelectorAll('.card')].map((one) => one.dataset.screen)"), sorted(SCREENS))
        for name in SCREENS:
            kind = "search" if name == "search" else "navigation"
            page.until(f"card('{name}').querySelector('pending-{kind}-bar')?.state?.isPending === {str(name != 'calls').lower()}")
            element = page.run(f"return card('{name}').querySelector('pending-{kind}-bar')")
            state, width, height = page.run("const it = arguments[0]; return [it.state, it.clientWidth, it.clientHeight]", element)
            query = f"?width={width}&height={height}&scale=1"
            if kind == "navigation":
                query += f"&barWidth={width}&leadingInset=44&trailingInset=44"
            layout = page.daemon.screen(name, query)["layout"]
            equal(state["layout"], layout, f"frames of {name}")
            for part, frame in (("spinner", layout["activityIndicator"]),
                                ("title", layout.get("titleLabel")), ("field", layout.get("field"))):
                drawn = page.run("const it = arguments[0].shadowRoot.querySelector('.' + arguments[1]); const s = getComputedStyle(it);"
                                 "return s.display === 'none' ? null : ['left', 'top', 'width', 'height'].map((one) => parseFloat(s[one]))",
                                 element, part)
                equal(drawn, frame and [frame[side] for side in ("x", "y", "width", "height")], f"{part} of {name}")
        equal(page.messages(), [])


@case("where nothing is, one line for a terminal and a button tell what to do; both work")
def empty(_):
    with dashboard(None, "--loops", 1) as page:
        page.open()
        page.until("seen(document.querySelector('#welcome'))")
        line = page.value("document.querySelector('#command').textContent")
        assert line.startswith("curl -X PUT --json '") and f"' {page.origin}/v1/tasks/chats.sync/runs/1" in line, line
        body, target = line.split("'")[1], line.rpartition(page.origin)[2]
        equal(page.daemon.ask("PUT", target, {"Content-Type": "application/json"}, body).status, 201)
        page.until("badge('chats.sync', '1') === 'Running' && !seen(document.querySelector('#welcome')) && card('chats')")
        page.daemon.run("DELETE", "chats.sync", "1")
        page.until("seen(document.querySelector('#welcome'))")
        page.click("#start-first")
        page.type("#start-task", "photos.sync")
        page.type("#start-run", "1")
        page.press(Keys.ENTER)
        page.until("badge('photos.sync', '1') === 'Running' && card('photos')")
        equal(page.messages(), [])


@case("a run is started, renewed, reported, asked to cancel, ended and forgotten by clicks")
def clicks(_):
    with dashboard(None, screens=SCREENS) as page:
        daemon = page.daemon
        page.open()
        page.click("#start")
        for field, text in (("task", "chats.sync"), ("run", "a"), ("title", "Updating…"), ("completed", "1"), ("total", "4"),
                            ("priority", "7"), ("ttl", "5")):
            page.type(f"#start-{field}", text)
        page.click("#start-form [type=submit]")
        page.until("badge('chats.sync', 'a') === 'Running'")
        run = daemon.ask("GET", "/v1/runs").json["items"][0]
        equal([run[name] for name in ("title", "progress", "priority", "ttl", "isSilent")],
              ["Updating…", {"completed": 1, "total": 4}, 7, 5, False])
        page.until("card('chats').hasAttribute('data-pending')")
        # Without renewals it would be lost after 6 s.
        page.until("badge('chats.sync', 'a') === 'Lost'", 20)
        page.click_in_row("chats.sync", "a", "renew")
        page.until("badge('chats.sync', 'a') === 'Running'")
        equal(member(daemon, "chats.sync", "a", "revivalCount"), 1)
        daemon.put("chats.sync", "a", title="Updating…", progress={"completed": 1, "total": 4}, ttl=600)
        page.click_in_row("chats.sync", "a", "details")
        page.type("#run-completed", "3")
        page.click("#progress-form [type=submit]")
        eventually(lambda: member(daemon, "chats.sync", "a", "progress") == {"completed": 3, "total": 4}, 10)
        page.click("#run-dialog [data-action=cancel]")
        eventually(lambda: member(daemon, "chats.sync", "a", "cancelRequested"), 10)
        page.until("document.querySelector('#run-details').textContent.includes('cancel requested')")
        page.click("#run-dialog [data-action=failed]")
        page.until("document.querySelector('#run-state').textContent === 'Failed'")
        equal(member(daemon, "chats.sync", "a", "state"), "failed")
        page.click("#run-dialog [data-action=forget]")
        page.until("!row('chats.sync', 'a') && !document.querySelector('#run-dialog').open")
        equal(daemon.get("chats.sync", "a").status, 404)
        daemon.put("search.query", "b")
        page.click_in_row("search.query", "b", "succeeded")
        page.until("badge('search.query', 'b') === 'Succeeded'")
        equal(member(daemon, "search.query", "b", "state"), "succeeded")
        # What an ended run does not take is not asked for.
        page.click_in_row("search.query", "b", "renew")
        equal(page.messages(), [])


@case("the same by keyboard alone: every control is reached by Tab, and the focus comes back to where it was")
def keyboard(_):
    with dashboard(None, screens=SCREENS) as page:
        daemon = page.daemon
        page.open()
        page.tab_to("it.id === 'skip'")
        page.tab_to("it.id === 'start'")
        page.press(Keys.ENTER)
        page.until("document.activeElement.id === 'start-task'")
        page.press("chats.sync", Keys.TAB, "Updating…", Keys.TAB, "k")
        page.tab_to("it.id === 'start-silent'")
        page.press(Keys.SPACE, Keys.SPACE)
        page.tab_to("it.value === 'start'")
        page.press(Keys.ENTER)
        page.until("badge('chats.sync', 'k') === 'Running' && document.activeElement.id === 'start'")
        page.tab_to("it.id === 'skip'", back=True)
        page.press(Keys.ENTER)
        page.until("document.activeElement.id === 'runs-heading'")
        page.tab_to("it.dataset.action === 'renew'")
        page.press(Keys.ENTER)
        page.until("document.querySelector('#done-text').textContent.startsWith('Renewed')")
        equal(page.value("document.activeElement.dataset.action"), "renew")
        page.tab_to("it.dataset.action === 'details'")
        page.press(Keys.ENTER)
        page.until("document.querySelector('#run-dialog').open")
        page.tab_to("it.id === 'run-completed'")
        page.press(Keys.CONTROL + "a", "5", Keys.ENTER)
        eventually(lambda: (member(daemon, "chats.sync", "k", "progress") or {}).get("completed") == 5, 10)
        for action, name, value in (("cancel", "cancelRequested", True), ("canceled", "state", "canceled")):
            page.tab_to(f"it.dataset.action === '{action}'")
            page.press(Keys.SPACE)
            eventually(lambda name=name, value=value: member(daemon, "chats.sync", "k", name) == value, 10)
        page.press(Keys.ESCAPE)
        page.until("!document.querySelector('#run-dialog').open && document.activeElement.dataset.action === 'details'")
        page.press(Keys.ENTER)
        page.tab_to("it.dataset.action === 'forget'")
        page.press(Keys.ENTER)
        eventually(lambda: daemon.get("chats.sync", "k").status == 404, 10)
        page.until("!row('chats.sync', 'k')")
        equal(page.messages(), [])


@case("what is refused is said in words and changes nothing: names and numbers before they are sent, the rest by the problem document")
def refusals(_):
    with dashboard(None, screens=SCREENS) as page:
        page.daemon.put("chats.sync", "there", title="Mine")
        page.open()
        page.click("#start")
        for task in ("", ".sync", "a b", "a.b.c.d.e.f.g.h.i"):
            page.type("#start-task", task)
            page.click("#start-form [type=submit]")
            equal(page.value("document.querySelector('#start-task').matches(':invalid')"), True, task)
        equal(page.messages(), [])
        page.type("#start-task", "chats.sync")
        page.type("#start-completed", "1")
        page.click("#start-form [type=submit]")
        equal(page.value("document.querySelector('#start-total').matches(':invalid')"), True)
        page.type("#start-completed", "")
        page.type("#start-run", "there")
        page.click("#start-form [type=submit]")
        said = page.until("document.querySelector('#start-dialog [role=alert]').textContent")
        assert "recondition" in said or "there" in said, said
        equal(member(page.daemon, "chats.sync", "there", "title"), "Mine")
        equal(len(page.messages()), 1, "the browser's own message about a refusal")


@case("foreign text is shown as text, everywhere")
def foreign(_):
    with dashboard(None, "--loops", 1) as page:
        page.daemon.put("evil.work", "1", title=FOREIGN)
        page.daemon.put("evil.work", "2", state="failed", title="", reason=FOREIGN)
        page.daemon.configure("evil", tasks=["evil.*"], regularTitle=FOREIGN)
        page.open()
        page.until(f"card('evil')?.querySelector('pending-navigation-bar')?.state?.title === {FOREIGN!r}")
        page.until(f"spans('evil', 'shown').some((one) => one.text === {FOREIGN!r})")
        page.run("card('evil').querySelector('details').open = true")
        page.until(f"card('evil').querySelector('li b')?.textContent === {FOREIGN!r}")
        equal(page.value("row('evil.work', '1').querySelector('.task-title').textContent"), FOREIGN)
        equal(page.value("row('evil.work', '2').querySelector('.task-title').textContent"), FOREIGN)
        page.click_in_row("evil.work", "1", "details")
        page.until(f"document.querySelector('#run-details').textContent.includes({FOREIGN!r})")
        equal(page.value("document.querySelectorAll('img').length"), 1, "pictures but the icon")
        equal(page.value("document.title"), "Pending")
        equal(page.messages(), [])


if __name__ == "__main__":
    suite.main()
