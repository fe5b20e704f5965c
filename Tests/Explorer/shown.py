"""What the page shows of the data: hostile names, ends of ranges, changes, the past."""

import json
import time

from chromium import PATIENCE, check, waiting
from selenium.webdriver.common.keys import Keys

HOSTILE = [
    "<img src=x onerror=document.title='owned'>",
    "<script>document.title='owned'</script>",
    "\u202egnorw ti si siht",
    "\u200b\u200b\u200b",
    "a\u0301\u0302\u0303\u0304\u0305" * 12,
    "مرحبا بالعالم",
    "javascript:alert(1)",
    "'\"><svg onload=alert(1)>",
    "w" * 255,
    "\u2066\u2067\u2068 \u2069",
    "{{7*7}}${7*7}",
]


# Names without a visible letter are shown as the codes of their letters.
INVISIBLE = {
    "\u200b\u200b\u200b": "\\u{200B}" * 3,
    "\u2066\u2067\u2068 \u2069": "\\u{2066}\\u{2067}\\u{2068}\\u{20}\\u{2069}",
}


def hostile(browser, explorer, run):
    browser.shape(1280, "light")
    ids = [
        answer["user"]["id"] for answer in explorer.write(*({"op": "addUser", "username": name} for name in HOSTILE))
    ]
    changes = [{"op": "follow", "user": id, "target": ids[0]} for id in ids[1:]]
    explorer.write(*changes, *({"op": "addPost", "user": ids[0], "text": text} for text in HOSTILE))
    waiting(lambda: explorer.ask(op="user", user=ids[-1])["ok"], "the hostile names in the explorer")
    for id, name in zip(ids, HOSTILE):
        browser.open(f"#/user/{id}", ".person h1")
        browser.wait("document.querySelector('.person h1')", "the name")
        shown = INVISIBLE.get(name, name)
        check(browser.text(".person h1") == shown, f"{name!r} is shown as {browser.text('.person h1')!r}")
        over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"{name!r} widens the page by {over} px")
        isolated = browser.run("return getComputedStyle(document.querySelector('.person h1 bdi')).unicodeBidi")
        check(isolated == "isolate", f"{name!r} is {isolated}")
    browser.open(f"#/user/{ids[0]}/posts", ".post-row")
    browser.wait(f"document.querySelectorAll('.post-row').length >= {len(HOSTILE)}", "the hostile posts")
    texts = browser.run("return [...document.querySelectorAll('.tab-body .post-text')].map((one) => one.textContent)")
    wanted = [INVISIBLE.get(text, text) for text in HOSTILE[::-1]]
    check(texts[: len(HOSTILE)] == wanted, f"posts are shown as {texts}")
    for hash in (f"#/user/{ids[0]}/followers", f"#/map/{ids[0]}", "#/?q=%3Cimg", f"#/past?user={ids[0]}"):
        browser.open(hash, "main .view")
        time.sleep(0.3)
    check(browser.run("return document.title") != "owned", "a name was run as a script")
    check(
        browser.run("return document.querySelectorAll('main img, main script').length") == 0, "a name became an element"
    )
    complaints = browser.complaints()
    check(not complaints, f"the console complains: {complaints}")


def changing(browser, explorer, run):
    """The store changes by another process: counts, lists and the change feed follow."""
    browser.shape(1280, "light")
    ann, ben = (
        answer["user"]["id"]
        for answer in explorer.write(
            {"op": "addUser", "username": "ann.live"}, {"op": "addUser", "username": "ben.live"}
        )
    )
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
    browser.wait(
        "document.querySelector('.post-likes b').textContent === '1' && document.querySelector('.row')",
        "the like and the liker",
    )
    browser.open("#/store", "#verify")
    browser.wait("document.getElementById('live-dot').className.includes('on')", "the stream of changes")
    follows = "document.querySelector('#counts div:nth-child(2) dd').title"
    before = browser.run(f"return {follows}")
    explorer.write({"op": "follow", "user": ann, "target": ben})
    browser.wait(
        "document.querySelector('.feed li')?.textContent.includes('ann.live followed ben.live')",
        "the change in the feed",
    )
    browser.wait(f"{follows} !== {json.dumps(before)}", "the count of follows")
    browser.run("document.getElementById('verify').click()")
    browser.wait("document.querySelector('.sound')", "the store verified", 4 * PATIENCE)


