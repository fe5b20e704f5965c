"""Asks Kith and other systems for the lists of a microblog."""

import contextlib
import datetime
import os
import subprocess
from collections import Counter

import results
import systems

from . import network, postgres, posting, questions, redis, sql, sqlite, tables

HEADING = "## Microblog"


class Kith(systems.Kith):
    """Without an index of words, as the other systems have none; it prints the bytes of its memory."""

    def __init__(self, path, driver, directory):
        super().__init__(path, driver, directory)
        self.memory = 0
        self.plans = lambda kinds: {kind: {"": questions.operation(kind)} for kind in kinds}

    def answered(self, plan, lines, *extra):
        *answers, size = super().answered(plan, lines, *(extra or (self.store, "lists"))).splitlines()
        self.memory = self.memory or int(size.split("\t")[1])
        return "\n".join(answers)

    def sizes(self):
        yield "in memory", self.memory
        yield "snapshot, compressed", sum(entry.stat().st_size for entry in os.scandir(self.store))


def run(options, directory, note):
    """The section of the results."""
    note("creating the microblog")
    size = network.Size(options.users)
    made = network.Network(size, options.seed)
    os.makedirs(f"{directory}/tsv")
    words = [options.kith, "import", f"{directory}/store", *made.write(f"{directory}/tsv"), "--strict"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    note("measuring Kith")
    kith = Kith(options.kith, options.driver, directory)
    asked = questions.pages(made, options.questions, options.seed)
    found = {kind: answers for kind, _, answers in kith.ask(made, asked)}
    asked, expected = questions.with_places(asked, found)
    section = Section(made)
    section.sizes += [("Kith", *row) for row in kith.sizes()]
    section.remarks.append(posts_of_readers(made, asked))
    for kind, answers in expected.items():
        section.add(kind, "Kith", "", [time for time, _ in answers])
    note("measuring posts of Kith")
    changed = posting.changes(made, options.questions, options.seed)
    outcomes = {mode: answers for mode, _, answers in posting.of_kith(kith, made, changed)}
    for mode, answers in outcomes.items():
        section.add(f"{posting.POST}, {mode}", "Kith", "", [time for time, _ in answers[posting.POST]])
    versions = [kith.version]
    for name in options.only.split(","):
        for make in makers(directory, made).get(name, []):
            note(f"filling {name}")
            with contextlib.ExitStack() as own:
                try:
                    other = make(own)
                except systems.Absent as absence:
                    section.remarks.append(f"Not measured: {absence}.")
                    break
                note(f"measuring {other.name}")
                ask(other, made, asked, expected, section)
                if name == "sqlite":
                    post(other, made, changed, outcomes, section)
                versions += [other.version] if other.version not in versions else []
    section.versions = versions
    section.remarks += options.remark
    return section


def posts_of_readers(made, asked):
    posts = Counter(made.author)
    counts = sorted(posts[given["user"]] for kind, given in asked if kind == "notifications" + questions.FIRST)
    return (
        f"Those who read their notifications wrote {counts[len(counts) // 2]:,} posts at the median, {counts[-1]:,} at "
        "most: active authors are drawn more often. Kith keeps no list of notifications. It asks each of their posts "
        "for its latest edge."
    )


def makers(directory, made):
    return {
        "sqlite": [lambda own, place=place: sqlite.SQLite(directory, made, place) for place in ("memory", "disk")],
        "postgresql": [lambda own: postgres.PostgreSQL(directory, made, own)],
        "redis": [lambda own: redis.Redis(directory, made, own)],
    }


def ask(other, made, asked, expected, section):
    for kind, how, answers in other.ask(made, asked):
        cut = compare(other, kind, how, answers, expected[kind])
        if cut:
            how += f", {cut} of {len(answers)} pages not whole"
        section.add(kind, other.name, how, [time for time, _ in answers])
    section.sizes += [(other.name, *row) for row in other.sizes()]


def post(other, made, changed, outcomes, section):
    for mode, how, answers in posting.of_sqlite(other, made, changed):
        compare(other, posting.CHECK, how, answers[posting.CHECK], outcomes[mode][posting.CHECK])
        section.add(f"{posting.POST}, {mode}", other.name, how, [time for time, _ in answers[posting.POST]])


def compare(other, kind, how, answers, expected):
    """Every answer equals Kith's, or is a part of it that ends where a feed does. Returns how many are such parts."""
    if len(answers) != len(expected):
        raise SystemExit(f"{other.name} ({how}) answered {len(answers)} of {len(expected)} questions: {kind}")
    cut = 0
    for place, ((_, rows), (_, wanted)) in enumerate(zip(answers, expected)):
        if rows is None or rows == wanted:
            continue
        if how.startswith(sql.FEED) and rows == wanted[: len(rows)]:
            cut += 1
            continue
        raise SystemExit(f"{other.name} ({how}) differs: {kind}, question {place}\n  {rows}\n  Kith: {wanted}")
    return cut


def put(old, section):
    """The text of a file with this section in place of the one before, or at its end."""
    before, _, _ = old.partition(HEADING + "\n")
    return before.rstrip("\n") + ("\n\n" if before.strip() else "") + section


def kept(old):
    """The section of a file whose other parts are written again."""
    _, mark, section = old.partition(HEADING + "\n")
    return f"\n{mark}{section}" if mark else ""


class Section(results.Results):
    """A part of RESULTS.md, which other runs leave as it is."""

    def __init__(self, made):
        super().__init__([])
        self.made, self.sizes, self.versions = made, [], []

    def text(self, command, seed):
        ahead = list(self.ahead())
        lines = [
            HEADING,
            "",
            f"Created by `{command}` on {datetime.datetime.now(datetime.UTC):%Y-%m-%d}.",
            "",
            results.filled(f"{results.machine()}. {', '.join(self.versions)}."),
            "",
            results.filled(self.counts(seed)),
            "",
            "Another system is ahead:" if ahead else "No other system is ahead in this run.",
            *([""] if ahead else []),
            *(results.filled(line, "  ") for line in ahead),
            "",
            *self.table(self.kinds),
            "",
            "| system | what it keeps | bytes |",
            "|---|---|---:|",
            *(f"| {system} | {what} | {size:,} |" for system, what, size in self.sizes),
            "",
            *(results.filled(f"- {remark}", "  ") for remark in [*self.remarks, self.fan_out(), *REMARKS]),
        ]
        return "\n".join([*lines, ""])

    def ahead(self):
        for share, name in ((0.5, "median"), (0.99, "p99")):
            for kind, ((_, _, own), *others) in self.kinds.items():
                found = ((results.percentile(times, share), results.labelled(*who)) for *who, times in others)
                time, other = min(found, default=(float("inf"), ""))
                ratio = time / results.percentile(own, share)
                if ratio < 1:
                    yield f"- {kind}: {other} takes {ratio:.2f} times Kith's {name}"

    def counts(self, seed):
        made = self.made
        found = {
            "users": len(made.people),
            "follows": len(made.follows),
            "posts": len(made.posts),
            "of them replies": sum(map(bool, made.parent)),
            "reposts": len(made.reposts),
            "likes": len(made.likes),
            "mentions": len(made.mentions),
            "tags of posts": len(made.tagged),
            "lists of people": len(made.lists),
            "mutes": sum(map(len, made.mutes.values())),
            "blocks": len(made.blocked),
        }
        numbers = ", ".join(f"{number:,} {name}" for name, number in found.items())
        return (
            f"{numbers}; seed {seed}. One thread, pages of 20, each query run once before it is measured. Every answer "
            "of every system was compared with Kith's, field by field: posts with author, name, text, time, likes, "
            "whether the reader likes them, parent, flags and who reposted them; notifications with what was done, by "
            "whom, when, and both texts."
        )

    def fan_out(self):
        made = self.made
        followers = Counter(target for _, target, _ in made.follows)
        added = [followers[author] for author in made.author[1:]]
        return (
            f"A post is one more entry of {sum(added) / len(added):,.0f} home feeds on average, and of {max(added):,} "
            "at most. It was added without a parent and tags, and the homes of followers were compared afterwards. "
            "What is not in the table: cutting feeds to their length, and making a part of one again after a follow, "
            "an unfollow, a mute or a block."
        )


REMARKS = [
    "Home: followees and the user, reposts shown once. With filters: replies only to followed users, and a mask of "
    "flags that half of the posts pass. Profile: without replies. Notifications: follows, likes, replies, mentions and "
    "reposts. Nothing is shown across blocks, and nothing by muted users but in profiles and conversations.",
    f"A feed keeps the newest {tables.FEED_LENGTH} entries of a reader, each marked with the timelines that show it. "
    "Kith, the scan and the merges keep all.",
    "Scan: all posts and reposts from the newest on, each looked up among the sources. Merge in the client: the next "
    "entry of every source in a heap, in C, beside SQLite in one process. Twenty of each: a join with the newest "
    "twenty of every source, sorted.",
    "Redis reads homes and lists of people from feeds alone, as Mastodon does. "
    'PostgreSQL\'s "server alone" is planning and execution as it measures them. "64 in flight" means that 64 '
    "queries are sent before the first answer is read, and share the time.",
    "Kith's bytes in memory are all of its graph, without an index of words; the others have none either.",
]
