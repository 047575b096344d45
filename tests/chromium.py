"""Debian's Chromium without a window, for tests of pages."""

import json
import shutil

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


class Chromium:
    """A browser that opens pages of the explorer and remembers what they did."""

    def __init__(self, profile, downloads):
        found = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
        if None in found.values():
            pytest.fail(
                f"The tests of the explorer need a browser, found {found}: "
                "apt-get install -y chromium chromium-driver",
                pytrace=False,
            )
        options = Options()
        options.binary_location = found["chromium"]
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.downloads = downloads
        self.driver = webdriver.Chrome(options, Service(found["chromedriver"]))
        self.command(
            "Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads)
        )

    def command(self, name, **settings):
        return self.driver.execute_cdp_cmd(name, settings)

    def open(self, path, width=1400, dark=False):
        """Open a page, wait until it is drawn."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self.command("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        self.driver.get(path.as_uri())
        self.wait(lambda: self.run("return document.body.dataset.ready") == "yes")
        return self

    def wait(self, ready):
        return WebDriverWait(self.driver, 20, 0.05).until(lambda _: ready())

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def press(self, selector, *keys):
        self.one(selector).send_keys(*(getattr(Keys, key) for key in keys))

    def slide(self, stop):
        """Move the slider as a drag would."""
        self.run(
            "const slider = document.getElementById('slider'); slider.value = arguments[0];"
            "slider.dispatchEvent(new Event('input'))",
            stop,
        )

    @property
    def stop(self):
        return int(self.run("return document.getElementById('slider').value"))

    @property
    def last_stop(self):
        return int(self.run("return document.getElementById('slider').max"))

    @property
    def n_clusters(self):
        """Told by the line above the slider."""
        return int(self.text("#level").split(" cluster")[0].replace(",", ""))

    def table(self):
        """Cells of the table of clusters."""
        rows = self.run(
            "return [...document.querySelectorAll('#clusters tbody tr')]"
            ".map(row => [...row.cells].map(cell => cell.textContent))"
        )
        return [[cell.replace(",", "") for cell in row] for row in rows]

    def download(self):
        """Press the button, and return the file's rows."""
        for old in self.downloads.iterdir():
            old.unlink()
        self.one("#download").click()
        # The browser keeps a second, temporary file beside it until all is written.
        self.wait(lambda: [one.suffix for one in self.downloads.iterdir()] == [".csv"])
        (file,) = self.downloads.iterdir()
        return file.read_text().splitlines()

    def complaints(self):
        """What the console says, and requests for anything but the page itself."""
        console = [entry["message"] for entry in self.driver.get_log("browser")]
        events = [json.loads(one["message"]) for one in self.driver.get_log("performance")]
        requests = [
            event["message"]["params"]["request"]["url"]
            for event in events
            if event["message"]["method"] == "Network.requestWillBeSent"
        ]
        return console + [
            url for url in requests if not url.startswith(("file:", "data:", "blob:"))
        ]

    def close(self):
        self.driver.quit()
