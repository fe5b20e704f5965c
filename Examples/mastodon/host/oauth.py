"""Applications and sign-in: OAuth's code flow with a plain page, and the grants that scripts use."""

from __future__ import annotations

import base64
import hashlib
import hmac
import html
import secrets
import time
from typing import Any
from urllib.parse import urlencode

import kith
from starlette.responses import HTMLResponse, RedirectResponse, Response

from .accounts import add_account
from .store import read_payload, to_payload
from .tokens import add_token, digest, is_password, remove_token
from .web import Call, Failure, invalid

#: The redirection that shows the code on a page.
SHOWN = "urn:ietf:wg:oauth:2.0:oob"
#: How long a code is valid. Codes are not kept: after a restart, one signs in again.
CODE_SECONDS = 600
_codes: dict[str, dict[str, Any]] = {}

PAGE = """<!doctype html><meta charset="utf-8"><title>Sign in</title>
<style>body {{ font: 16px sans-serif; max-width: 24em; margin: 4em auto }}
input {{ display: block; margin: 1em 0 }}</style>
<h1>{title}</h1><p>{text}</p>{form}"""
FORM = """<form method="post" action="/oauth/authorize">{hidden}
<input name="username" placeholder="Name" autofocus><input name="password" type="password" placeholder="Password">
<button>Authorize</button></form>"""
_ASKED = ("client_id", "redirect_uri", "scope", "state", "code_challenge", "code_challenge_method", "response_type")


def register_app(call: Call) -> Any:
    """POST /api/v1/apps"""
    name = call.text("client_name")
    addresses = [line for value in call.values.get("redirect_uris", []) for line in str(value).split()]
    if not name or not addresses or any(line.lower().startswith(("javascript:", "data:")) for line in addresses):
        raise invalid("client_name and redirect_uris are needed")
    client, secret = secrets.token_hex(16), secrets.token_urlsafe(32)
    payload = {
        "name": name[:200],
        "website": call.text("website")[:500],
        "redirect_uris": addresses[:20],
        "scopes": call.text("scopes", "read")[:1000] or "read",
        "secret": digest(secret),
    }
    id = call.graph.add_user(client, kind="application", payload=to_payload(payload))
    return {
        **application(payload),
        "id": str(id),
        "redirect_uri": "\n".join(addresses),
        "redirect_uris": addresses,
        "client_id": client,
        "client_secret": secret,
        "client_secret_expires_at": 0,
        "vapid_key": "",
    }


def application(payload: dict[str, Any]) -> dict[str, Any]:
    """What is shown of an application."""
    scopes = payload.get("scopes", "read").split()
    return {"name": payload.get("name", ""), "website": payload.get("website") or None, "scopes": scopes}


def verify_app(call: Call) -> Any:
    """GET /api/v1/apps/verify_credentials"""
    if call.owner is None:
        raise Failure(401, "The access token is invalid")
    app = call.graph.find_user(call.grant["app"], "application")
    if app is None:
        raise Failure(401, "The access token is invalid")
    return application(read_payload(call.graph.user(app, includes_payloads=True)))


def _app(call: Call) -> tuple[int, dict[str, Any]]:
    """The application whose client_id is given."""
    client = call.text("client_id")
    id = call.graph.find_user(client, "application") if 0 < len(client) <= 64 else None
    if id is None:
        raise Failure(401, "Client authentication failed due to unknown client")
    return id, read_payload(call.graph.user(id, includes_payloads=True))


def _scopes(call: Call, app: dict[str, Any], asked: str) -> str:
    """The scopes that are asked for, if the application has registered them."""
    registered = app.get("scopes", "read").split()
    for scope in asked.split():
        if scope not in registered and scope.split(":")[0] not in registered:
            raise Failure(400, "The requested scope is invalid, unknown, or malformed")
    return asked or "read"


def _signed_in(call: Call) -> int | None:
    """The account whose name and password are given."""
    name = call.text("username").lstrip("@").partition("@")[0]
    id = call.graph.find_user(name) if 0 < len(name) <= 30 else None
    if id is None:
        return None
    payload = read_payload(call.graph.user(id, includes_payloads=True))
    return id if is_password(call.text("password"), payload.get("password", "")) else None


