#!/usr/bin/env python3
"""The page of `kith explore` in a real headless Chromium.

    browser.py KITH [--full] [--store STORE] [--page DIRECTORY] [--only WORD]

KITH is a command built with the package trait Explorer. Without --full one width and one colour scheme are tried, on a
store of 2,000 users (CI); with it three widths and both schemes, on 100,000 users (the night). --store takes another
store instead for what is timed. Needs Chromium and its driver (Debian: chromium, chromium-driver) and, from PyPI,
selenium and axe-playwright-python, of which only the file axe.min.js is used. Exit status: 0 passed, 1 failed.
"""
import argparse, json, os, pathlib, shutil, subprocess, sys, tempfile, time, traceback, urllib.error, urllib.request

from selenium import webdriver
from selenium.common.exceptions import JavascriptException, StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

WIDTHS, SCHEMES = (400, 1280, 2000), ("light", "dark")
PATIENCE = 30            # seconds until something that should happen must have happened
INTERACTION = 100        # milliseconds from a key to the rows that answer it, at the median
FRAME = 8                # milliseconds of script in a frame of the map, at the median
ROWS_IN_DOCUMENT = 80    # of a list, however far it was scrolled
PAGE_BYTES = 150_000
HOSTILE = [
    "<img src=x onerror=document.title='owned'>", "<script>document.title='owned'</script>", "\u202egnorw ti si siht",
    "\u200b\u200b\u200b", "a\u0301\u0302\u0303\u0304\u0305" * 12, "مرحبا بالعالم", "javascript:alert(1)",
        "'\"><svg onload=alert(1)>",
    "w" * 255, "\u2066\u2067\u2068 \u2069", "{{7*7}}${7*7}",
]


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
        with urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers),
            timeout=PATIENCE) as answer:
            return answer.read()

    def ask(self, **question):
        return json.loads(self.get("/api/query", question))

    def write(self, *changes):
        """Applies changes by a process of its own, and returns their answers."""
        if self.writing is None:
            self.writing = subprocess.Popen([writer_of(self.kith), "query", str(self.store)], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)
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
        features = [{"name": "prefers-color-scheme", "value": scheme},
                    {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}]
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


# Every view with what shows that it is complete.
VIEWS = {
    "search": ("#/", ".row"), "found": ("#/?q=a&match=fuzzy", ".row"),
        "words": ("#/?q=th&in=posts", "main .post-row, .empty"),
    "person": ("#/user/2", ".tile"), "followers": ("#/user/1/followers", ".tile"),
        "suggestions": ("#/user/2/suggestions", ".tile"),
    "common": ("#/user/2/common", ".picker"), "post": ("#/post/1", ".post-large"),
    "map": ("#/map/2", "canvas[data-state=settled]"), "hops": ("#/map/2?hops=2", "canvas[data-state=settled]"),
    "path": ("#/path?from=1&to=7", ".chain, .empty"), "graph": ("#/graph", ".cell"), "store": ("#/store", "#verify"),
    "past": ("#/past", ".instant"), "unknown": ("#/user/987654321", ".failure"),
}


def every_view(browser, explorer, run):
    axe = axe_script()
    for width, scheme in run.shapes:
        browser.shape(width, scheme, calm=True)
        for name, (hash, ready) in VIEWS.items():
            browser.open(hash, ready)
            browser.wait("!document.querySelector('.ghost-row, .progress')", f"{name} without work under way")
            where = f"{name} at {width} px, {scheme}"
            over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
            check(over <= 0, f"{where}: scrolls sideways by {over} px")
            check(browser.run("return document.title.endsWith('Kith')"), f"{where}: no title")
            headings = browser.run("return document.querySelectorAll('main h1').length")
            check(headings == 1, f"{where}: {headings} main headings")
            found = browser.driver.execute_async_script(axe + AXE_RUN)
            check(not found, f"{where}: axe-core finds {json.dumps(found, indent=1)}")
            complaints = browser.complaints()
            check(not complaints, f"{where}: console: {complaints}")


AXE_RUN = """
;const done = arguments[arguments.length - 1];
axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations.map((one) =>
  ({ rule: one.id, nodes: one.nodes.slice(0, 3).map((node) => [node.html.slice(0, 160), node.failureSummary]) }))));
"""


