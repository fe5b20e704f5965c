"""Runs the commands of toot against the host."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from conftest import PASSWORD, Host
from mastodon import Mastodon


def toot(host: Host, config: str, *words: str) -> str:
    """The output of a command of toot."""
    program = [str(Path(sys.executable).parent / "toot"), *words]
    environment = {**os.environ, "XDG_CONFIG_HOME": config, "NO_COLOR": "1", "TOOT_COLOR": "false"}
    done = subprocess.run(program, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def test_toot(host: Host, people: dict[str, Mastodon], tmp_path: Path) -> None:
    config = str(tmp_path)
    people["ann"].status_post("hello #tea")
    toot(host, config, "login_cli", "-i", host.base, "-e", "dee", "-p", PASSWORD)
    assert "dee" in toot(host, config, "auth")
    for words in COMMANDS.strip().splitlines():
        toot(host, config, *words.split())
    posted = toot(host, config, "post", "from the command line", "--visibility", "unlisted")
    id = re.search(r"/@dee/(\d+)", posted)
    assert id and "from the command line" in toot(host, config, "status", id[1])
    for words in ("thread", "favourite", "unfavourite", "reblog", "unreblog", "bookmark", "unbookmark", "pin", "unpin"):
        toot(host, config, words, id[1])
    for words in ("reblogged-by", "delete"):
        toot(host, config, words, id[1])
    assert "hello" in toot(host, config, "timelines", "public", "--no-pager", "--limit", "40")


#: Commands that need no id.
COMMANDS = """
whoami
whois ann
instance
search tea
timelines home --no-pager
timelines account --no-pager ann
timelines tag --no-pager tea
bookmarks -1
timelines favourites --no-pager
timelines trending --no-pager
timeline -1
notifications
follow cem
unfollow cem
mute cem
muted
unmute cem
block cem
blocked
unblock cem
followers ann
following dee
follow-requests list
lists create pals
lists list
follow cem
lists add pals cem
lists accounts pals
timelines list --no-pager pals
lists remove pals cem
lists delete pals
tags follow tea
tags followed
tags unfollow tea
update-account --display-name Dee
"""
