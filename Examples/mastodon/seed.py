"""Fills a host with a small network, as its clients would: ``python seed.py http://127.0.0.1:3000``."""

from __future__ import annotations

import sys

from mastodon import Mastodon

PASSWORD = "correct horse"
SCOPES = ["read", "write", "follow"]

#: Name, display name, biography, whom they follow.
PEOPLE = [
    ("ann", "Ann Arbor", "Botanist. Mosses, mostly. #moss", "bob cem eve"),
    ("bob", "Bob Fosse", "Bakes bread, breaks bikes.", "ann dee"),
    ("cem", "Cem Yılmaz", "Trains and timetables.", "ann bob dee"),
    ("dee", "Dee Dee", "Bass, loud.", "eve"),
    ("eve", "Ève Noël", "I read your letters.", "ann bob cem dee"),
]

#: A name for the status, its author, what it answers, its text.
STATUSES = [
    ("moss", "ann", None, "Found a cushion of #moss on the station roof. No one waters it."),
    ("roof", "cem", "moss", "@ann platform 3? It has been there since the canopy was built."),
    ("since", "ann", "roof", "@cem then it is older than the timetable. #moss"),
    ("bread", "bob", None, "Rye, 80 % hydration, a night in the cold. #bread"),
    ("crumb", "dee", "bread", "@bob show us the crumb"),
    ("show", "bob", "crumb", "@dee eaten before the camera was charged"),
    ("gig", "dee", None, "Tonight at the old mill, eight o'clock. Bring ears. #music"),
    ("late", "cem", None, "The 19:12 is eleven minutes late and I am at peace with it. #trains"),
    ("letters", "eve", None, "A letter from 1911, found in a library book: “the moss is well.” #moss"),
]

#: Who reposts, favourites and bookmarks what.
DEEDS = [
    ("bob", "reblog", "moss"),
    ("cem", "reblog", "letters"),
    ("ann", "favourite", "letters"),
    ("eve", "favourite", "moss"),
    ("dee", "favourite", "bread"),
    ("ann", "reblog", "bread"),
    ("ann", "bookmark", "late"),
]


def seed(base: str) -> None:
    """Registers the people, and has them write, follow and answer."""
    client, secret = Mastodon.create_app("seed", api_base_url=base, scopes=SCOPES)
    people = {}
    for name, display_name, note, _ in PEOPLE:
        people[name] = Mastodon(client, secret, api_base_url=base)
        people[name].create_account(name, PASSWORD, f"{name}@example.org", agreement=True, scopes=SCOPES)
        people[name].account_update_credentials(display_name=display_name, note=note)
    ids = {name: person.me().id for name, person in people.items()}
    for name, _, _, followees in PEOPLE:
        for followee in followees.split():
            people[name].account_follow(ids[followee])
    made: dict[str, str] = {}
    for key, author, parent, text in STATUSES:
        made[key] = people[author].status_post(text, in_reply_to_id=made.get(parent or "")).id
    for name, deed, key in DEEDS:
        getattr(people[name], f"status_{deed}")(made[key])
    station = people["ann"].list_create("station")
    people["ann"].list_accounts_add(station.id, [ids["cem"]])


if __name__ == "__main__":
    seed(sys.argv[1])
