#!/usr/bin/env python3
"""The page of `kith explore` in a real headless Chromium.

    browser.py KITH [--full] [--store STORE] [--page DIRECTORY] [--only WORD]

KITH is a command built with the package trait Explorer. Without --full one width and one colour scheme are tried, on a
store of 2,000 users (CI); with it three widths and both schemes, on 100,000 users (the night). --store takes another
store instead for what is timed. Needs Chromium and its driver (Debian: chromium, chromium-driver) and, from PyPI,
selenium and axe-playwright-python, of which only the file axe.min.js is used. Exit status: 0 passed, 1 failed.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request
import zlib

from chromium import PATIENCE, Browser, Explorer, Failed, check, writer_of
from client import PAGE_BYTES
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.keys import Keys
from shown import changing, ends, hostile, past

WIDTHS, SCHEMES = (390, 768, 900, 1280, 1440, 2000), ("light", "dark")
INTERACTION = 100  # milliseconds from a key to the rows that answer it, at the median
FRAME = 8  # milliseconds of script in a frame of the map, at the median
ROWS_IN_DOCUMENT = 80  # of a list, however far it was scrolled
# Every view with what shows that it is complete.
VIEWS = {
    "search": ("#/", ".row"),
    "found": ("#/?q=a&match=fuzzy", ".row"),
    "words": ("#/?q=th&in=posts", "main .post-row, .empty"),
    "person": ("#/user/2", ".tile"),
    "followers": ("#/user/1/followers", ".tile"),
    "suggestions": ("#/user/2/suggestions", ".tile"),
    "common": ("#/user/2/common", ".picker"),
    "post": ("#/post/1", ".post-large"),
    "map": ("#/map/2", "canvas[data-state=settled]"),
    "hops": ("#/map/2?hops=2", "canvas[data-state=settled]"),
    "path": ("#/path?from=1&to=7", ".chain, .empty"),
    "graph": ("#/graph", ".cell"),
    "store": ("#/store", "#verify"),
    "changes": ("#/past", ".difference-list, .difference .empty"),
    "conversation": ("#/post/1/thread", ".tab-body"),
    "query": ("#/query?q=%7B%22op%22%3A%22posts%22%7D", ".query-result table"),
    "unknown": ("#/user/987654321", ".failure"),
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
    marks = browser.run(
        "return [...document.querySelectorAll('mark')].map((mark) => "
        "mark.textContent.normalize('NFD')[0].toLowerCase())"
    )
    check(set(marks) == {"a"}, f"other letters are highlighted: {set(marks)}")
    second = browser.run("return document.querySelectorAll('.row')[1].getAttribute('href')")
    browser.keys(Keys.ARROW_DOWN)
    browser.wait(
        "document.querySelectorAll('.row')[1].getAttribute('aria-selected') === 'true'", "the second person chosen"
    )
    active = browser.run("return document.activeElement.getAttribute('aria-activedescendant')")
    check(active == f"option-{second.split('/')[-1]}", f"the active descendant is {active}")
    browser.keys(Keys.ENTER)
    browser.wait(f"location.hash === {json.dumps(second)} && document.querySelector('.person h1')", "the person")
    browser.driver.back()
    browser.wait(
        "document.querySelector('.search-field input')?.value === 'a' && document.querySelector('mark')",
        "the search as it was",
    )
    browser.keys("/", Keys.ESCAPE)
    browser.wait("document.querySelector('.search-field input').value === ''", "Escape clears")
    browser.keys(Keys.ESCAPE)
    # Escape goes back within the page, and never out of it.
    browser.keys(Keys.ESCAPE, Keys.ESCAPE)
    time.sleep(0.3)
    check(browser.run("return location.hash") in ("", "#/"), "Escape leaves the explorer")
    browser.keys("?")
    browser.wait("document.getElementById('help').open", "the help")
    browser.keys(Keys.ESCAPE)
    browser.wait("!document.getElementById('help').open", "the help closed")
    for key, view in zip("234567", ("map", "path", "graph", "store", "past", "query")):
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
        last = browser.run(
            "return Math.max(...[...document.querySelectorAll('.tab-body .row')].map((row) => +row.ariaPosInSet))"
        )
        if last >= min(most["followerCount"], 400):
            break
        time.sleep(0.1)
    check(last >= min(most["followerCount"], 400), f"scrolling ended at row {last} of {most['followerCount']}")
    shown = browser.run(
        "return [...document.querySelectorAll('.tab-body .row')].map((row) => "
        "[+row.ariaPosInSet, +row.querySelector('a').hash.split('/')[2]])"
    )
    ids, cursor = [], None
    while len(ids) < last:
        page = explorer.ask(op="followers", user=most["id"], limit=1000, **({"cursor": cursor} if cursor else {}))
        ids += [user["id"] for user in page["users"]]
        cursor = page["next"]
    check(all(ids[place - 1] == id for place, id in shown), "rows are not those of the engine, in its order")
    scroll = browser.run("return window.scrollY")
    browser.run("document.querySelectorAll('.tab-body .row')[5].querySelector('a').click()")
    browser.wait(
        f"location.hash !== '#/user/{most['id']}/followers' && window.scrollY === 0", "another person, from the top"
    )
    browser.driver.back()
    browser.wait(
        f"Math.abs(window.scrollY - {scroll}) < 3 && document.querySelector('.tab-body .row')",
        "the list where it was left",
    )


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
    frame, slow = (
        float(browser.run(f"return document.querySelector('canvas').dataset.{name}")) for name in ("median", "slowest")
    )
    note = browser.text(".map-note")
    print(f"    a frame of the map: {frame:.1f} ms (median), {slow:.1f} ms (95th percentile); {note}")
    check(frame <= FRAME, f"a frame takes {frame} ms")


def long_work(browser, explorer, run):
    """PageRank shows progress at once, ends when it is cancelled, and answers when it is not."""
    browser.shape(1280, "light")
    browser.open("#/graph", ".bars")
    pagerank = "document.querySelector('[aria-label=\"Rank by\"] [data-value=pagerank]')"
    # In one task of the page, because a small graph is ranked before the next.
    is_shown = browser.run(
        f"{pagerank}.click(); const isShown = !!document.querySelector('.ranks progress');"
        "document.querySelector('.ranks .progress button')?.click(); return isShown"
    )
    check(is_shown, "no progress is shown")
    browser.wait("document.querySelector('.ranks .empty')", "the words that it was cancelled")
    browser.run(f"{pagerank}.click()")
    browser.wait("document.querySelectorAll('.ranks .bars li').length === 25", "25 people by PageRank", 4 * PATIENCE)
    scores = browser.run(
        "return [...document.querySelectorAll('.ranks .score')].map("
        "(one) => Number(one.textContent.replaceAll(',', '')))"
    )
    check(scores == sorted(scores, reverse=True) and 0 < scores[0] < 1e6, f"the scores are {scores}")
    browser.run("document.querySelector('.ranks').closest('.card').querySelector('[aria-expanded]').click()")
    check(
        browser.run("return document.querySelectorAll('.table-holder:not([hidden]) tbody tr').length") == 25,
        "no table of the ranks",
    )


def small(browser, explorer, run):
    page = pathlib.Path(__file__).parents[2] / "Sources/CExplorer/Page"
    total = sum(len(zlib.compress(file.read_bytes(), 9)) for file in page.iterdir())
    check(total < PAGE_BYTES, f"the page has {total} compressed bytes")
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


def questions(browser, explorer, run):
    """The query view: fields make the request, an error is shown, lists lead to their request."""
    browser.shape(1280, "light", calm=True)
    browser.open("#/query", ".query-result table")
    browser.run(
        "const operation = document.querySelector('.query-ask select'); operation.value = 'followers';"
        "operation.dispatchEvent(new Event('change'))"
    )
    browser.run("document.querySelector('.query-fields input').focus()")
    browser.keys("1", Keys.ENTER)
    wanted = [user["id"] for user in explorer.ask(op="followers", user=1)["users"]]
    shown = "[...document.querySelectorAll('.query-result tbody td:first-child')].map((one) => Number(one.textContent))"
    browser.wait(
        f"JSON.stringify({shown}) === {json.dumps(json.dumps(wanted, separators=(',', ':')))}", "the followers"
    )
    request = browser.run("return document.querySelector('.query-box').value")
    check(json.loads(request) == {"op": "followers", "user": 1}, f"the request is {request}")
    check("q=" in browser.run("return location.hash"), "the request is not in the address")
    browser.run(
        'const box = document.querySelector(\'.query-box\'); box.value = \'{"op":"removeUser","user":1}\';'
        "box.dispatchEvent(new Event('input')); document.querySelector('.query-ask .primary').click()"
    )
    browser.wait("document.querySelector('.query-result .failure')", "a change is refused")
    check(explorer.ask(op="user", user=1)["ok"], "the query view has changed the graph")
    browser.open("#/user/1/followers", ".tab-body .row")
    browser.run("document.querySelector('.as-query a').click()")
    browser.wait("location.hash.startsWith('#/query') && document.querySelector('.query-result table')", "as a query")


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
    groups = [
        ("small", (small, every_view, keyboard, questions, endless, hostile, changing, past)),
        ("ends", (ends,)),
        ("large", (quick, long_work)),
    ]
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