def axe_script():
    import axe_playwright_python
    return next(pathlib.Path(axe_playwright_python.__file__).parent.rglob("axe.min.js")).read_text()


def keyboard(browser, explorer, run):
    browser.shape(1280, "light", calm=True)
    browser.open("#/")
    browser.run("document.activeElement.blur()")
    browser.keys("/")
    check(browser.run("return document.activeElement.type") == "search", "/ focuses the search")
    browser.keys("a")
    browser.wait("document.querySelector('mark')", "highlights")
    marks = browser.run("return [...document.querySelectorAll('mark')].map((mark) => "
                        "mark.textContent.normalize('NFD')[0].toLowerCase())")
    check(set(marks) == {"a"}, f"other letters are highlighted: {set(marks)}")
    second = browser.run("return document.querySelectorAll('.row')[1].getAttribute('href')")
    browser.keys(Keys.ARROW_DOWN)
    browser.wait("document.querySelectorAll('.row')[1].getAttribute('aria-selected') === 'true'",
        "the second person chosen")
    active = browser.run("return document.activeElement.getAttribute('aria-activedescendant')")
    check(active == f"option-{second.split('/')[-1]}", f"the active descendant is {active}")
    browser.keys(Keys.ENTER)
    browser.wait(f"location.hash === {json.dumps(second)} && document.querySelector('.person h1')", "the person")
    browser.driver.back()
    browser.wait("document.querySelector('.search-field input')?.value === 'a' && document.querySelector('mark')",
        "the search as it was")
    browser.keys("/", Keys.ESCAPE)
    browser.wait("document.querySelector('.search-field input').value === ''", "Escape clears")
    browser.keys(Keys.ESCAPE)
    browser.keys("?")
    browser.wait("document.getElementById('help').open", "the help")
    browser.keys(Keys.ESCAPE)
    browser.wait("!document.getElementById('help').open", "the help closed")
    for key, view in zip("23456", ("map", "path", "graph", "store", "past")):
        browser.run("document.activeElement.blur()")
        browser.keys(key)
        browser.wait(f"document.querySelector('#nav [aria-current]').dataset.view === '{view}'", view)
    browser.open("#/user/1/followers")
    browser.run("document.querySelector('.tab-body .row a').focus()")
    browser.keys(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    place = browser.run("return document.activeElement.closest('.row').getAttribute('aria-posinset')")
    check(place == "3", f"two arrows down lead to row {place}")
    outline = browser.run("return getComputedStyle(document.activeElement).outlineStyle")
    check(outline == "solid", f"the focus has the outline {outline}")
    browser.run("document.getElementById('tab-followers').focus()")
    browser.keys(Keys.ARROW_RIGHT)
    browser.wait("location.hash === '#/user/1/following'", "the next tab")
    browser.open("#/map/2", "canvas[data-state=settled]")
    browser.run("document.querySelector('canvas').focus()")
    browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    name = browser.wait("document.querySelector('.map-label .name')?.textContent", "a person in the map")
    browser.keys(Keys.ENTER)
    browser.wait(f"document.querySelector('.person h1')?.textContent === {json.dumps(name)}", "the person of the map")
    browser.open("#/graph", ".cell")
    browser.keys(Keys.TAB)
    check(browser.run("return document.activeElement.className") == "skip", "the first stop is the skip link")


def endless(browser, explorer, run):
    browser.shape(1280, "light")
    most = explorer.ask(op="users", order="popular", limit=1)["users"][0]
    browser.open(f"#/user/{most['id']}/followers")
    for _ in range(60):
        browser.run("window.scrollTo(0, document.documentElement.scrollHeight)")
        rows = browser.run("return document.querySelectorAll('.tab-body .row').length")
        check(rows <= ROWS_IN_DOCUMENT, f"{rows} rows are in the document")
        last = browser.run("return Math.max(...[...document.querySelectorAll('.tab-body .row')]"
                           ".map((row) => +row.ariaPosInSet))")
        if last >= min(most["followerCount"], 400):
            break
        time.sleep(0.1)
    check(last >= min(most["followerCount"], 400), f"scrolling ended at row {last} of {most['followerCount']}")
    shown = browser.run("return [...document.querySelectorAll('.tab-body .row')].map((row) => "
                        "[+row.ariaPosInSet, +row.querySelector('a').hash.split('/')[2]])")
    ids, cursor = [], None
    while len(ids) < last:
        page = explorer.ask(op="followers", user=most["id"], limit=1000, **({"cursor": cursor} if cursor else {}))
        ids += [user["id"] for user in page["users"]]
        cursor = page["next"]
    check(all(ids[place - 1] == id for place, id in shown), "rows are not those of the engine, in its order")
    scroll = browser.run("return window.scrollY")
    browser.run("document.querySelectorAll('.tab-body .row')[5].querySelector('a').click()")
    browser.wait(f"location.hash !== '#/user/{most['id']}/followers' && window.scrollY === 0",
        "another person, from the top")
    browser.driver.back()
    browser.wait(f"Math.abs(window.scrollY - {scroll}) < 3 && document.querySelector('.tab-body .row')",
        "the list where it was left")


def hostile(browser, explorer, run):
    browser.shape(1280, "light")
    ids = [answer["user"]["id"] for answer in explorer.write(*({"op": "addUser",
        "username": name} for name in HOSTILE))]
    changes = [{"op": "follow", "user": id, "target": ids[0]} for id in ids[1:]]
    explorer.write(*changes, *({"op": "addPost", "user": ids[0], "text": text} for text in HOSTILE))
    waiting(lambda: explorer.ask(op="user", user=ids[-1])["ok"], "the hostile names in the explorer")
    for id, name in zip(ids, HOSTILE):
        browser.open(f"#/user/{id}", ".person h1")
        browser.wait("document.querySelector('.person h1')", "the name")
        check(browser.text(".person h1") == name, f"{name!r} is shown as {browser.text('.person h1')!r}")
        over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"{name!r} widens the page by {over} px")
        isolated = browser.run("return getComputedStyle(document.querySelector('.person h1 bdi')).unicodeBidi")
        check(isolated == "isolate", f"{name!r} is {isolated}")
    browser.open(f"#/user/{ids[0]}/posts", ".post-row")
    browser.wait(f"document.querySelectorAll('.post-row').length >= {len(HOSTILE)}", "the hostile posts")
    texts = browser.run("return [...document.querySelectorAll('.tab-body .post-text')].map((one) => one.textContent)")
    check(texts[:len(HOSTILE)] == HOSTILE[::-1], f"posts are shown as {texts}")
    for hash in (f"#/user/{ids[0]}/followers", f"#/map/{ids[0]}", "#/?q=%3Cimg", f"#/past?user={ids[0]}"):
        browser.open(hash, "main .view")
        time.sleep(0.3)
    check(browser.run("return document.title") != "owned", "a name was run as a script")
    check(browser.run("return document.querySelectorAll('main img, main script').length") == 0,
        "a name became an element")
    check(not browser.complaints(), "the console complains")


