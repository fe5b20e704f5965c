"""What the gap between Kith and its floor is made of: by how the names of measurements begin, the longest counts.

Written by hand; whoever changes what a row is made of changes its reason.
"""

# Sections of the page.
GROUPS = {
    "timeline": "Timelines", "timeline of two": "Questions over several hops",
    "search": "Search of names", "autocomplete": "Search of names", "fuzzy": "Search of names",
    "regex": "Search of names", "posts,": "Posts by their words", "posts added": "Posts by their words",
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
    "post, ", "change until", "fuzzy", "regex", "search, blocks", "autocomplete, blocks",
]

PAGE = (
    "the page is one object that outlives the lock: its counts, names and texts are read through pages that a pin may "
    "share, two loads where the floor has one"
)
STRINGS = "forty Strings, most of them allocations; the floor copies bytes"
CHANGE = (
    "ids to rows and their checks, the lock, both sides of the edge in blocks that a pin may share, counts and the "
    "order by popularity; the floor appends to one growing array each way and shares it with nobody"
)
GRAMS = (
    "the floor keeps a plain list of names for every one to three bytes, in several times the memory, and nobody can "
    "add a name to it; Kith keeps compressed lists of blocks of sixteen names, and looks into each block"
)
WORDS = (
    "the floor has a list of posts for every three bytes, 3.9 times the texts; Kith has one for every word, a fifth of "
    "the texts, and looks at the newest posts one by one"
)
BLOCKS = "beside it the same users before anybody was blocked or muted: whoever is found is looked up among them"

REASONS = {
    "timeline, first page, 10 followed": f"{PAGE}; of ten lists nearly all posts are elsewhere in memory",
    "timeline, first page": PAGE,
    **{f"timeline, first page, {n} followed, with its strings": STRINGS for n in ("10", "100", "1,000", "5,000")},
    **{f"timeline, {n} followed, blocks": BLOCKS for n in ("10", "100", "1,000", "5,000")},
    "search, blocks": BLOCKS, "autocomplete, blocks": BLOCKS,
    "timeline, pages": "a cursor is a key: each list is entered anew by a search; then the page as the first",
    "timeline, 90 days back": "each list whose newest post is newer is entered by a search; then the page as the first",
    "timeline of two hops": "followees of followees are gathered and marked through packed blocks; then the page",
    "search": GRAMS,
    "autocomplete": GRAMS,
    "search, common grams": "each three letters are common, all together rare: the blocks in common are looked into; "
                            "the floor compares single names",
    "posts,": WORDS,
    "isFollowing": "a lock, and ids to rows; then the same search in a list",
    "followers counted": "one number, read through a page",
    "likers": f"twenty users from all over memory; {PAGE}, and the ids of hosts are looked up",
    "follow": CHANGE, "unfollow": CHANGE, "like": CHANGE, "unlike": CHANGE,
    "post": "ids, columns, the author's list, the newest posts, and the words for the index",
    "unfollow one of": "a late edge is looked for among chunks of one second by its id",
    "change, flushed": "a frame with its hash, chained, and one call of the system, as the floor's",
    "change, synced": "the wait for the disk",
    "changes of 64 writers": "threads that wake each other: the flusher, then those whose changes are safe",
    "changes in batches": "each change is checked, numbered, encoded and applied; the floor writes the bytes alone",
    "changes replayed": "reading, checking hashes and decoding; then the same changes in memory",
    "mutual": "ids to rows and names; short lists are over before either has begun to hurry",
    "suggestions": "counts by user over all followees of followees; names and counts of twenty at last",
    "distance": "both sides meet after some thousand follows, read out of blocks and chunks that writers share",
    "PageRank": "the same order of reads; followers come out of packed blocks in place of one array",
    "connected": "followers come out of packed blocks in place of one array",
    "degree": "one number of each user, read through pages",
    "changes while": "a page is copied at its first write after a pin; beside it the same without one",
    "isFollowing, two": "beside it one reader: how much two threads cost each other",
    "isFollowing beside": "beside it a reader alone: what a writer that never stops costs",
    "change until": "two tasks wake each other; a bare continuation is woken once",
    "like, ": "beside it the same without live questions", "follow, ": "beside it the same without live questions",
    "post, ": "beside it the same without live questions",
    "fuzzy": "beside it a scan of all names in C",
    "regex": "beside it a search for the literal alone: the least that finding the names costs",
    "likes over": "beside it the same likes without any label",
    "posts added": "beside it the engine without the index: what folding and cutting into words costs",
}
