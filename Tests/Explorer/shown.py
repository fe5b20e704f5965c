"""What the page shows of the data: hostile names, ends of ranges, changes, the past."""

import json
import time

from chromium import PATIENCE, check, waiting

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
        check(browser.text(".person h1") == name, f"{name!r} is shown as {browser.text('.person h1')!r}")
        over = browser.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"{name!r} widens the page by {over} px")
        isolated = browser.run("return getComputedStyle(document.querySelector('.person h1 bdi')).unicodeBidi")
        check(isolated == "isolate", f"{name!r} is {isolated}")
    browser.open(f"#/user/{ids[0]}/posts", ".post-row")
    browser.wait(f"document.querySelectorAll('.post-row').length >= {len(HOSTILE)}", "the hostile posts")
    texts = browser.run("return [...document.querySelectorAll('.tab-body .post-text')].map((one) => one.textContent)")
    check(texts[: len(HOSTILE)] == HOSTILE[::-1], f"posts are shown as {texts}")
    for hash in (f"#/user/{ids[0]}/followers", f"#/map/{ids[0]}", "#/?q=%3Cimg", f"#/past?user={ids[0]}"):
        browser.open(hash, "main .view")
        time.sleep(0.3)
    check(browser.run("return document.title") != "owned", "a name was run as a script")
    check(
        browser.run("return document.querySelectorAll('main img, main script').length") == 0, "a name became an element"
    )
    check(not browser.complaints(), "the console complains")


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
    browser.run(
        "const field = document.querySelector('.instant-search input'); field.value = 'later';"
        "field.dispatchEvent(new Event('input'))"
    )
    browser.wait(
        "document.querySelector('.pane .empty')&& document.querySelectorAll('.pane:last-child .user-row').length === 5",
        "people of now that were not there then",
    )
    browser.open(f"#/graph?at={at}", ".cell")
    browser.wait(
        "document.querySelectorAll('.bars li').length > 0 && !document.querySelector('.progress')",
        "the charts of then",
        4 * PATIENCE,
    )
    shown = browser.run("return document.querySelector('.graph .tile dd').title")
    check(shown == then, f"the charts are of {shown} people, not {then}")
    later = explorer.ask(op="users", query="later0", match="exact")["users"][0]["id"]
    for hash in (f"#/map/{later}", f"#/path?from={later}&to={later}"):
        browser.open(hash, "canvas[data-state=settled], .chain")
        browser.open(f"{hash}{'&' if '?' in hash else '?'}at={at}", ".failure")
        check("As of" in browser.text(".as-of"), f"{hash} does not say when")


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
            "one.querySelector('.likes').hash, one.querySelector('time').textContent])"
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
        (f"#/past?user={first}", ".pane .user-row"),
        (f"#/past?at={ENDS[3]}", ".failure"),
        ("#/past?at=1e99", ".instant"),
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
    check(not browser.complaints(), "the console complains")
