"""Logs that are broken on purpose, each with a script that shows it: the checker must notice."""

import random
import time

from fault_kinds import DOUBLING


def replacing(function, *pairs):
    """A change of one function's text."""
    text = f"pg_get_functiondef('kith.{function}'::regproc)"
    for old, new in pairs:
        text = f"replace({text}, $old${old}$old$, $new${new}$new$)"
    return (
        f"DO $do$ DECLARE old text := pg_get_functiondef('kith.{function}'::regproc); changed text := {text}; "
        f"BEGIN ASSERT old <> changed; EXECUTE changed; END $do$;"
    )


def lose_primary(run, load):
    """The standbys are cut off for a second before the primary is killed."""
    time.sleep(1)
    old = run.cluster.primary
    links = run.cut_standbys()
    time.sleep(1)
    for _ in range(6):
        old.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        time.sleep(0.5)
    old.kill()
    run.cluster.fail_over()
    time.sleep(1)
    run.cluster.rejoin(old)
    for link in links:
        run.proxy.heal(link)
    time.sleep(3)


def empty_names(run, load):
    """The standbys are cut off, and the names emptied while changes wait, before the primary is killed."""
    time.sleep(1)
    old = run.cluster.primary
    links = run.cut_standbys()
    time.sleep(0.5)
    for statement in ("ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()"):
        old.sql(statement)
    time.sleep(3)
    old.kill()
    run.cluster.fail_over()
    time.sleep(1)
    run.cluster.rejoin(old)
    for link in links:
        run.proxy.heal(link)
    time.sleep(3)


def write_on(run, load):
    time.sleep(5)


LOCAL = "set_config('synchronous_commit', 'local', true)"

# The commit's answer is believed: no check of what the standbys have, neither before it nor after.
UNASKED = replacing("begin_commit", ("IF standbys.o_connected < standbys.o_needed THEN", "IF false THEN"))
BELIEVED = UNASKED + replacing("await_quorum", ("EXIT WHEN standbys.o_flushed >= standbys.o_needed;", "EXIT;"))
CONTROLS = {
    "asynchronous commit": (
        BELIEVED + replacing("begin_commit", ("set_config('synchronous_commit', 'on', true)", LOCAL)),
        lose_primary,
    ),
    "no confirmation": (BELIEVED, lose_primary),
    "emptied names": (
        replacing(
            "check_settings", ("IF p_demanded OR (SELECT requires_quorum FROM kith.settings) THEN", "IF false THEN")
        ),
        empty_names,
    ),
    "a sequence instead of the lock": (
        "CREATE SEQUENCE kith.counter;"
        + replacing(
            "append",
            ("PERFORM pg_advisory_xact_lock(7235429224);", ""),
            ("o_position := coalesce(last.position, 0) + 1;", "o_position := nextval('kith.counter');"),
        ),
        write_on,
    ),
    "no check of the serial": (replacing("append", ("IF FOUND THEN", "IF false THEN")) + DOUBLING, write_on),
}


def cut_power(run, load):
    """A power cut while clients write."""
    time.sleep(3)
    run.power_cut(random.Random(0))
    time.sleep(1)


OFF = LOCAL.replace("local'", "off'")
POWER_CONTROLS = {
    "no sync before the answer": (
        BELIEVED + replacing("begin_commit", ("set_config('synchronous_commit', 'on', true)", OFF)),
        cut_power,
    ),
}
