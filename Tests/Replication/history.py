#!/usr/bin/env python3
"""Checks a history of appends to lists and of reads of whole lists, from the answers to the clients alone.

history.py FILE checks the operations in FILE, one JSON object a line; history.py --plant spoils sound histories in
every way that it should notice, and ends with 1 if it misses one.

An operation has "client", "began", "ended" (seconds of one clock), and "outcome": "ok", "refused" or "doubt".
- {"op":"append","values":{LIST:VALUE, …},"position"?} appends a unique value to each list, to all or to none. One that
  was in doubt and repeated has no position.
- {"op":"read","list":LIST,"values":[VALUE, …],"kind":KIND,"token"?} read a whole list, the oldest value first: "plain"
  may be old, "token" has seen the record `token`, "linear" everything acknowledged before it began, "final" comes after
  all others.

What must hold: every read of a list is a beginning of the longest; a value is in it once, and its append was not
refused; what was acknowledged is in the final read; both values of an append are there, or none; and there
is an order of all operations with the order of each client, the real time of appends and linear reads, the order of
positions, and in which every read sees exactly the appends before it. That order exists if the graph of what must come
before what has no cycle, which is how Elle checks lists."""

import bisect
import json
import random
import sys


def check(operations):
    """What is wrong with a history; nothing if it is sound."""
    findings = []
    appends = [o for o in operations if o["op"] == "append"]
    reads = [o for o in operations if o["op"] == "read" and o["outcome"] == "ok"]
    writer = {}
    for append in appends:
        for name, value in append["values"].items():
            if (name, value) in writer:
                findings.append(f"{value} is appended twice to {name}: the history is not one of unique values")
            writer[name, value] = append
    orders = {}
    for read in reads:
        if len(read["values"]) > len(orders.get(read["list"], [])):
            orders[read["list"]] = read["values"]
    for name, order in orders.items():
        if len(set(order)) != len(order):
            findings.append(f"doubled in {name}: {sorted(v for v in set(order) if order.count(v) > 1)}")
        for value in order:
            append = writer.get((name, value))
            if append is None:
                findings.append(f"never written: {value} in {name}")
            elif append["outcome"] == "refused":
                findings.append(f"refused and read: {value} in {name}")
    for read in reads:
        if read["values"] != orders.get(read["list"], [])[: len(read["values"])]:
            findings.append(f"reordered or lost: client {read['client']} read {read['list']} in another order")
    final = {}
    for read in reads:
        if read["kind"] == "final":  # of every replica: what one lacks is missing
            final[read["list"]] = final.get(read["list"], set(read["values"])) & set(read["values"])
    for append in appends:
        found = [value in final.get(name, ()) for name, value in append["values"].items()]
        if append["outcome"] == "ok" and not all(found):
            findings.append(f"lost: {append['values']} at {append.get('position')}")
        if any(found) and not all(found):
            findings.append(f"half of an append: {append['values']}")
    findings += tokens(appends, reads)
    if not findings:
        findings += cycles(operations, orders, writer)
    return findings


def tokens(appends, reads):
    """Reads with a token see every record up to it; linear ones all that was acknowledged before they began."""
    findings = []
    done = [a for a in appends if a["outcome"] == "ok"]
    for read in reads:
        if read["kind"] not in ("token", "linear"):
            continue
        seen = set(read["values"])
        for append in done:
            value = append["values"].get(read["list"])
            if value is None or value in seen:
                continue
            position = append.get("position")
            if read["kind"] == "token" and position and position <= read["token"]:
                findings.append(f"stale: a read with token {read['token']} lacks {value} at {position}")
            if read["kind"] == "linear" and append["ended"] < read["began"]:
                findings.append(f"stale: a linear read lacks {value}, acknowledged before it began")
    return findings


