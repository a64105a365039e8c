#!/usr/bin/python3
"""What the elements of /pending.js draw in a real browser: frames, widths of text, colours, motion, roles."""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import client_pages  # noqa: E402
from browser import picture_size  # noqa: E402
from client_pages import bar, page  # noqa: E402
from daemon import ROOT, binary  # noqa: E402
from suite import Suite, equal, near  # noqa: E402

suite = Suite("--loops", 2, "--cors-origin", client_pages.pages.origin, workers=3)
case = suite.case

#: A browser lays out in 1/64 of a pixel.
GRAIN = 1 / 64 + 1e-6
TITLES = {
    "Latin": ["Updating…", "Waiting for network…", "AVATAR To. Ty, fi ffl", "Éclair à la crème"],
    "Cyrillic": ["Обновление…", "Ожидание сети", "Съешь же ещё этих мягких булок"],
    "Greek": ["Ενημέρωση…", "Γίνεται σύνδεση", "Ξεσκεπάζω την ψυχοφθόρα"],
    "Arabic": ["جارٍ التحديث…", "في انتظار الشبكة", "الدردشات"],
    "Hebrew": ["מעדכן…", "ממתין לרשת", "שָׁלוֹם עולם"],
    "Devanagari": ["अपडेट हो रहा है…", "नेटवर्क की प्रतीक्षा", "क्षत्रिय"],
    "CJK": ["更新中…", "接続を待っています", "네트워크 기다리는 중", "正在等待网络"],
    "emoji": ["Done 🎉", "👩‍👩‍👧‍👦 Family", "🏳️‍🌈 🇪🇺 1️⃣", "👋🏽"],
    "mixed": ["한국어 Chats", "Inbox (3) – 更新中", "Chats דואר 12", "🚀 Launch عاجل", "Α α А а A a"],
}
#: The width of a text where it really is, to a fraction of a pixel.
WIDTH = """const node = part(arguments[0], "title"); const range = document.createRange();
    range.selectNodeContents(node); return range.getBoundingClientRect().width;"""


def close(actual, expected, what, tolerance=GRAIN):
    """Two frames, or no frame twice."""
    if actual is None or expected is None:
        equal(actual, expected, what)
        return
    for side in ("x", "y", "width", "height"):
        near(actual[side], expected[side], tolerance, f"{side} of {what}")


def check_frames(drawn, layout, kind, what):
    """The parts of an element are where the frames of its state are."""
    in_bar = layout.get("frameInBar") or {"x": 0, "y": 0}

    def moved(frame):
        return frame and {**frame, "x": frame["x"] + in_bar["x"], "y": frame["y"] + in_bar["y"]}

    close(drawn["spinner"], moved(layout["activityIndicator"]), f"spinner, {what}")
    if kind == "navigationBar":
        close(drawn["title"], moved(layout["titleLabel"]), f"title, {what}")
        equal((drawn["field"], drawn["icon"], drawn["text"]), (None, None, None), what)
    else:
        left = layout["leftView"]
        close(drawn["field"], layout["field"], f"field, {what}")
        close(drawn["text"], layout["textField"], f"text, {what}")
        close(drawn["icon"], left if left and left["content"] == "icon" else None, f"icon, {what}")
        equal(drawn["title"], None, what)


@case("each part is drawn in its frame: either bar, idle and pending, both directions, truncated or not, each scale")
def frames_are_drawn(_):
    plain, search, centered, large = (suite.name() for _ in range(4))
    suite.daemon.configure(search, kind="searchBar", regularTitle="Search")
    suite.daemon.configure(centered, arrangement="centered", regularTitle="Chats")
    suite.daemon.configure(large, activityStyle="whiteLarge", arrangement="centered", interItemSpace=3)
    names = (plain, search, centered, large)
    widths = (0, 15, 33.3, 60, 120.25, 319, 640)
    for scale in (1, 2, 3):
        with page(suite.daemon, scale=scale, height=2400) as shown:
            body = "".join(
                f'<div style="width: {width}px">{bar(name, f"data-width={width} direction={direction}")}</div>'
                for name in names for width in widths for direction in ("ltr", "rtl"))
            body += bar(plain, 'leading-inset="80" trailing-inset="20"') + bar(centered, 'font-scale="1.5" scale="0.5"')
            shown.open(body)
            for isPending in (False, True):
                for name in names:
                    if isPending:
                        suite.daemon.put(f"{name}.work", str(scale), title="Waiting for the network…")
                wished = "true" if isPending else "false"
                shown.until(f"[...document.querySelectorAll('[screen]')].every((one) => one.state.isPending === {wished})")
                for drawn, state, width in shown.run(
                        "return [...document.querySelectorAll('[screen]')].map((one) => [frames(one), one.state, "
                        "one.dataset.width])"):
                    what = f"{state['kind']} {width} × {scale}, {'pending' if isPending else 'idle'}"
                    check_frames(drawn, state["layout"], state["kind"], what)
                    if width:
                        target = f"?width={width}&height={state['layout']['bounds']['height']}&scale={scale}"
                        served = suite.daemon.screen(
                            state["screen"], f"{target}&direction={state['appearance']['direction']}")
                        equal(state["layout"], served["layout"], what)
            equal(shown.messages(), [])
        for name in names:
            suite.daemon.end(f"{name}.work", str(scale))


