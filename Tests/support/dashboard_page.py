"""The dashboard of a daemon in a browser, used as people do: with clicks, with keys, by what it says."""

import contextlib
import datetime

from browser import Browser
from daemon import Daemon
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

__all__ = ["Dashboard", "Keys", "dashboard", "instant"]

#: What the checks ask a page.
SCRIPTS = """
window.card = (screen) => document.querySelector(`.card[data-screen="${screen}"]`);
window.row = (task, run) => [...document.querySelectorAll("#rows > tr")].find((one) =>
    one.querySelector(".task-name").textContent === task && one.querySelector("code").textContent === run);
window.badge = (task, run) => row(task, run)?.querySelector(".badge").textContent;
window.seen = (node) => Boolean(node) && node.getClientRects().length > 0;
window.spans = (screen, kind) => [...card(screen).querySelectorAll(`.span.${kind}`)].map((one) => ({
    from: Number(one.dataset.from), to: one.dataset.to ? Number(one.dataset.to) : null, text: one.textContent,
    state: one.dataset.state ?? null, box: one.getBoundingClientRect().toJSON()}));
/** The colour as the browser paints it: [red, green, blue, alpha], each 0…255. */
window.painted = (() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
    return (color) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
    };
})();
window.over = ([r, g, b, a], below) => [r, g, b].map((one, i) => one * a / 255 + below[i] * (1 - a / 255)).concat(255);
window.luminance = (color) => color.slice(0, 3).map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
/** The contrast of each text that is seen against the backgrounds behind it: [ratio, text], the lowest first. */
window.contrasts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.textContent.trim() || !seen(node) || node.closest("[aria-hidden=true], option, noscript")) continue;
        const box = node.getBoundingClientRect();
        if (box.width < 2) continue;
        const layers = [];
        for (let one = node; one; one = one.parentElement) layers.unshift(painted(getComputedStyle(one).backgroundColor));
        const behind = layers.reduce((below, layer) => over(layer, below), painted("Canvas"));
        const color = over(painted(getComputedStyle(node).color), behind);
        const [low, high] = [luminance(behind), luminance(color)].sort((a, b) => a - b);
        found.push([(high + 0.05) / (low + 0.05), walker.currentNode.textContent.trim()]);
    }
    return found.sort((a, b) => a[0] - b[0]);
};
"""


class Dashboard:
    """One page of one daemon."""

    def __init__(self, browser, daemon):
        self.browser = browser
        self.driver = browser.driver
        self.daemon = daemon
        self.origin = f"http://127.0.0.1:{daemon.port}"

    def open(self, fragment="", live=True):
        """Shows the page anew, and waits until it has heard of everything."""
        self.browser.open("about:blank")
        self.browser.open(f"{self.origin}/{fragment}")
        self.browser.run(SCRIPTS)
        if live:
            self.live()

    def live(self, within=30):
        self.until("document.querySelector('#connection').dataset.state === 'live'"
                   " && (seen(document.querySelector('#runs')) || seen(document.querySelector('#welcome')))", within)

    def run(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def value(self, expression):
        return self.browser.run(f"return {expression}")

    def until(self, condition, within=15):
        return self.browser.until(condition, within)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.find(selector).click()

    def click_in_row(self, task, run, action):
        """A real click on a row's button."""
        self.until(f"row('{task}', '{run}')")
        button = self.run("return row(arguments[0], arguments[1]).querySelector(`[data-action=${arguments[2]}]`)",
                          task, run, action)
        self.run("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def type(self, selector, text):
        field = self.find(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(Keys.BACKSPACE)
        if text:
            field.send_keys(text)

    def press(self, *keys):
        """Each key, pressed and released, at what has the focus."""
        chain = ActionChains(self.driver)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def tab_to(self, condition, most=120, back=False):
        """Moves the focus with Tab until ``condition`` of ``document.activeElement``, called ``it``, is true."""
        for _ in range(most):
            if self.run(f"const it = document.activeElement; return Boolean({condition})"):
                return
            if back:
                ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
            else:
                self.press(Keys.TAB)
        raise AssertionError(f"no Tab leads to {condition}")

    def point_at(self, node):
        ActionChains(self.driver).move_to_element(node).perform()

    def messages(self):
        """Of the console."""
        return self.browser.messages()


def instant(text):
    """Milliseconds since 1970, as JavaScript counts, of a time that the service wrote."""
    return round(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


@contextlib.contextmanager
def dashboard(daemon=None, *flags, width=1280, height=900, **options):
    """A page with a browser of its own; the daemon is the given one, or one with ``flags``. Not opened yet."""
    with contextlib.ExitStack() as stack:
        if daemon is None:
            daemon = stack.enter_context(Daemon(*flags, **options))
        browser = stack.enter_context(Browser(width, height))
        yield Dashboard(browser, daemon)