def cycles(operations, orders, writer):
    """Operations that would each have to come before the other."""
    nodes = [o for o in operations if o["outcome"] == "ok"]
    index = {id(o): i for i, o in enumerate(nodes)}
    for name, order in orders.items():
        for value in order:  # in doubt, and read: it was made
            append = writer[name, value]
            if id(append) not in index:
                index[id(append)] = len(nodes)
                nodes.append(append)
    after = [set() for _ in nodes]

    def edge(first, second):
        if first is not second:
            after[index[id(first)]].add(index[id(second)])

    for name, order in orders.items():
        made = [writer[name, value] for value in order]
        for one, other in zip(made, made[1:]):
            edge(one, other)
        for read in nodes:
            if read["op"] == "read" and read["list"] == name:
                count = len(read["values"])
                if count:
                    edge(made[count - 1], read)
                if count < len(made):
                    edge(read, made[count])
    by_client = {}
    for node in sorted((n for n in nodes if n["outcome"] == "ok"), key=lambda n: n["began"]):
        if node["client"] in by_client:
            edge(by_client[node["client"]], node)
        by_client[node["client"]] = node
    placed = sorted((n for n in nodes if n.get("position")), key=lambda n: n["position"])
    for one, other in zip(placed, placed[1:]):
        if one["position"] < other["position"]:
            edge(one, other)
    # Real time: what ended before another began is before it. The positions order the appends, so the highest will do.
    ended = sorted((n for n in placed if n["outcome"] == "ok"), key=lambda n: n["ended"])
    ends, highest = [n["ended"] for n in ended], []
    for node in ended:
        highest.append(node if not highest or node["position"] > highest[-1]["position"] else highest[-1])
    for node in nodes:
        before = bisect.bisect_left(ends, node["began"])
        if before and node["outcome"] == "ok" and (node["op"] == "append" or node["kind"] in ("linear", "final")):
            edge(highest[before - 1], node)
    return [
        f"a cycle of {len(c)} operations: " + " → ".join(describe(nodes[i]) for i in c[:4])
        for c in components(after)
        if len(c) > 1
    ]


def describe(node):
    what = node["values"] if node["op"] == "append" else f"{node['kind']} read of {node['list']}"
    return f"client {node['client']} {what} at {node.get('position', node.get('token', '-'))}"


