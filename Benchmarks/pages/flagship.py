#!/usr/bin/env python3
"""Makes a network as large as Twitter in 2010, or a part of it: saves, opens, asks, checks and changes it."""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "comparison"))
from flagship_page import markdown
from results import machine

# The whole: users and follows as measured in 2010; posts and likes.
WHOLE = {"users": 41_652_230, "follows": 1_468_365_182, "posts": 8_000_000, "likes": 16_000_000}
STAGES = ["make", "open", "bounds", "rank", "check", "change", "import"]
SAMPLE_COUNT = 12
QUERY_COUNT = 2_000
MOST_FOLLOWEES = 400
# A stage that takes longer than this many seconds fails.
STAGE_SECONDS = 2_400
HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(prog="Scripts/measure flagship", description=__doc__)
    parser.add_argument("--kith", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--scale", default="1/20", help="the part of the whole: 1, 1/4 or 1/20 (the default)")
    parser.add_argument("--stage", choices=STAGES, help="this stage alone; without it, all that are not yet done")
    parser.add_argument("--page", action="store_true", help="runs nothing, and writes the page of the stages done")
    parser.add_argument("--compact-lists", action="store_true", help="keeps follows and likes in fewer bytes")
    parser.add_argument("--compress-texts", action="store_true", help="keeps the texts of posts compressed")
    parser.add_argument("--directory", default=".build/flagship", help="for the store, the results and scratch files")
    parser.add_argument("--results", help="the page to write; standard output without it")
    parser.add_argument("--remark", action="append", default=[], help="a remark on this run")
    options = parser.parse_args()
    numerator, _, denominator = options.scale.partition("/")
    scale = int(numerator) / int(denominator or 1)
    form = [word for word in ("--compact-lists", "--compress-texts") if getattr(options, word[2:].replace("-", "_"))]
    directory = os.path.join(options.directory, "".join([options.scale.replace("/", "of"), *form]))
    run = Flagship(options.kith, scale, form, directory)
    for stage in [] if options.page else [options.stage] if options.stage else STAGES:
        if options.stage or stage not in run.results:
            run.stage(stage)
    # The last two stages can be left out of a page, where time or disk are short.
    if set(STAGES) - {"change", "import"} <= set(run.results):
        run.results["machine"] = machine()
        run.results["whole"] = WHOLE
        words = " ".join(["--scale", options.scale, *form])
        write(options.results, markdown(run.results, options.scale, words, options.remark))


def write(path, text):
    if not path:
        print(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def resident(pid, key="VmRSS"):
    """The resident bytes of a process, or with VmHWM the most so far."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) * 1024


class Session:
    """A kith query process."""

    def __init__(self, kith, *words):
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [kith, "query", *words, "--timings", "--post-index", "off"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, **question):
        self.process.stdin.write(json.dumps(question).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {}
        if not answer.get("ok"):
            sys.exit(f"{question}: {answer or 'no answer'}")
        return answer

    def seconds(self):
        return time.perf_counter() - self.began

    def memory(self):
        return {"resident": resident(self.process.pid), "peak": resident(self.process.pid, "VmHWM")}

    def end(self):
        self.process.stdin.close()
        if self.process.wait():
            sys.exit("kith query failed")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Flagship:
    def __init__(self, kith, scale, form, directory):
        self.kith, self.form, self.directory = kith, form, directory
        self.store = os.path.join(directory, "store")
        self.counts = {name: round(count * scale) for name, count in WHOLE.items()}
        self.path = os.path.join(directory, "results.json")
        os.makedirs(directory, exist_ok=True)
        self.results = {"counts": self.counts}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.results = json.load(file)

    def stage(self, name):
        print(f"flagship: {name}", file=sys.stderr, flush=True)
        began = time.perf_counter()
        found = getattr(self, name if name != "import" else "imported")()
        found["stageSeconds"] = time.perf_counter() - began
        if found["stageSeconds"] > STAGE_SECONDS:
            sys.exit(f"stage {name} took {found['stageSeconds']:.0f} s; {STAGE_SECONDS} are allowed")
        self.results[name] = found
        write(self.path, json.dumps(self.results, indent=1))

    def run(self, *words):
        """Runs kith to its end: what it printed, with its time and greatest memory."""
        began = time.perf_counter()
        output = os.path.join(self.directory, "out")
        with open(output, "wb") as target:
            process = subprocess.Popen([self.kith, *map(str, words)], stdout=target)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"kith {words[0]} ended with {process.returncode}")
        with open(output, encoding="utf-8") as file:
            return file.read(), {"seconds": time.perf_counter() - began, "peak": usage.ru_maxrss * 1024}

    def files(self):
        return sum(entry.stat().st_size for entry in os.scandir(self.store))

    # The stages

    def make(self):
        shutil.rmtree(self.store, ignore_errors=True)
        counts = [word for name in WHOLE for word in (f"--{name}", self.counts[name])]
        _, made = self.run("seed", self.store, *counts, "--shape", "power-law", *self.form)
        text, _ = self.run("inspect", self.store, "--json")
        return {**made, "fileBytes": self.files(), "sections": json.loads(text)["snapshots"][0]["sections"]}

    def open(self):
        chosen = random.Random(1)
        session = Session(self.kith, self.store, "--read-only", *self.form)
        session.ask(op="timeline", user=1, limit=20)
        found = {"firstTimeline": session.seconds(), "opened": session.memory()}
        session.ask(op="users", query="ann", limit=20)
        found["firstSearch"] = session.seconds()
        samples = []
        while len(samples) < SAMPLE_COUNT:
            user = chosen.randint(1, self.counts["users"])
            portrait = session.ask(op="user", user=user)["user"]
            if not 0 < portrait["followeeCount"] <= MOST_FOLLOWEES:
                continue
            timeline = session.ask(op="timeline", user=user, limit=20)["posts"]
            best = session.ask(op="suggestions", user=user, limit=10)["users"]
            samples.append(
                {
                    "user": user,
                    "followers": portrait["followerCount"],
                    "followees": portrait["followeeCount"],
                    "name": portrait["username"],
                    "timeline": [post["id"] for post in timeline],
                    "suggestions": [[other["id"], other["mutualCount"]] for other in best],
                }
            )
        found["samples"] = samples
        found["latencies"] = {
            name: self.latencies(session, chosen, question)
            for name, question in (
                ("timeline, first page", lambda user: {"op": "timeline", "user": user}),
                ("followers, first page", lambda user: {"op": "followers", "user": user}),
                ("suggestions (two hops)", lambda user: {"op": "suggestions", "user": user}),
                ("users by name, three letters", lambda user: {"op": "users", "query": syllables(user), "as": user}),
                (
                    "whether one follows another",
                    lambda user: {"op": "isFollowing", "user": user, "target": 1 + user * 7 % self.counts["users"]},
                ),
            )
        }
        found["asked"] = session.memory()
        found["bytes"] = session.ask(op="stats")["bytes"]
        session.end()
        return found

    def latencies(self, session, chosen, question):
        """The median, and the time that one in a hundred exceeds, in nanoseconds."""
        times = sorted(
            session.ask(**question(chosen.randint(1, self.counts["users"])))["ns"] for _ in range(QUERY_COUNT)
        )
        return [times[len(times) // 2], times[len(times) * 99 // 100]]

    def rank(self):
        text, used = self.run("rank", self.store, "--limit", 20, "--json", *self.form)
        return {**used, "ranks": json.loads(text)}

    def compiled(self, name, *libraries):
        """Compiles a program of this benchmark."""
        program = os.path.join(self.directory, name)
        source = os.path.join(HERE, "..", "flagship", f"{name}.c")
        subprocess.run(["cc", "-O2", "-o", program, source, *libraries], check=True)
        return program

    def bounds(self):
        """What opening takes at least, by a C program."""
        words = [self.compiled("bounds", "-lzstd"), self.snapshot(), self.results["open"]["bytes"]["total"]]
        return json.loads(subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, check=True).stdout)

    def snapshot(self, store=None):
        """The path of the oldest snapshot of a store."""
        store = store or self.store
        return os.path.join(store, min(name for name in os.listdir(store) if name.startswith("snap-")))

    def check(self):
        """Compares the answers with what the exported rows say."""
        samples = self.results["open"]["samples"]
        program = self.compiled("check", "-lm")
        wanted = json.loads(self.piped("follows", [program, self.counts["users"], *(one["user"] for one in samples)]))
        if wanted["follows"] != self.counts["follows"]:
            sys.exit(f"{wanted['follows']:,} follows were exported, not {self.counts['follows']:,}")
        found = [[user["id"], user["perMillion"]] for user in self.results["rank"]["ranks"]["users"]]
        for (user, score), (found_user, per_million) in zip(wanted["ranks"], found, strict=True):
            # Scores that are equal to a millionth may stand in another order.
            if abs(score * 1e6 - per_million) > 1 + score * 1e2:
                sys.exit(f"PageRank of {user}: {score * 1e6}, found {found_user} with {per_million}")
        followees = {one["user"]: set(one["followees"]) | {one["user"]} for one in wanted["users"]}
        timelines = self.timelines(followees)
        for one, right in zip(samples, wanted["users"], strict=True):
            user = one["user"]
            if (one["followers"], one["followees"]) != (right["followers"], len(right["followees"])):
                sys.exit(f"user {user}: {one} has other counts than {right}")
            if one["suggestions"] != right["suggestions"]:
                sys.exit(f"user {user}: suggestions {one['suggestions']}, not {right['suggestions']}")
            if one["timeline"] != timelines[user]:
                sys.exit(f"user {user}: timeline {one['timeline']}, not {timelines[user]}")
        figures = ("entropyBits", "ascendingBits", "mostFollowers")
        return {"samples": len(samples), **{name: wanted[name] for name in figures}}

    def exported(self):
        """The directory of the exported rows as .tsv.zst files, which check and import share."""
        files = os.path.join(self.directory, "tsv")
        if not os.path.exists(files):
            lists = [word for word in self.form if word == "--compact-lists"]
            partial = files + ".part"
            shutil.rmtree(partial, ignore_errors=True)
            _, self.results["export"] = self.run("export", self.store, partial, "--compress", *lists)
            os.rename(partial, files)
        return files

    def rows(self, kind):
        """A process that prints exported rows. The export has ended before: together with what reads them it could take
        more memory than there is."""
        path = os.path.join(self.exported(), f"{kind}.tsv.zst")
        return subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE)

    def piped(self, kind, words):
        """Passes exported rows to a program, and returns what it prints."""
        rows = self.rows(kind)
        output = subprocess.run([str(word) for word in words], stdin=rows.stdout, stdout=subprocess.PIPE, check=True)
        if rows.wait():
            sys.exit("zstd failed")
        return output.stdout

    def timelines(self, followees):
        """The newest posts of some users and those whom they follow."""
        readers = {}
        for user, authors in followees.items():
            for author in authors:
                readers.setdefault(author, []).append(user)
        found = {user: [] for user in followees}
        rows = self.rows("posts")
        for line in rows.stdout:
            post, author, created, _ = line.split(b"\t", 3)
            for user in readers.get(int(author), ()):
                found[user].append((-int(created), -int(post)))
        if rows.wait():
            sys.exit("zstd failed")
        return {user: [-post for _, post in sorted(posts)[:20]] for user, posts in found.items()}

    def change(self):
        """One follow, like and rename are answered; the process is killed; they are there."""
        sample = self.results["open"]["samples"][0]
        user, (target, _) = sample["user"], sample["suggestions"][0]
        name = f"flagship {time.time_ns()}"
        session = Session(self.kith, self.store, *self.form)
        post = next(
            post
            for post in sample["timeline"]
            if not session.ask(op="post", post=post, **{"as": user})["post"]["liked"]
        )
        changes = [
            session.ask(op="follow", user=user, target=target),
            session.ask(op="like", user=user, post=post),
            session.ask(op="renameUser", user=user, username=name),
        ]
        found = {"nanoseconds": [answer["ns"] for answer in changes], **session.memory()}
        session.kill()
        session = Session(self.kith, self.store, *self.form)
        follows = session.ask(op="isFollowing", user=user, target=target)["value"]
        likes = session.ask(op="post", post=post, **{"as": user})["post"]["liked"]
        if not follows or not likes or session.ask(op="user", user=user)["user"]["username"] != name:
            sys.exit("an answered change was lost")
        found["recovered"] = session.seconds()
        # As before, for the stages that compare.
        session.ask(op="unfollow", user=user, target=target)
        session.ask(op="unlike", user=user, post=post)
        session.ask(op="renameUser", user=user, username=sample["name"])
        session.end()
        return found

    def imported(self):
        """Exports everything to .tsv.zst files, and imports them into a new store of the same content."""
        files, copy = self.exported(), os.path.join(self.directory, "copy")
        shutil.rmtree(copy, ignore_errors=True)
        words = [word for kind in WHOLE for word in (f"--{kind}", os.path.join(files, f"{kind}.tsv.zst"))]
        scratch = sum(entry.stat().st_size for entry in os.scandir(files))
        _, used = self.run("import", copy, *words, *self.form)
        shutil.rmtree(files)
        hashes = [self.hashes(path) for path in (self.store, copy)]
        shutil.rmtree(copy)
        if hashes[0] != hashes[1]:
            sys.exit("the imported store differs from the one exported")
        return {**used, "scratchBytes": scratch}

    def hashes(self, store):
        """The hash of all columns in the oldest snapshot of a store."""
        path = self.snapshot(store)
        text, _ = self.run("inspect", path, "--json")
        left = sum(section["fileBytes"] for section in json.loads(text)["snapshots"][0]["sections"])
        found = hashlib.sha256()
        with open(path, "rb") as file:
            # The header is a skippable frame: it has the time and the store's name.
            file.seek(8 + int.from_bytes(file.read(8)[4:], "little"))
            while left > 0:
                piece = file.read(min(left, 1 << 20))
                found.update(piece)
                left -= len(piece)
        return found.hexdigest()


def syllables(number):
    return "".join("abdefgiklmnoprst"[number // place % 16] for place in (1, 16, 256))


if __name__ == "__main__":
    main()