def changing(browser, explorer, run):
    """The store changes by another process: counts, lists and the change feed follow."""
    browser.shape(1280, "light")
    ann, ben = (answer["user"]["id"] for answer in explorer.write({"op": "addUser", "username": "ann.live"},
        {"op": "addUser", "username": "ben.live"}))
    waiting(lambda: explorer.ask(op="user", user=ben)["ok"], "both people in the explorer")
    browser.open(f"#/user/{ann}/followers", ".person h1")
    browser.wait("document.querySelector('.empty')", "no followers")
    explorer.write({"op": "follow", "user": ben, "target": ann})
    browser.wait(f"document.querySelector('.tab-body .row a')?.hash === '#/user/{ben}'", "the new follower")
    browser.wait("document.querySelector('.tile dd').textContent === '1'", "the count of followers")
    explorer.write({"op": "unfollow", "user": ben, "target": ann})
    browser.wait("!document.querySelector('.tab-body .row')", "the follower gone")
    post = explorer.write({"op": "addPost", "user": ann, "text": "live words"})[0]["post"]["id"]
    waiting(lambda: explorer.ask(op="post", post=post)["ok"], "the post in the explorer")
    browser.open(f"#/post/{post}", ".post-large")
    explorer.write({"op": "like", "user": ben, "post": post})
    browser.wait("document.querySelector('.post-likes b').textContent === '1' && document.querySelector('.row')",
        "the like and the liker")
    browser.open("#/store", "#verify")
    browser.wait("document.getElementById('live-dot').className.includes('on')", "the stream of changes")
    follows = "document.querySelector('#counts div:nth-child(2) dd').title"
    before = browser.run(f"return {follows}")
    explorer.write({"op": "follow", "user": ann, "target": ben})
    browser.wait("document.querySelector('.feed li')?.textContent.includes('ann.live followed ben.live')",
        "the change in the feed")
    browser.wait(f"{follows} !== {json.dumps(before)}", "the count of follows")
    browser.run("document.getElementById('verify').click()")
    browser.wait("document.querySelector('.sound')", "the store verified", 4 * PATIENCE)


