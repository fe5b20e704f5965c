"""A headless Chromium, the explorer that it shows, and what a test waits for and checks."""

import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains

PATIENCE = 30  # seconds until something that should happen must have happened


class Failed(Exception):
    pass


def check(condition, words):
    if not condition:
        raise Failed(words)


class Explorer:
    """A store, a process that serves it and, on demand, one that writes it."""

    def __init__(self, kith, store, page):
        self.kith, self.store, self.writing = kith, store, None
        command = [*kith.split(), "explore", str(store), "--port", "0"] + (["--page", page] if page else [])
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        check(self.url.startswith("http://127.0.0.1:"), f"no address: {self.url!r}")
        self.base, self.token = self.url.split("/?token=")

    def get(self, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(
            urllib.request.Request(self.base + path, data, headers), timeout=PATIENCE
        ) as answer:
            return answer.read()

    def ask(self, **question):
        return json.loads(self.get("/api/query", question))

    def write(self, *changes):
        """Applies changes by a process of its own, and returns their answers."""
        if self.writing is None:
            self.writing = subprocess.Popen(
                [writer_of(self.kith), "query", str(self.store)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        answers = []
        for change in changes:
            self.writing.stdin.write(json.dumps(change) + "\n")
            self.writing.stdin.flush()
            answers.append(json.loads(self.writing.stdout.readline()))
            check(answers[-1]["ok"], f"{change} answers {answers[-1]}")
        return answers

    def close(self):
        if self.writing:
            self.writing.stdin.close()
            self.writing.wait(PATIENCE)
        self.process.terminate()
        self.process.wait(PATIENCE)


def writer_of(kith):
    return os.environ.get("KITH_WRITER", kith)


class Browser:
    def __init__(self, explorer):
        options = Options()
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        self.driver.set_script_timeout(PATIENCE)
        self.driver.set_page_load_timeout(PATIENCE)
        self.base = explorer.base
        self.driver.get(explorer.url)
        self.wait("document.querySelector('.row')", "the first people")

    def shape(self, width, scheme, calm=False):
        device = {"width": width, "height": 900, "deviceScaleFactor": 2 if width == 400 else 1, "mobile": width == 400}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", device)
        features = [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"},
        ]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, hash, ready=".row"):
        """A page of its own: nothing of the views before is left."""
        self.driver.get("about:blank")
        self.driver.get(f"{self.base}/{hash}")
        self.wait(f"document.querySelector({json.dumps(ready)})", f"{ready} in {hash}")

    def run(self, script, *values):
        return self.driver.execute_script(script, *values)

    def wait(self, expression, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.run(f"return {expression}")
                if value:
                    return value
            except JavascriptException:
                pass
            time.sleep(0.03)
        raise Failed(f"waited {seconds} s for {what}")

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def complaints(self):
        """Messages of the console: scripts that failed, and whatever the Content-Security-Policy refused. Answers with
        an error are also logged, and are not complaints."""
        lines = [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
        return [line for line in lines if "Failed to load resource" not in line]


def waiting(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        check(time.monotonic() < end, f"waited {PATIENCE} s for {what}")
        time.sleep(0.05)
