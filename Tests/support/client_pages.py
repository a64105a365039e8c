"""Pages with the client module in them, in a browser, against a daemon: what the suites of the module share."""

import contextlib

from browser import Browser
from daemon import Daemon
from pages import Pages

#: Keeps what happens to elements: events, and each change in their shadow trees, with the time since 1970 in seconds.
RECORDER = """
<script>
window.happened = [];
window.changes = [];
const now = () => (performance.timeOrigin + performance.now()) / 1000;
function watch(element) {
    for (const type of ["change", "pending", "connection"]) {
        element.addEventListener(type, (event) => happened.push({
            at: now(), type, screen: element.getAttribute("screen"), detail: structuredClone(event.detail)}));
    }
}
function record(element) {
    const note = (records) => { for (const one of records) changes.push({at: now(), type: one.type,
        node: one.target.className ?? one.target.nodeName, attribute: one.attributeName}); };
    new MutationObserver(note).observe(element.shadowRoot,
        {subtree: true, childList: true, attributes: true, characterData: true});
}
const part = (screen, name) => document.querySelector(`[screen="${screen}"]`).shadowRoot.querySelector("." + name);
const shown = (node) => getComputedStyle(node).display !== "none";
/** Where the parts of an element really are, relative to it. */
function frames(element) {
    const origin = element.getBoundingClientRect();
    const result = {};
    for (const node of element.shadowRoot.querySelectorAll(".view > *")) {
        const box = node.getBoundingClientRect();
        const name = node.className.split(" ")[0];
        if (!shown(node)) result[name] = null;
        else if (name === "spinner") result[name] = place(node);
        else result[name] = {x: box.x - origin.x, y: box.y - origin.y, width: box.width, height: box.height};
    }
    return result;
}
/** Of what turns, the box would be that of a turned square. */
function place(node) {
    const view = node.parentElement;
    const style = getComputedStyle(node);
    return {x: view.offsetLeft + parseFloat(style.left), y: view.offsetTop + parseFloat(style.top),
            width: parseFloat(style.width), height: parseFloat(style.height)};
}
const settled = () => [...document.querySelectorAll("pending-navigation-bar, pending-search-bar")]
    .every((element) => element.state && element.connection === "live");
</script>"""

pages = Pages()


class Page:
    """A page of an origin of its own, with the module loaded from a daemon."""

    def __init__(self, browser, daemon):
        self.browser = browser
        self.daemon = daemon
        self.service = f"http://127.0.0.1:{daemon.port}"

    def open(self, body, *, before="", policy=None, settled=True):
        """Shows ``body``; ``before`` comes before the module. Waits for the first states."""
        module = f'<script type="module" src="{self.service}/pending.js"></script>'
        path = f"/{id(self)}-{len(pages.bodies)}"
        # Before the module runs, which waits for the whole page.
        watching = "<script>document.querySelectorAll('pending-navigation-bar, pending-search-bar').forEach(watch)</script>"
        self.browser.open(pages.add(path, RECORDER + before + module + body + watching, policy))
        if settled:
            self.until("settled()")

    def run(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def until(self, condition, within=15):
        return self.browser.until(condition, within)

    def state(self, screen):
        return self.run("return document.querySelector(`[screen='${arguments[0]}']`).state", screen)

    def events(self, kind, screen=None):
        return [one for one in self.run("return happened")
                if one["type"] == kind and screen in (None, one["screen"])]

    def messages(self):
        """Of the console."""
        return self.browser.messages()


@contextlib.contextmanager
def page(daemon=None, *flags, width=800, height=600, scale=1, **options):
    """A page with a browser of its own; the daemon is the given one, or one with ``flags``."""
    with contextlib.ExitStack() as stack:
        if daemon is None:
            daemon = stack.enter_context(Daemon("--cors-origin", pages.origin, *flags, **options))
        browser = stack.enter_context(Browser(width, height))
        if scale != 1:
            browser.resize(width, height, scale)
        yield Page(browser, daemon)


def bar(screen, attributes="", kind="navigation", content=""):
    return f'<pending-{kind}-bar screen="{screen}" {attributes}>{content}</pending-{kind}-bar>'
