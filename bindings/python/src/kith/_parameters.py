"""What the parameters of queries and verbs mean: one sentence each, which help() shows with each function."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

ClassT = TypeVar("ClassT", bound=type[Any])

PARAMETERS = {
    "after": "posts at this time or later: a datetime, or milliseconds since 1970",
    "audience": '"everyone", "unlisted", "followers" of the author, or "mentioned": those whom it mentions',
    "audiences": "the audiences that posts may have; none for all",
    "at": "when: a datetime, or milliseconds since 1970; None for now",
    "author": "posts of this user alone",
    "before": "posts before this time: a datetime, or milliseconds since 1970",
    "body": "is called with the batch; what it returns is the result",
    "changes": "the changes, in order",
    "control": "reports progress and cancels from another thread",
    "counts_edges": "whether Page.total has the number of all edges",
    "counts_matches": "whether Page.total has the number of all matches",
    "created_at": "when: a datetime, or milliseconds since 1970; None for now",
    "cursor": "where the page begins: next or previous of a page of the same query; None for the first page",
    "damping": "the probability of following an edge, 0 to 1",
    "direction": 'towards "older" posts, or towards "newer" ones from a cursor or a time',
    "display_name": "a second name, which need not be unique, at most 255 bytes; empty for none",
    "edges": "PostEdge objects: what the post replies to, and other edges, made with it or not at all",
    "everyone": "the posts of all users",
    "excluded": "a user who is left out, by id or row; often the viewer",
    "follow_limit": "the most follows that are read; 0 for no limit. A page says whether it is_truncated",
    "folding": '"loose" ignores case and accents, "strict" case alone',
    "flags_all": "the flags that posts, or users of a search or suggestion, must all have, as a mask of 16 bits",
    "flags_any": "flags of which they must have one, as a mask; 0 for any",
    "flags_none": "flags that they must not have, as a mask",
    "followed_only": "posts of users whom the viewer follows alone; needs a viewer",
    "id": "the id; assigned unless given",
    "includes_authors": "whether each post has author_user, with counts",
    "includes_blocked": "whether users whom the viewer blocks are shown, too",
    "includes_cursor": "whether the row that the cursor is at is there, too",
    "includes_highlights": "whether rows have highlights: where the text matches, in bytes of UTF-8",
    "includes_replies": "whether replies are there",
    "includes_own_posts": "whether the user's own posts are there",
    "is_private": "whether only followers see the posts of the user",
    "leaves_out_muted": "whether users whom the viewer mutes are left out, and posts by them; needs a viewer",
    "kind": "the kind of the user or users, one of Schema.user_kinds; without one, user",
    "limit": "the most rows of a page, 1 to 1,000",
    "match": '"substring", "prefix", "exact", "fuzzy" (with typos) or "regex" (where it is built in)',
    "maximum_hops": "the longest path that is searched",
    "maximum_rounds": "the most rounds",
    "members": "with of, a relation from posts to users: the posts of the users whom its edges lead to, such as a list",
    "mentions": '"ofVisible" passes over posts that mention users who are muted or across a block',
    "names": '"either" searches usernames and display names, "username" these alone',
    "named_count": "how many mutuals each suggestion names",
    "of": "with members, the post that the edges lead from, by id or row",
    "order": "the order of the rows; the annotation has the words",
    "other": "the other user, by id or row",
    "post": "the post, by id or row",
    "relation": "the name of a relation, or a Relation",
    "replies": 'which replies are shown: "toFollowed": to whom the user follows; "toAuthor": of authors to themselves',
    "reposts": 'how often a post is shown: "once", "all" reposts, or "none"',
    "source": "where edges begin: a user or a post, by id or row",
    "target": "the user, post or end of the edge that it is about, by id or row",
    "text": "the text: of a post, or what is searched; a search without one finds everything",
    "tolerance": "the change of all scores together at which it ends",
    "user": "the user who acts or is asked about, by id or row",
    "username": "the name, exactly as it is to be kept or found",
    "viewer": "who looks, by id or row; VISITOR for who is no user. With None, all is seen, and no row is liked",
}


def described(cls: ClassT) -> ClassT:
    """Adds to the docstring of each public function of a class what its parameters mean."""
    for name, function in vars(cls).items():
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        names = [name for name in inspect.signature(function).parameters if name in PARAMETERS]
        if names:
            lines = "".join(f"\n        {name}: {PARAMETERS[name]}" for name in names)
            function.__doc__ = f"{inspect.cleandoc(function.__doc__)}\n\n    Parameters{lines}\n"
    return cls
