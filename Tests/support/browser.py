"""Drives a real Chromium, without a window, through WebDriver and its own DevTools protocol.

Selenium is the package of Debian, so suites that use this are run by /usr/bin/python3, whatever stands first in the
path.
"""

import base64
import pathlib
import struct

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

SWITCHES = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
            "--force-color-profile=srgb", "--disable-background-networking", "--disable-component-update",
            "--disable-features=Translate,OptimizationHints,MediaRouter", "--no-first-run", "--mute-audio",
            "--font-render-hinting=none", "--disable-lcd-text")


class Browser:
    """One browser with one page; ends with ``close()`` or its ``with`` block."""

    def __init__(self, width=800, height=600):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for switch in (*SWITCHES, f"--window-size={width},{height}"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(60)
        self.driver.set_page_load_timeout(60)
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.driver.quit()

    def open(self, url):
        self.driver.get(url)

    def run(self, script, *arguments):
        """The value of a function's body; ``arguments`` are its ``arguments``."""
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments):
        """The value of an async function's body, when it has one."""
        done = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async function () {{ {script} }}).apply(null, arguments)"
            ".then((value) => done({value}), (error) => done({error: String(error && error.stack || error)}));",
            *arguments)
        if "error" in done:
            raise AssertionError(done["error"])
        return done["value"]

    def until(self, condition, within=15, *arguments):
        """Looks at every frame until the expression is true, and returns its value."""
        return self.wait(
            f"const end = performance.now() + {within * 1000};"
            f"for (;;) {{ const value = ({condition}); if (value) return value;"
            " if (performance.now() > end) throw new Error('not within the time: ' + "
            f"{condition!r}); await new Promise((next) => setTimeout(next, 16)); }}", *arguments)

    def messages(self):
        """What the page wrote into its console since the last call, and what the browser wrote there for it."""
        return [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")]

    def tell(self, command, **parameters):
        """A command of the DevTools protocol."""
        return self.driver.execute_cdp_cmd(command, parameters)

    def resize(self, width, height, scale=1):
        """The size of the page in CSS pixels, and how many pixels each of them has."""
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=False)

    def prefer(self, **features):
        """Media features, such as ``prefers_color_scheme="dark"``; those not named are as usual."""
        self.tell("Emulation.setEmulatedMedia", features=[
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    def screenshot(self, path=None, clip=None):
        """The page as a PNG; ``clip`` is (x, y, width, height) in CSS pixels."""
        parameters = {"format": "png", "captureBeyondViewport": clip is not None}
        if clip:
            parameters["clip"] = dict(zip(("x", "y", "width", "height"), clip), scale=1)
        data = base64.b64decode(self.tell("Page.captureScreenshot", **parameters)["data"])
        if path:
            pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
            pathlib.Path(path).write_bytes(data)
        return data

    def accessibility(self):
        """The accessibility tree as a list of {role, name, properties}, without ignored nodes."""
        nodes = self.tell("Accessibility.getFullAXTree")["nodes"]
        return [{"role": node.get("role", {}).get("value"), "name": node.get("name", {}).get("value", ""),
                 **{entry["name"]: entry["value"].get("value") for entry in node.get("properties", [])}}
                for node in nodes if not node.get("ignored")]


def picture_size(data):
    """Width and height of a PNG, in pixels."""
    return struct.unpack(">II", data[16:24])