@case("titles of every script are as wide in the page as the service says, to 0.05 px, in the fonts that it serves")
def widths(_):
    names = {}
    for script, titles in TITLES.items():
        for title in titles:
            for size, weight in ((17, 600), (13, 400), (34, 700)):
                name = suite.name()
                names[name] = (script, title)
                suite.daemon.configure(name, regularTitle=title, titleFont={"family": "Inter", "size": size, "weight": weight})
    worst = {}
    with page(suite.daemon, width=1000) as shown:
        shown.open("".join(bar(name) for name in names))
        shown.until("document.fonts.status === 'loaded'", 30)
        for name, (script, title) in names.items():
            layout = suite.daemon.screen(name, "?width=5000")["layout"]
            measured = shown.run(WIDTH, name)
            family = shown.run("return getComputedStyle(part(arguments[0], 'title')).fontFamily", name)
            equal([one.strip().strip('"') for one in family.split(",")],
                  [f"{one} of {shown.service}/" for one in layout["fonts"]] + layout["fonts"], title)
            worst[script] = max(worst.get(script, 0), abs(measured - layout["titleLabel"]["width"]))
            near(measured, layout["titleLabel"]["width"], 0.05, f"{script}: {title!r} in {layout['fonts']}")
        loaded = shown.run("return [...document.fonts].map((one) => [one.family, one.status])")
        assert loaded and all(status != "error" for _, status in loaded), loaded
        equal(shown.messages(), [])
    print("px off at most: " + ", ".join(f"{script} {off:.3f}" for script, off in worst.items()), flush=True)


@case("a page's font of the same name does not change a title, and the title's does not change the page")
def fonts_of_the_page(_):
    name = suite.name()
    suite.daemon.configure(name, regularTitle="Waiting for network")
    with page(suite.daemon) as shown:
        # Every character of it is as wide as the others.
        shown.open("<style>@font-face { font-family: Inter; src: local('DejaVu Sans Mono'); font-weight: 100 900 }</style>"
                   "<span id=own style='font: 600 17px Inter'>Waiting for network</span><span id=wide style='font: 600 17px "
                   "Inter'>WWWWWWWWWWWWWWWWWWW</span>" + bar(name))
        shown.until("document.fonts.status === 'loaded' && document.fonts.size === 2")
        near(shown.run(WIDTH, name), shown.state(name)["layout"]["titleLabel"]["width"], 1)
        own, wide = shown.run("return [own, wide].map((one) => one.getBoundingClientRect().width)")
        near(own, wide, 0.05)


@case("a font that could not be loaded is asked for again")
def late_font(_):
    name = suite.name()
    suite.daemon.configure(name, regularTitle="Late")
    with page(suite.daemon) as shown:
        shown.open(bar(name), before="""<script>
            const Face = FontFace;
            window.faces = [];
            window.FontFace = class extends Face {
                constructor(family, source, descriptors) {
                    super(family, faces.length ? source : "url(data:font/otf,none)", descriptors);
                    faces.push(this);
                }
            };</script>""")
        shown.until("faces.length === 2 && faces[1].status === 'loaded' && document.fonts.size === 1", 30)
        near(shown.run(WIDTH, name), shown.state(name)["layout"]["titleLabel"]["width"], 1)


@case("a title that does not fit ends in an ellipsis within its frame, from either side")
def truncated(_):
    name, arabic = suite.name(), suite.name()
    suite.daemon.configure(name, regularTitle="Waiting for a network that never comes")
    suite.daemon.configure(arabic, regularTitle="في انتظار الشبكة التي لا تأتي أبداً", direction="rtl")
    with page(suite.daemon) as shown:
        shown.open("<div style='width: 120px'>" + bar(name) + bar(arabic) + "</div>")
        for screen in (name, arabic):
            state = shown.state(screen)
            assert state["layout"]["isTruncated"]
            overflow, wide, client = shown.run(
                "const it = part(arguments[0], 'title'); return [getComputedStyle(it).textOverflow, it.scrollWidth,"
                "it.clientWidth]", screen)
            equal(overflow, "ellipsis")
            assert wide > client, (wide, client)
            equal(client, round(state["layout"]["titleLabel"]["width"]))