def components(after):
    """The strongly connected components, by Tarjan, without recursion."""
    order, low, on, stack, found = {}, {}, set(), [], []
    for root in range(len(after)):
        if root in order:
            continue
        work = [(root, iter(after[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on.add(other)
                    work.append((other, iter(after[other])))
                    break
                if other in on:
                    low[node] = min(low[node], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    component = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on.discard(component[-1])
                    found.append(component)
    return found


def sample(seed):
    """A sound history: a log that all clients see, each with a lag of its own."""
    rng = random.Random(seed)
    operations, log, seen, clock = [], [], [0, 0, 0], 0.0
    lists = ["x", "y", "z"]

    def view(name, upto):
        return [values[name] for values in log[:upto] if name in values]

    for number in range(300):
        client, clock = rng.randrange(3), clock + 1
        began = clock - rng.uniform(0, 0.9)
        if rng.random() < 0.5:
            names = rng.sample(lists, rng.choice([1, 1, 2]))
            outcome = rng.choice(["ok"] * 8 + ["refused", "doubt"])
            append = {
                "op": "append",
                "client": client,
                "began": began,
                "ended": clock,
                "outcome": outcome,
                "values": {name: f"{name}{number}" for name in names},
            }
            if outcome == "ok" or outcome == "doubt" and rng.random() < 0.5:
                log.append(append["values"])
                if outcome == "ok":
                    append["position"] = len(log)
                    seen[client] = len(log)
            operations.append(append)
        else:
            kind = rng.choice(["plain", "token", "linear"])
            token = rng.randint(0, len(log))
            least = {"plain": 0, "token": token, "linear": len(log)}[kind]
            seen[client] = rng.randint(max(seen[client], least), len(log))
            read = {
                "op": "read",
                "client": client,
                "began": began,
                "ended": clock,
                "outcome": "ok",
                "kind": kind,
                "list": rng.choice(lists),
            }
            if kind == "token":
                read["token"] = token
            operations.append({**read, "values": view(read["list"], seen[client])})
    for name in lists:
        operations.append(
            {
                "op": "read",
                "client": 9,
                "began": clock + 1,
                "ended": clock + 2,
                "outcome": "ok",
                "kind": "final",
                "list": name,
                "values": view(name, len(log)),
            }
        )
    return operations


def spoil(operations, how, rng):
    """Plants a fault; False if the history has no place for it."""
    reads = [o for o in operations if o["op"] == "read"]
    final = [r for r in reads if r["kind"] == "final"]
    if how == "lose an acknowledged append":
        read = rng.choice(final)
        sure = [v for a in operations if a["op"] == "append" and a["outcome"] == "ok" for v in a["values"].values()]
        value = rng.choice([v for v in read["values"] if v in sure])
        for one in reads:
            one["values"] = [v for v in one["values"] if v != value]
    elif how == "double an append":
        read = rng.choice(final)
        read["values"].append(rng.choice(read["values"]))
    elif how == "swap two in one read":
        read = rng.choice([r for r in reads if len(r["values"]) > 1])
        i = rng.randrange(len(read["values"]) - 1)
        read["values"][i : i + 2] = reversed(read["values"][i : i + 2])
    elif how == "swap two everywhere":
        read = rng.choice(final)
        i = rng.randrange(len(read["values"]) - 1)
        one, other = read["values"][i : i + 2]
        found = {v: a for a in operations if a["op"] == "append" for v in a["values"].values()}
        if found[one]["outcome"] != "ok" or found[other]["outcome"] != "ok":
            return False
        for r in reads:
            if one in r["values"] and other in r["values"]:
                i = r["values"].index(one)
                r["values"][i : i + 2] = [other, one]
            elif one in r["values"]:
                r["values"][r["values"].index(one)] = other
    elif how == "show what was refused":
        refused = [a for a in operations if a["outcome"] == "refused"]
        name, value = rng.choice(list(rng.choice(refused)["values"].items()))
        next(r for r in final if r["list"] == name)["values"].append(value)
    elif how == "keep half of an append":
        both = [a for a in operations if a["op"] == "append" and len(a["values"]) == 2 and a["outcome"] == "ok"]
        value = rng.choice(list(rng.choice(both)["values"].values()))
        for one in reads:
            one["values"] = [v for v in one["values"] if v != value]
    else:
        return spoil_reads(operations, reads, how, rng)
    return True


def spoil_reads(operations, reads, how, rng):
    """Plants a fault of reads that saw too little."""
    appends = [a for a in operations if a["op"] == "append" and a["outcome"] == "ok"]

    def missed(read, earlier):
        return any(earlier(a) and read["list"] in a["values"] for a in appends)

    if how == "a stale read with a token":
        old = [r for r in reads if r["kind"] == "token" and missed(r, lambda a, r=r: a["position"] <= r["token"])]
        rng.choice(old)["values"] = []
    elif how == "a stale linear read":
        linear = [r for r in reads if r["kind"] == "linear" and r["values"]]
        late = [r for r in linear if missed(r, lambda a, r=r: a["ended"] < r["began"])]
        rng.choice(late)["values"] = []
    elif how == "a client's reads go back":
        for client in (0, 1, 2):
            own = [r for r in reads if r["client"] == client and r["list"] == "x" and r["kind"] == "plain"]
            for one, other in zip(own, own[1:]):
                if one["values"]:
                    other["values"] = one["values"][:-1]
                    return True
        return False
    return True


FAULTS = [
    "lose an acknowledged append",
    "double an append",
    "swap two in one read",
    "swap two everywhere",
    "show what was refused",
    "keep half of an append",
    "a stale read with a token",
    "a stale linear read",
    "a client's reads go back",
]


def plant():
    missed = 0
    for seed in range(40):
        findings = check(sample(seed))
        if findings:
            print(f"seed {seed}: a sound history is refused: {findings[:3]}")
            missed += 1
        for how in FAULTS:
            spoiled = sample(seed)
            if spoil(spoiled, how, random.Random(seed)) and not check(spoiled):
                print(f"seed {seed}: nobody noticed: {how}")
                missed += 1
    print(f"{40 * len(FAULTS)} planted faults, {missed} problems")
    return missed


def main():
    if sys.argv[1:] == ["--plant"]:
        return 1 if plant() else 0
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    with open(sys.argv[1]) as file:
        operations = [json.loads(line) for line in file]
    findings = check(operations)
    print("\n".join(findings) or f"sound: {len(operations)} operations")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
