# %% [markdown]
# # A social graph, explored
#
# Run the cells one by one in Jupyter or an editor that knows `# %%`, or all of them as a program:
#
#     python explore_graph.py [GRAPH]
#
# GRAPH is a store or a snapshot of Kith, or a file of follows: two numbers a line, the follower and the followed, as
# graphs are published (https://snap.stanford.edu; `#` begins a comment, `.gz` is read). Without one, a graph with
# skewed degrees is made. Needs matplotlib and networkx.

# %%
import os
import sys

import kith
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

path = os.environ.get("KITH_GRAPH") or next((each for each in sys.argv[1:] if os.path.exists(each)), None)


def from_follows(source: np.ndarray, target: np.ndarray) -> kith.Graph:
    """A graph in memory from the two ends of each follow, with a name for each user."""
    numbers, ends = np.unique(np.concatenate([source, target]), return_inverse=True)
    ids = ends + 1  # ids of Kith are 1 or more
    made = kith.Graph()
    made.import_users(np.arange(1, len(numbers) + 1), [f"user{number}" for number in numbers])
    report = made.import_follows(ids[: len(source)], ids[len(source) :])
    print(f"{report.added} follows, {report.duplicates} duplicates, {report.refused} refused")
    return made


if path is None:
    random = np.random.default_rng(7)
    graph = from_follows(random.integers(0, 3_000, 30_000), (3_000 * random.random(30_000) ** 3).astype(int))
else:
    try:
        graph = kith.open(path, read_only=True)
    except kith.NotAStoreError:
        source, target = np.loadtxt(path, dtype=np.int64, usecols=(0, 1), unpack=True, ndmin=2)
        graph = from_follows(source, target)
print(graph.counts())

# %% [markdown]
# ## Search
# Pages are sequences of rows. A text is decoded when it is read; `page.array` is the rows as a numpy array.

# %%
page = graph.search_users("1", order="popular", limit=10, counts_matches=True)
print(f"{page.total} users have a 1 in their name; the most followed:")
for user in page:
    print(f"  {user.username:12} {user.follower_count:6} followers")

# %% [markdown]
# ## Degrees
# How many users have how many followers: a straight line on two logarithmic axes is a power law.

# %%
degrees = graph.degree_distribution()
figure, axes = plt.subplots(figsize=(6, 4))
for name, buckets in (("followers", degrees.followers), ("followees", degrees.followees)):
    shown = buckets[buckets["degree"] > 0]
    axes.loglog(shown["degree"], shown["user_count"], ".", label=name)
axes.set(xlabel="number", ylabel="users", title="Degree distribution")
axes.legend()
plt.show()

# %% [markdown]
# ## Who matters
# PageRank runs on all cores, and its scores are arrays over the library's memory.

# %%
ranks = graph.page_rank()
components = graph.connected_components()
print(f"{len(components.components)} components; the largest has {components.components['user_count'][0]} users")
(center, _), *_ = ranks.top(1)
print("the highest PageRank:", graph.user(center))

# %% [markdown]
# ## A neighbourhood
# The newest followers of that user, and the follows among them, drawn with networkx.

# %%
shown = [center, *graph.followers(center, limit=30).ids.tolist()]
neighbourhood: nx.DiGraph = nx.DiGraph()
neighbourhood.add_nodes_from(shown)
for user in shown:
    found = graph.relations(user, shown)
    neighbourhood.add_edges_from((user, other) for other, each in zip(shown, found) if each.is_following)
names = {user.id: user.username for user in graph.users(shown) if user}
figure, axes = plt.subplots(figsize=(7, 6))
nx.draw_networkx(
    neighbourhood,
    nx.spring_layout(neighbourhood, seed=1),
    ax=axes,
    labels=names,
    font_size=7,
    node_size=120,
    node_color=["tab:red" if user == center else "tab:blue" for user in shown],
    edge_color="lightgrey",
)
axes.set_title(f"{names[center]} and {len(shown) - 1} followers: {neighbourhood.number_of_edges()} follows")
axes.axis("off")
plt.show()
