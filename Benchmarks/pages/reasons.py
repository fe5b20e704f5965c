"""The reasons for the gap between Kith and its baseline, by prefixes of measurement names: the longest prefix counts.

Written by hand: a change of a measurement changes its reason here.
"""

# Measured beside other threads, and compared with the same alone.
BESIDE = {
    "isFollowing beside": "a writer changes lists of two users and the reader's slot in turn; alone it never waits",
    "isFollowing of 64 readers": "64 threads on the machine's cores, and a writer; compared with one reader alone",
    "reads of two": "two readers compared with one",
    "reads beside": "the waits for changes, and the cache lines that both threads write",
    "changes beside": "the waits for readers, and the cache lines that both threads write",
    "follow or unfollow beside": "the same; single changes compared with those of a lone writer",
    "no change beside": "the clock alone, and what the host takes away",
    **{
        f"{change} beside snapshots": "while snapshots are written one after the other; compared with none"
        for change in ("user added", "post added", "follow", "like")
    },
    **{
        f"{change} beside pins": "a memory page is copied at its first write after each pin; compared with none"
        for change in ("user added", "post added", "follow", "like")
    },
}

# Sections of the page.
GROUPS = {
    "timeline": "Timelines",
    "timeline of two": "Queries over several hops",
    "search": "User search",
    "autocomplete": "User search",
    "fuzzy": "User search",
    "regex": "User search",
    "posts,": "Post search",
    "posts added": "Post search",
    "a post added": "Post search",
    "mutual": "Queries over several hops",
    "suggestions": "Queries over several hops",
    "distance": "Queries over several hops",
    "PageRank": "Passes",
    "connected": "Passes",
    "degree": "Passes",
    "isFollowing": "Lookups",
    "followers counted": "Lookups",
    "likers": "Lookups",
    **dict.fromkeys(BESIDE, "Several threads"),
    "pin": "Several threads",
    "changes while": "Several threads",
    "follow": "Changes",
    "unfollow": "Changes",
    "like": "Changes",
    "unlike": "Changes",
    "post": "Changes",
    "change, ": "Durable changes",
    "changes": "Durable changes",
    "change until": "Live queries",
    "likes over": "Live queries",
    "like, ": "Live queries",
    "follow, ": "Live queries",
    "post, ": "Live queries",
}

# Here the baseline is Kith itself without the measured feature, or a simpler search.
NOT_BASELINES = [
    *BESIDE,
    "changes while",
    "posts added",
    "likes over",
    "like, ",
    "follow, ",
    "post, ",
    "a post added",
    "change until",
    "fuzzy",
    "regex",
    "search, blocks",
    "autocomplete, blocks",
]

# Reasons of several rows, named in brackets.
NOTES = {
    "page": "A page is one object that outlives the lock. Its counts, names and texts are read through memory pages "
    "that a pin may share: two loads instead of the baseline's one. Ids are chosen by the host and looked "
    "up.",
    "strings": "Up to forty Strings, most of them allocated; the baseline copies bytes.",
    "edge": "Lookup and checks of ids, the lock, both directions of the edge in packed blocks that a pin may share, "
    "counts, and the order by popularity. The baseline appends to one growing, unshared array for each "
    "direction.",
    "names": "The baseline keeps a plain list of names for every one to three bytes, in several times the memory, "
    "and cannot add a name. Kith keeps compressed lists of blocks of sixteen names, and checks each block "
    "and the memtable.",
    "words": "The baseline has a list of posts for every three bytes, 3.9 times the size of the texts. Kith has one "
    "for every word, a fifth of their size. A frequent word is searched in the newest posts one by one, a "
    "part of a word first among all words.",
    "blocks": "Edges are read from packed blocks of several users, which a writer can extend; the baseline's are in "
    "one array.",
}

REASONS = {
    "timeline, first page": "[page]",
    **{
        f"timeline, first page, {n} followed, with its strings": "[page], [strings]"
        for n in ("10", "100", "1,000", "5,000")
    },
    **{f"timeline, first page, {n} followed, ids alone": "[blocks]" for n in ("10", "100", "1,000", "5,000")},
    **{
        f"timeline, {n} followed, blocks": "compared with the same before blocks and mutes"
        for n in ("10", "100", "1,000", "5,000")
    },
    "search, blocks": "compared with the same before blocks and mutes",
    "autocomplete, blocks": "compared with the same before blocks and mutes",
    "timeline, pages": "each list with newer posts is searched for the cursor; [page]",
    "timeline, 90 days back": "each list with newer posts is searched, and two times confirm the place; or all posts "
    "are scanned backwards, each in a row of its own; [page]",
    "timeline of two hops": "[blocks], [page]",
    "search, any part": "[names], [page]",
    "autocomplete": "[names], [page]",
    "search, common grams": "[names]; each three letters are common, all of them together rare",
    "posts,": "[words], [page]",
    "isFollowing": "a lock, and lookup of ids; then the same search in a list",
    "followers counted": "one number, read through a memory page",
    "likers": "twenty users in different cache lines; [page]",
    "follow": "[edge]",
    "unfollow": "[edge]",
    "like": "[edge]",
    "unlike": "[edge]",
    "a post added": "compared with the engine without the index: splitting into words, and the bits of the newest "
    "posts",
    "posts added": "compared with the engine without the index: folding, splitting into words, building segments",
    "change, flushed": "a frame with its hash, chained to the one before, then the same call of the system",
    "change, synced": "the wait for the disk",
    "changes of 64 writers": "threads wake each other: the flusher, then all writers whose changes are durable",
    "changes in batches": "each change is checked, numbered, encoded and applied; the baseline only writes the bytes",
    "changes replayed": "read, hashed and decoded; then the same changes as in memory, which are the baseline",
    "mutual": "lookup of ids; [blocks]",
    "mutual followees, first page": "lookup of ids; [blocks], [page]",
    "suggestions": "[blocks], [page]",
    "distance": "lookup of ids; [blocks]",
    "PageRank": "[blocks]",
    "changes while": "compared with changes without a pin: a memory page is copied at its first write after the pin",
    **BESIDE,
    "change until": "two tasks wake each other; in the baseline a bare continuation is woken once",
    "like, ": "compared with no live query",
    "follow, ": "compared with no live query",
    "post, ": "compared with no live query",
    "likes over": "compared with no label: every label gets its value",
    "fuzzy": "compared with a scan of all names in C",
    "regex": "compared with a search for the literal: the least cost of finding the names",
}