def authorize(call: Call) -> Response:
    """GET and POST /oauth/authorize: the page, and what it sends."""
    _, app = _app(call)
    address, scopes = call.text("redirect_uri"), _scopes(call, app, call.text("scope"))
    if address not in app["redirect_uris"]:
        raise Failure(400, "The redirect uri included is not valid")
    if call.request.method == "GET":
        return _page(call, app, scopes, 200)
    user = _signed_in(call)
    if user is None:
        return _page(call, app, "The name or the password is wrong.", 401)
    code, now = secrets.token_urlsafe(32), time.monotonic()
    for old in [old for old, entry in _codes.items() if entry["until"] < now]:
        _codes.pop(old, None)
    _codes[code] = {
        "user": user,
        "app": call.text("client_id"),
        "address": address,
        "scopes": scopes,
        "challenge": call.text("code_challenge"),
        "method": call.text("code_challenge_method"),
        "until": now + CODE_SECONDS,
    }
    if address == SHOWN:
        return HTMLResponse(PAGE.format(title="Authorized", text=f"<code>{code}</code>", form=""))
    state = [("state", call.text("state"))] if call.text("state") else []
    sign = "&" if "?" in address else "?"
    return RedirectResponse(f"{address}{sign}{urlencode([('code', code), *state])}", 302)


def _page(call: Call, app: dict[str, Any], text: str, status: int) -> Response:
    hidden = "".join(f'<input type="hidden" name="{name}" value="{html.escape(call.text(name))}">' for name in _ASKED)
    title = f"{html.escape(app['name'])} asks for access"
    made = PAGE.format(title=title, text=html.escape(text), form=FORM.format(hidden=hidden))
    return HTMLResponse(made, status, headers={"Content-Security-Policy": "frame-ancestors 'none'"})


def token(call: Call) -> Any:
    """POST /oauth/token"""
    id, app = _app(call)
    client, kind = call.text("client_id"), call.text("grant_type")
    secret = call.text("client_secret")
    if secret or kind != "authorization_code":
        is_client = hmac.compare_digest(digest(secret), app["secret"])
    else:
        is_client = bool(_codes.get(call.text("code"), {}).get("challenge"))  # a public client
    if not is_client:
        raise Failure(401, "Client authentication failed")
    if kind == "client_credentials":
        return add_token(call.store, id, client, _scopes(call, app, call.text("scope")))
    if kind == "password":
        user = _signed_in(call)
        if user is None:
            raise Failure(400, "The provided authorization grant is invalid")
        return add_token(call.store, user, client, _scopes(call, app, call.text("scope")))
    if kind != "authorization_code":
        raise Failure(400, "The authorization grant type is not supported")
    entry = _codes.pop(call.text("code"), None)
    if (
        entry is None
        or entry["until"] < time.monotonic()
        or (entry["app"], entry["address"]) != (client, call.text("redirect_uri"))
        or not _is_verified(entry, call.text("code_verifier"))
    ):
        raise Failure(400, "The provided authorization grant is invalid")
    return add_token(call.store, entry["user"], client, entry["scopes"])


def _is_verified(entry: dict[str, Any], verifier: str) -> bool:
    """Whether a verifier is the one of a code's challenge, if it has one."""
    if not entry["challenge"]:
        return True
    if entry["method"] == "S256":
        verifier = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return hmac.compare_digest(verifier.encode(), entry["challenge"].encode())


def revoke(call: Call) -> Any:
    """POST /oauth/revoke"""
    _, app = _app(call)
    if not hmac.compare_digest(digest(call.text("client_secret")), app["secret"]):
        raise Failure(403, "You are not authorized to revoke this token")
    remove_token(call.store, call.text("token"))
    return {}


def register_account(call: Call) -> Any:
    """POST /api/v1/accounts, with the token of an application"""
    if call.owner is None or call.me is not None:
        raise Failure(401, "The access token is invalid")
    if not call.flag("agreement"):
        raise invalid("Agreement must be accepted")
    try:
        id = add_account(call.store, call.text("username"), call.text("password"))
    except kith.UsernameTakenError:
        raise invalid("Username has already been taken") from None
    return add_token(call.store, id, call.grant["app"], call.grant["scopes"])
