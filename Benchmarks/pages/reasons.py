"""What the gap between Kith and its floor is made of: by how the names of measurements begin, the longest counts.

Written by hand; whoever changes what a row is made of changes its reason.
"""

# Sections of the page.
GROUPS = {
    "timeline": "Timelines", "timeline of two": "Questions over several hops",
    "search": "Search of names", "autocomplete": "Search of names", "fuzzy": "Search of names",
    "regex": "Search of names", "posts,": "Posts by their words", "posts added": "Posts by their words",
    "a post added": "Posts by their words",
    "mutual": "Questions over several hops", "suggestions": "Questions over several hops",
    "distance": "Questions over several hops",
    "PageRank": "Passes", "connected": "Passes", "degree": "Passes",
    "isFollowing": "Lookups", "followers counted": "Lookups", "likers": "Lookups",
    "isFollowing, one": "Several threads", "isFollowing, two": "Several threads",
    "isFollowing beside": "Several threads", "pin": "Several threads", "changes while": "Several threads",
    "follow": "Changes", "unfollow": "Changes", "like": "Changes", "unlike": "Changes", "post": "Changes",
    "change, ": "Changes and their journal", "changes": "Changes and their journal",
    "change until": "Live answers", "likes over": "Live answers", "like, ": "Live answers",
    "follow, ": "Live answers", "post, ": "Live answers",
}

# In the place of the floor stands Kith itself without what is measured, or a search that does less.
NOT_FLOORS = [
    "isFollowing beside", "isFollowing, two", "changes while", "posts added", "likes over", "like, ", "follow, ",
    "post, ", "a post added", "change until", "fuzzy", "regex", "search, blocks", "autocomplete, blocks",
]

# What several rows have in common, named in brackets.
NOTES = {
    "page": "A page is one object that outlives the lock. Its counts, names and texts are read through pages of memory "
            "that a pin may share, two loads where the floor has one; ids are the host's own and are looked up.",
    "strings": "Up to forty Strings, most of them allocations; the floor copies bytes.",
    "edge": "Ids to rows and their checks, the lock, both sides of the edge in packed blocks that a pin may share, "
            "counts, and the order by popularity. The floor appends to one growing array each way, and shares it with "
            "nobody.",
    "names": "The floor keeps a plain list of names for every one to three bytes, in several times the memory, and "
             "nobody can add a name to it. Kith keeps compressed lists of blocks of sixteen names, looks into each "
             "block, and into the names that came last.",
    "words": "The floor has a list of posts for every three bytes, 3.9 times the texts. Kith has one for every word, a "
             "fifth of the texts: a frequent word is looked for in the newest posts themselves, one by one, and a part "
             "of a word first among all words.",
    "blocks": "Edges come out of packed blocks of several users, which a writer can add to; the floor's lie in one "
              "array.",
}

REASONS = {
    "timeline, first page": "[page]",
    **{f"timeline, first page, {n} followed, with its strings": "[page], [strings]"
       for n in ("10", "100", "1,000", "5,000")},
    **{f"timeline, first page, {n} followed, ids alone": "[blocks]" for n in ("10", "100", "1,000", "5,000")},
    **{f"timeline, {n} followed, blocks": "beside it before anybody was blocked or muted"
       for n in ("10", "100", "1,000", "5,000")},
    "search, blocks": "beside it before anybody was blocked or muted",
    "autocomplete, blocks": "beside it before anybody was blocked or muted",
    "timeline, pages": "each list with newer posts is entered by a search for the cursor; [page]",
    "timeline, 90 days back": "each list with newer posts is entered by a search, whose place two times confirm; or "
                              "all posts are walked backwards, each read by a row of its own; [page]",
    "timeline of two hops": "[blocks], [page]",
    "search, any part": "[names], [page]",
    "autocomplete": "[names], [page]",
    "search, common grams": "[names]; each three letters are common, all together rare",
    "posts,": "[words], [page]",
    "isFollowing": "a lock, and ids to rows; then the same search in a list",
    "followers counted": "one number, read through a page of memory",
    "likers": "twenty users from all over memory; [page]",
    "follow": "[edge]", "unfollow": "[edge]", "like": "[edge]", "unlike": "[edge]",
    "a post added": "beside it the engine without the index: cutting into words, and the newest posts' bits",
    "posts added": "beside it the engine without the index: folding, cutting into words, building segments",
    "change, flushed": "a frame with its hash, chained to the one before, then the same call of the system",
    "change, synced": "the wait for the disk",
    "changes of 64 writers": "threads that wake each other: the flusher, then all whose changes are safe",
    "changes in batches": "each change is checked, numbered, encoded and applied; the floor writes the bytes alone",
    "changes replayed": "read, hashed and decoded; then the same changes as in memory, which are the floor",
    "mutual": "ids to rows; [blocks]", "mutual followees, first page": "ids to rows; [blocks], [page]",
    "suggestions": "[blocks], [page]",
    "distance": "ids to rows; [blocks]",
    "PageRank": "[blocks]",
    "changes while": "beside it without one: a page of memory is copied at its first write after the pin",
    "isFollowing, two": "beside it one reader: what two threads cost each other",
    "isFollowing beside": "beside it a reader alone: what a writer that never stops costs",
    "change until": "two tasks wake each other; in the floor a bare continuation is woken once",
    "like, ": "beside it without live questions", "follow, ": "beside it without live questions",
    "post, ": "beside it without live questions",
    "likes over": "beside it without any label: every label gets its answer",
    "fuzzy": "beside it a scan of all names in C",
    "regex": "beside it a search for the literal alone: the least that finding the names costs",
}