@case("roles and names: a bar that says when it is busy, a progress bar with or without a value, a status of its own")
def roles(_):
    name, found = suite.name(), suite.name()
    suite.daemon.configure(found, kind="searchBar", regularTitle="Search")
    with page(suite.daemon) as shown:
        shown.open(bar(name) + bar(found, kind="search"))
        idle = shown.browser.accessibility()
        equal([node for node in idle if node["role"] == "progressbar"], [], "idle: no progress bar")
        equal([node["busy"] for node in idle if node["role"] == "group" and "busy" in node], [], "idle: not busy")
        equal([(node["name"], node.get("live")) for node in idle if node["role"] == "status"], [("", "polite")] * 2)
        inside = shown.run("return [...document.querySelectorAll('[screen]')].map((one) =>"
                           "one.shadowRoot.querySelector('[role=status]').closest('[aria-busy]'))")
        equal(inside, [None, None], "what is busy is not read out")
        suite.daemon.put(f"{name}.work", title="Updating…"), suite.daemon.put(f"{found}.work", title="Searching…")
        shown.until(f"shown(part('{name}', 'spinner')) && shown(part('{found}', 'spinner'))")
        busy = shown.browser.accessibility()
        equal([node["name"] for node in busy if node["role"] == "progressbar"], ["Updating…", "Searching…"])
        equal(len([node for node in busy if node["role"] == "group" and node.get("busy")]), 2)
        equal(shown.run(f"return part('{name}', 'spinner').getAttribute('aria-valuenow')"), None, "indeterminate")
        equal(shown.run(f"return part('{name}', 'status').textContent"), "Updating…")
        suite.daemon.put(f"{name}.work", title="Updating…", progress={"completed": 2, "total": 3})
        shown.until(f"part('{name}', 'spinner').getAttribute('aria-valuenow') === '66'")
        node, = [node for node in shown.browser.accessibility()
                 if node["role"] == "progressbar" and node["name"] == "Updating…"]
        equal((node.get("valuemin"), node.get("valuemax")), (0, 100))
        suite.daemon.end(f"{name}.work")
        shown.until(f"part('{name}', 'status').textContent === ''")
        equal(shown.run("return [...document.querySelectorAll('[screen]')].map((one) =>"
                        "one.shadowRoot.querySelectorAll('svg:not([aria-hidden=true])').length)"), [0, 0])


@case("a spinner turns once a second in twelve steps, and once in eight for who prefers reduced motion: never not at all")
def motion(_):
    name = suite.name()
    suite.daemon.put(f"{name}.work", title="Turning")
    with page(suite.daemon) as shown:
        shown.open(bar(name))
        look = (f"const [one] = part('{name}', 'spinner').getAnimations(); const timing = one.effect.getComputedTiming();"
                "return [timing.duration, one.effect.getKeyframes()[0].easing || timing.easing, timing.iterations === "
                "Infinity, one.playState]")
        equal(shown.run(look), [1000, "steps(12)", True, "running"])
        shown.browser.prefer(prefers_reduced_motion="reduce")
        equal(shown.run(look), [8000, "steps(12)", True, "running"])


@case("colours are the configured ones on a light page, readable ones on a dark page, and those that a page gives")
def colors(_):
    name, white, red = suite.name(), suite.name(), suite.name()
    suite.daemon.configure(white, activityStyle="white"), suite.daemon.configure(red, titleColor="#ff3b30")
    for one in (name, white, red):
        suite.daemon.put(f"{one}.work", title="Colours")
    read = "return arguments[0].map(([screen, name]) => getComputedStyle(part(screen, name)).color)"
    parts = [(name, "title"), (name, "spinner"), (white, "spinner"), (red, "title")]

    def luminance(color):
        """Of what a computed colour says, drawn on a canvas."""
        return shown.run("const it = document.createElement('canvas').getContext('2d'); it.fillStyle = arguments[0];"
                         "it.fillRect(0, 0, 1, 1); const [r, g, b] = it.getImageData(0, 0, 1, 1).data;"
                         "const f = (v) => v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;"
                         "return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b)", color)

    with page(suite.daemon) as shown:
        shown.open("<style>:root { color-scheme: light dark }</style>" + bar(name) + bar(white) + bar(red))
        equal(shown.run(read, parts), ["rgb(28, 28, 30)", "rgb(142, 142, 147)", "rgb(255, 255, 255)", "rgb(255, 59, 48)"])
        shown.browser.prefer(prefers_color_scheme="dark")
        title, spinner, _, tinted = shown.run(read, parts)
        assert (luminance(title) + 0.05) / 0.05 > 12, title
        assert (luminance(tinted) + 0.05) / 0.05 > 4.5, tinted
        equal(spinner, "rgb(142, 142, 147)")
        shown.open(bar(name))
        equal(shown.run(read, parts[:1]), ["rgb(28, 28, 30)"], "a page that is not dark stays as it is")
        shown.browser.prefer()
        shown.open("<style>pending-navigation-bar { --pending-title-color: rgb(1, 2, 3); --pending-spinner-color: "
                   "rgb(4, 5, 6); --pending-turn: 3s } ::part(title) { text-decoration: underline }</style>" + bar(name))
        equal(shown.run(read, parts[:2]), ["rgb(1, 2, 3)", "rgb(4, 5, 6)"])
        equal(shown.run(f"return getComputedStyle(part('{name}', 'title')).textDecorationLine"), "underline")
        equal(shown.run(f"return getComputedStyle(part('{name}', 'spinner')).animationDuration"), "3s")