def past(browser, explorer, run):
    """The bar of time over all views: an instant stays in every address, and what changed since is listed."""
    browser.shape(1280, "light")
    before = explorer.ask(op="stats")["users"]
    first = explorer.ask(op="users", order="popular", limit=1)["users"][0]
    time.sleep(1.1)
    names = [f"later{index}" for index in range(5)]
    explorer.write(*({"op": "addUser", "username": name} for name in names))
    explorer.write({"op": "renameUser", "user": first["id"], "username": "another name"})
    waiting(lambda: explorer.ask(op="user", user=first["id"])["user"]["username"] == "another name", "the new name")
    files = json.loads(explorer.get("/api/store"))
    at = min(one["time"] for one in files["snapshots"] if one["time"] is not None)
    people = "document.querySelector('#counts div:first-child dd')?.title"
    browser.open(f"#/?at={at}", ".row")
    browser.wait(f"{people} === '{before:,}'", "the number of people then")
    check(browser.text("#live-word") == "Past", "the sidebar does not say that this is the past")
    # Every link keeps the instant: of a row, of the navigation, and of what they lead to.
    stray = "[...document.querySelectorAll('a[href^=\"#/\"]')].filter((one) => !one.href.includes('at=')).length"
    for step in ("document.querySelector('.row').click()", "document.querySelector('#nav [data-view=map]').click()",
                 "document.querySelector('#nav [data-view=graph]').click()"):  # fmt: skip
        browser.run(step)
        browser.wait(f"location.hash.includes('at={at}')", f"the instant after {step}")
        time.sleep(0.5)
        check(browser.run(f"return {stray}") == 0, f"links lead to now after {step}")
    browser.wait("document.querySelector('.graph .tile dd').title !== ''", "the counts of then", 4 * PATIENCE)
    shown = browser.run("return document.querySelector('.graph .tile dd').title")
    check(shown == f"{before:,}", f"the charts are of {shown} people, not {before}")
    browser.open(f"#/user/{first['id']}?at={at}", ".person h1")
    check(browser.text(".person h1") == first["username"], "the name is not that of then")
    browser.run("document.querySelector('.time-now').click()")
    browser.wait("document.querySelector('.person h1')?.textContent === 'another name'", "the name of now")
    check("at=" not in browser.run("return location.hash"), "now has an instant in its address")
    browser.driver.back()
    browser.wait(f"document.querySelector('.person h1')?.textContent === {json.dumps(first['username'])}", "back then")
    # The keys of the bar: a page is a day.
    browser.run("document.querySelector('.time-slider').focus()")
    browser.keys(Keys.PAGE_DOWN)
    browser.wait("!location.hash.includes('at=')", "a day later: now")
    changed(browser, at, names, first)
    later = explorer.ask(op="users", query="later0", match="exact")["users"][0]["id"]
    for hash in (f"#/map/{later}", f"#/path?from={later}&to={later}", f"#/user/{later}"):
        browser.open(hash, "canvas[data-state=settled], .chain, .person h1")
        browser.open(f"{hash}{'&' if '?' in hash else '?'}at={at}", ".failure")


def changed(browser, at, names, first):
    """What changed since an instant, as lists, and both states side by side."""
    browser.open(f"#/past?at={at}&span=all", ".difference-list")
    rows = "[...document.querySelectorAll('.difference-list .change-row')].map((row) => row.textContent)"
    joined = browser.run(f"return {rows}")
    check(all(any(name in row for row in joined) for name in names), f"joined are {joined}")
    browser.run("document.getElementById('tab-Renamed').click()")
    renamed = browser.run(f"return {rows}")
    check(len(renamed) == 1 and first["username"] in renamed[0] and "another name" in renamed[0], f"renamed: {renamed}")
    tiles = "[...document.querySelectorAll('.pane .tile:first-child dd')]"
    browser.wait(f"{tiles}.every((one) => one.title)", "both numbers of people", 4 * PATIENCE)
    then, now = browser.run(f"return {tiles}.map((one) => Number(one.title.replaceAll(',', '')))")
    check(now - then == len(names), f"then {then} people, now {now}")
    browser.run(
        "const field = document.querySelector('.instant-search input'); field.value = 'later';"
        "field.dispatchEvent(new Event('input'))"
    )
    browser.wait(
        "document.querySelector('.pane .empty')&& document.querySelectorAll('.pane:last-child .user-row').length === 5",
        "people of now that were not there then",
    )