def waiting(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        check(time.monotonic() < end, f"waited {PATIENCE} s for {what}")
        time.sleep(0.05)


def past(browser, explorer, run):
    browser.shape(1280, "light")
    before = explorer.ask(op="stats")["users"]
    time.sleep(1.1)
    explorer.write(*({"op": "addUser", "username": f"later{index}"} for index in range(5)))
    waiting(lambda: explorer.ask(op="stats")["users"] == before + 5, "five more people")
    files = json.loads(explorer.get("/api/store"))
    at = min(one["time"] for one in files["snapshots"] if one["time"] is not None)
    browser.open(f"#/past?at={at}", ".instant")
    browser.wait("document.querySelector('.panes:not([hidden]) .row-name')", "both panes", 4 * PATIENCE)
    people = "[...document.querySelectorAll('.pane .tile:first-child dd')]"
    then, now = browser.run(f"return {people}.map((one) => one.title)")
    check(int(now.replace(",", "")) > int(then.replace(",", "")), f"then {then} people, now {now}")
    browser.run("const field = document.querySelector('.instant-search input'); field.value = 'later';"
                "field.dispatchEvent(new Event('input'))")
    browser.wait("document.querySelector('.pane .empty')"
                 "&& document.querySelectorAll('.pane:last-child .user-row').length === 5",
                 "people of now that were not there then")
    browser.open(f"#/graph?at={at}", ".cell")
    browser.wait("document.querySelectorAll('.bars li').length > 0 && !document.querySelector('.progress')",
                 "the charts of then", 4 * PATIENCE)
    shown = browser.run("return document.querySelector('.graph .tile dd').title")
    check(shown == then, f"the charts are of {shown} people, not {then}")
    later = explorer.ask(op="users", query="later0", match="exact")["users"][0]["id"]
    for hash in (f"#/map/{later}", f"#/path?from={later}&to={later}"):
        browser.open(hash, "canvas[data-state=settled], .chain")
        browser.open(f"{hash}{'&' if '?' in hash else '?'}at={at}", ".failure")
        check("As of" in browser.text(".as-of"), f"{hash} does not say when")


def quick(browser, explorer, run):
    """A key to the rows that answer it, and a frame of a map of 300 people, on the large store."""
    browser.shape(1280, "light", calm=True)
    browser.open("#/")
    browser.keys("/")
    took = []
    for letter in ("a", "n", Keys.BACKSPACE, "r", "e", Keys.BACKSPACE, Keys.BACKSPACE, "s", "t", "o"):
        browser.run("delete document.querySelector('.search-field input').dataset.took")
        browser.keys(letter)
        took.append(float(browser.wait("document.querySelector('.search-field input').dataset.took", "an answer")))
    took.sort()
    print(f"    a key to its rows: {took[len(took) // 2]:.0f} ms (median), {took[-1]:.0f} ms (slowest)")
    check(took[len(took) // 2] <= INTERACTION, f"a key takes {took} ms")
    browser.shape(1280, "light")
    most = explorer.ask(op="users", order="popular", limit=1)["users"][0]["id"]
    browser.open(f"#/map/{most}?hops=2", "canvas[data-state=settled]")
    frame, slow = (float(browser.run(f"return document.querySelector('canvas').dataset.{name}")) for name in ("median",
        "slowest"))
    note = browser.text(".map-note")
    print(f"    a frame of the map: {frame:.1f} ms (median), {slow:.1f} ms (95th percentile); {note}")
    check(frame <= FRAME, f"a frame takes {frame} ms")


def long_work(browser, explorer, run):
    """PageRank shows progress at once, ends when it is cancelled, and answers when it is not."""
    browser.shape(1280, "light")
    browser.open("#/graph", ".bars")
    pagerank = "document.querySelector('[aria-label=\"Rank by\"] [data-value=pagerank]')"
    # In one task of the page, because a small graph is ranked before the next.
    is_shown = browser.run(f"{pagerank}.click(); const isShown = !!document.querySelector('.ranks progress');"
                           "document.querySelector('.ranks .progress button')?.click(); return isShown")
    check(is_shown, "no progress is shown")
    browser.wait("document.querySelector('.ranks .empty')", "the words that it was cancelled")
    browser.run(f"{pagerank}.click()")
    browser.wait("document.querySelectorAll('.ranks .bars li').length === 25", "25 people by PageRank", 4 * PATIENCE)
    scores = browser.run("return [...document.querySelectorAll('.ranks .score')]"
                         ".map((one) => parseFloat(one.textContent))")
    check(scores == sorted(scores, reverse=True) and 0 < scores[0] < 1, f"the scores are {scores}")
    browser.run("document.querySelector('.ranks').closest('.card').querySelector('[aria-expanded]').click()")
    check(browser.run("return document.querySelectorAll('.table-holder:not([hidden]) tbody tr').length") == 25,
        "no table of the ranks")


def small(browser, explorer, run):
    page = pathlib.Path(__file__).parents[2] / "Sources/CExplorer/Page"
    total = sum(file.stat().st_size for file in page.iterdir())
    check(total < PAGE_BYTES, f"the page has {total} bytes")
    for file in page.glob("*.js"):
        text = file.read_text()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            check(word not in text, f"{file.name} has {word}")
    index = (page / "index.html").read_text()
    check(" style=" not in index and "<script>" not in index and " on" + "click" not in index, "inline style or script")
    try:
        urllib.request.urlopen(explorer.base + "/", timeout=PATIENCE)
        check(os.environ.get("KITH_WRITER"), "the page was served without a token")
    except urllib.error.HTTPError as error:
        check(error.code == 401, f"without a token the page answers {error.code}")


def seed(kith, store, users):
    counts = ["--users", users, "--follows", users * 20, "--posts", users * 5, "--likes", users * 10]
    subprocess.run([writer_of(kith), "seed", str(store), *map(str, counts)], check=True, stdout=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kith")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--store")
    parser.add_argument("--page")
    parser.add_argument("--only", default="")
    run = parser.parse_args()
    run.shapes = [(width, scheme) for width in WIDTHS for scheme in SCHEMES] if run.full else [(1280, "light")]
    groups = [("small", (small, every_view, keyboard, endless, hostile, changing, past)), ("large", (quick, long_work))]
    failures = 0
    with tempfile.TemporaryDirectory(prefix="kith-explorer-") as directory:
        for name, tests in groups:
            tests = [test for test in tests if run.only in test.__name__]
            if not tests:
                continue
            store = pathlib.Path(run.store) if name == "large" and run.store else pathlib.Path(directory) / name
            if not store.exists():
                seed(run.kith, store, 100_000 if name == "large" and run.full else 2_000)
            explorer = Explorer(run.kith, store, run.page)
            browser = Browser(explorer)
            for test in tests:
                began = time.monotonic()
                try:
                    test(browser, explorer, run)
                    print(f"passed {test.__name__} in {time.monotonic() - began:.1f} s", flush=True)
                except (Failed, StaleElementReferenceException) as error:
                    failures += 1
                    print(f"FAILED {test.__name__}: {error}", flush=True)
                except Exception:
                    failures += 1
                    print(f"FAILED {test.__name__}: {traceback.format_exc()}", flush=True)
            browser.driver.quit()
            explorer.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