@case("styles that a page inherits to everything do not change a title's width, nor does the page's language")
def inherited(_):
    name = suite.name()
    suite.daemon.configure(name, regularTitle="Waiting for Network fi")
    exact = suite.daemon.screen(name, "?width=800")["layout"]["titleLabel"]["width"]
    with page(suite.daemon) as shown:
        shown.open("<style>body { letter-spacing: 2px; word-spacing: 9px; text-transform: uppercase; font: italic small-caps "
                   "900 40px/3 serif; text-indent: 5px; font-stretch: condensed; font-feature-settings: 'liga' 0, 'tnum'; "
                   "font-kerning: none; text-rendering: optimizeSpeed }</style><div lang=tr>" + bar(name) + "</div>")
        shown.until("document.fonts.status === 'loaded'")
        near(shown.run(WIDTH, name), exact, 0.1)


@case("an input in a search bar stands in the frame of its text, with the title as its placeholder, and keeps its focus")
def search_input(_):
    name = suite.name()
    suite.daemon.configure(name, kind="searchBar", regularTitle="Search")
    with page(suite.daemon) as shown:
        shown.open(bar(name, kind="search", content="<input type=search aria-label=Search>"))
        place = "const one = document.querySelector(arguments[0]).getBoundingClientRect(); return [one.x, one.width]"
        text = shown.state(name)["layout"]["textField"]
        origin = shown.run(place, "pending-search-bar")[0]
        x, width = shown.run(place, "input")
        near(x - origin, text["x"], GRAIN), near(width, text["width"], GRAIN)
        shown.run("document.querySelector('input').focus(); document.querySelector('input').value = 'typed'")
        suite.daemon.put(f"{name}.work", title="Searching…")
        shown.until(f"shown(part('{name}', 'spinner'))")
        equal(shown.run("const it = document.querySelector('input'); return [it.value, it.placeholder,"
                        "document.activeElement === it]"), ["typed", "Searching…", True])


@case("when the screen's resolution changes, frames are asked for on the new grid, and nothing is hidden meanwhile")
def resolution(_):
    name = suite.name()
    with page(suite.daemon) as shown:
        shown.open(bar(name))
        shown.run("document.querySelectorAll('[screen]').forEach(record)")
        near(shown.state(name)["layout"]["titleLabel"]["width"] % 1, 0, 1e-9)
        shown.browser.resize(820, 600, 2.5)
        shown.until("[document.querySelector('[screen]').state.layout.titleLabel.width * 2.5]"
                    ".every((pixels) => Math.abs(pixels - Math.round(pixels)) < 1e-6)")
        equal([one for one in shown.run("return changes") if one["attribute"] == "hidden"], [])


@case("one command photographs every state, light, dark, right to left and narrow, and the dashboard; none is blank")
def photographs(_):
    done = subprocess.run([ROOT / "scripts/screenshots"], env={**os.environ, "PENDINGD": binary()}, timeout=300,
                          capture_output=True, text=True)
    equal(done.returncode, 0, done.stderr)
    paths = [pathlib.Path(line) for line in done.stdout.split()]
    equal([path.name for path in paths], [f"components-{look}.png" for look in ("light", "dark", "narrow", "rtl")]
          + [f"dashboard-{look}.png" for look in ("light", "dark", "narrow")])
    for path in paths:
        data = path.read_bytes()
        width, height = picture_size(data)
        assert width in (640, 2480, 2560) and height > 1_000, (path, width, height)
        assert len(data) > 60_000, f"{path} has but {len(data)} bytes"


if __name__ == "__main__":
    suite.main()
