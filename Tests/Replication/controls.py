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
    for _ in range(3):
        old.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        time.sleep(0.5)
    old.kill()
    run.cluster.fail_over()
    time.sleep(1)
    run.cluster.rejoin(old)
    for link in links:
        run.proxy.heal(link)
    time.sleep(3)


def write_on(run, load):
    time.sleep(5)


LOCAL = "PERFORM set_config('synchronous_commit', 'local', true);"
CONTROLS = {
    "asynchronous commit": (
        replacing("append", ("PERFORM pg_notify", LOCAL + " PERFORM pg_notify"))
        + replacing("confirm", ("PERFORM pg_logical", LOCAL + " PERFORM pg_logical")),
        lose_primary,
    ),
    "no confirmation": (replacing("confirm", ("PERFORM pg_logical_emit_message(true, 'kith', '');", "")), lose_primary),
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
        replacing("append", ("PERFORM pg_notify", OFF + " PERFORM pg_notify"))
        + replacing("confirm", ("PERFORM pg_logical", OFF + " PERFORM pg_logical")),
        cut_power,
    ),
}