# Ids and times that a number of JavaScript cannot hold, or that have no date. An id of a post is also its time.
ENDS = [1_700_000_000_000, 8_640_000_000_000_001, 2**53 + 1, 1_700_000_000_000_000_001, 2**63 - 2]


def ends(browser, explorer, run):
    """Ids and times at the ends of their ranges: shown, linked and asked for as they are, in every view."""
    browser.shape(1280, "light")
    first, last = 2**53 + 1, 2**63 - 2
    explorer.write(
        {"op": "addUser", "id": first, "username": "endless ann"},
        {"op": "addUser", "id": last, "username": "endless bob"},
        {"op": "follow", "user": first, "target": last},
        {"op": "follow", "user": last, "target": first},
        *({"op": "addPost", "id": end, "user": first, "text": f"words of {end}", "createdAt": end} for end in ENDS),
        *({"op": "like", "user": last, "post": end} for end in ENDS),
    )
    waiting(lambda: explorer.ask(op="post", post=ENDS[-1])["ok"], "the posts in the explorer")
    posts = "[...document.querySelectorAll('main .post-row')]"
    for hash in (f"#/user/{first}", f"#/user/{first}/posts", f"#/user/{last}/likes", "#/?q=words&in=posts"):
        browser.open(hash, "main .post-row")
        browser.wait(f"{posts}.length >= {len(ENDS)}", f"all posts in {hash}")
        shown = browser.run(
            f"return {posts}.map((one) => [one.querySelector('.post-text').textContent,"
            "one.querySelector('.post-words').hash, one.querySelector('time').textContent])"
        )
        for end in ENDS:
            mine = [one for one in shown if one[0] == f"words of {end}"]
            check(len(mine) == 1 and mine[0][1] == f"#/post/{end}", f"{hash}: the post {end} is shown as {mine}")
            check(end <= ENDS[0] or mine[0][2] == f"{end} ms", f"{hash}: the time {end} is {mine[0][2]!r}")
    for end in ENDS:
        browser.open(f"#/post/{end}", ".post-large")
        check(browser.text(".post-large") == f"words of {end}", f"the post {end} is {browser.text('.post-large')!r}")
        browser.wait(f"document.querySelector('.row a')?.hash === '#/user/{last}'", "its liker")
    for hash in (f"#/user/{first}/followers", f"#/user/{first}/following"):
        browser.open(hash, ".row a")
        browser.wait(f"document.querySelector('.tab-body .row a')?.hash === '#/user/{last}'", f"the person in {hash}")
    for hash, ready in (
        (f"#/map/{first}", "canvas[data-state=settled]"),
        (f"#/path?from={first}&to={last}", ".chain"),
        ("#/graph", ".cell"),
        ("#/store", ".file-table"),
        (f"#/past?at={ENDS[3]}", ".failure"),
        ("#/past?at=1e99", ".difference"),
    ):
        browser.open(hash, ready)
    browser.open("#/store", "#verify")
    browser.wait("document.getElementById('live-dot').className.includes('on')", "the stream of changes")
    explorer.write({"op": "unfollow", "user": first, "target": last})
    browser.wait(f"document.querySelector('.feed a')?.hash === '#/user/{first}'", "the change in the feed")
    broken = browser.run("""const list = new URL('list.js', document.querySelector('script').src);
      return import(list).then(async ({ List }) => {
        const list = new List({ page: async () => ({ items: [{ id: 1 }, { id: 2 }], next: null }), label: 'x',
          row: (item) => { if (item.id === 1) throw new Error('no such row'); return document.createElement('p'); } });
        document.querySelector('main').append(list.element);
        list.start();
        await list.more(true);
        return [list.body.querySelectorAll('p:not(.failure)').length, list.body.querySelectorAll('.failure').length];
        });""")
    check(broken == [1, 1], f"a row that cannot be shown leaves {broken}")
    complaints = browser.complaints()
    check(not complaints, f"the console complains: {complaints}")
