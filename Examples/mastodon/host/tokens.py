"""Passwords and tokens. A token names its owner; the owner's payload has the hash of its secret."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from typing import Any

import kith

from .store import Store, read_payload, to_payload

#: The most tokens that an account keeps: the oldest is forgotten.
MAXIMUM_TOKENS = 50


def digest(secret: str) -> str:
    """The hash of a secret that is long and random."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def hash_password(password: str, salt: bytes | None = None) -> str:
    """The hash of a password, with its salt."""
    salt = salt or secrets.token_bytes(16)
    made = hashlib.scrypt(password.encode("utf-8", "replace"), salt=salt, n=1 << 14, r=8, p=1)
    return f"{salt.hex()}:{made.hex()}"


def is_password(password: str, kept: str) -> bool:
    """Whether a password is the one of a hash."""
    salt, _, _ = kept.partition(":")
    return bool(kept) and hmac.compare_digest(hash_password(password, bytes.fromhex(salt)), kept)


def user_of(store: Store, token: str) -> tuple[kith.User | None, dict[str, Any]]:
    """The owner of a token, an account or an application, and what the token is for."""
    owner, _, secret = token.partition(".")
    if not re.fullmatch(r"[0-9]{1,18}", owner) or int(owner) < 1:
        return None, {}
    try:
        row = store.graph.user(int(owner), includes_payloads=True)
    except kith.UnknownUserError:
        return None, {}
    grant = read_payload(row).get("tokens", {}).get(digest(secret))
    return (row, grant) if grant else (None, {})


def add_token(store: Store, owner: int, app: str, scopes: str) -> dict[str, Any]:
    """Makes a token, and the answer that has it."""
    secret, now = secrets.token_urlsafe(32), int(time.time())

    def add(batch: kith.Batch) -> None:
        payload = read_payload(batch.user(owner, includes_payloads=True))
        tokens = payload.setdefault("tokens", {})
        while len(tokens) >= MAXIMUM_TOKENS:
            del tokens[next(iter(tokens))]
        tokens[digest(secret)] = {"app": app, "scopes": scopes}
        batch.edit_user(owner, payload=to_payload(payload))

    store.graph.batch(add)
    return {"access_token": f"{owner}.{secret}", "token_type": "Bearer", "scope": scopes, "created_at": now}


def remove_token(store: Store, token: str) -> None:
    """Takes a token back."""
    owner, _ = user_of(store, token)
    if owner is None:
        return

    def remove(batch: kith.Batch) -> None:
        payload = read_payload(batch.user(owner, includes_payloads=True))
        payload.get("tokens", {}).pop(digest(token.partition(".")[2]), None)
        batch.edit_user(owner, payload=to_payload(payload))

    store.graph.batch(remove)
