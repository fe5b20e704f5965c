"""Requests and answers: parameters in all the forms that the API takes, who asks, and errors as it documents them."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

import kith
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from .store import Store
from .tokens import user_of

#: The most bytes of a body without files, and of an uploaded file.
MAXIMUM_BODY, MAXIMUM_FILE = 1 << 20, 16 << 20

STATUSES = {
    "unknownUser": 404,
    "unknownPost": 404,
    "blocked": 403,
    "cannotFollowSelf": 403,
    "closed": 503,
    "journalFailed": 503,
    "system": 503,
    "limitExceeded": 503,
    "indeterminate": 503,
}


class Failure(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def not_found() -> Failure:
    """What is answered for what does not exist, and for what the viewer may not see."""
    return Failure(404, "Record not found")


def invalid(message: str) -> Failure:
    """What is answered for a parameter that is refused."""
    return Failure(422, f"Validation failed: {message}")


def forbidden() -> Failure:
    """What is answered for what is seen, but not allowed."""
    return Failure(403, "This action is not allowed")


def to_id(text: Any) -> int:
    """An id of a path or a parameter."""
    if not re.fullmatch(r"[0-9]{1,19}", str(text)) or not 0 < int(text) < 1 << 63:
        raise not_found()
    return int(text)


def flatten(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """A JSON object in the form of a query: ``{"a": {"b": 1}, "c": [2]}`` becomes ``a[b]=1`` and ``c=2``."""
    if isinstance(value, dict):
        return [pair for key, item in value.items() for pair in flatten(item, f"{name}[{key}]" if name else str(key))]
    if isinstance(value, list):
        pairs = [(f"{name}[{i}]", v) if isinstance(v, dict) else (name, v) for i, v in enumerate(value)]
        return [pair for key, item in pairs for pair in flatten(item, key)]
    if value is None:
        return []
    return [(name, str(value).lower() if isinstance(value, bool) else str(value))]


class Call:
    """One request, with its parameters and the user who asks; ``me`` is None for a visitor."""

    def __init__(self, store: Store, graph: Any, request: Request, pairs: list[tuple[str, Any]]) -> None:
        #: ``graph`` is a pin if the request only reads.
        self.store, self.graph, self.request = store, graph, request
        self.base = str(request.base_url).rstrip("/")
        self.values: dict[str, list[Any]] = {}
        for name, value in pairs:
            self.values.setdefault(name[:-2] if name.endswith("[]") else name, []).append(value)
        header = request.headers.get("authorization", "")
        kind, _, token = header.partition(" ")
        token = token.strip() if kind.lower() == "bearer" else str(request.query_params.get("access_token", ""))
        self.token = token or None
        #: Set for a valid token: its owner, an account or an application, and its entry.
        self.owner, self.grant = user_of(store, token) if token else (None, {})
        self.me = self.owner.id if self.owner is not None and self.owner.kind == "user" else None

    @property
    def viewer(self) -> int:
        """Who looks, for calls that take a viewer."""
        return kith.VISITOR if self.me is None else self.me

    @property
    def reader(self) -> int:
        """Who looks, for timelines, which belong to a user."""
        return self.store.visitor if self.me is None else self.me

    @property
    def user(self) -> int:
        """The user who asks; an error for a visitor."""
        if self.me is None:
            raise Failure(401, "The access token is invalid" if self.token else "This method requires a token")
        return self.me

    def need_user(self) -> None:
        """Refuses a visitor."""
        _ = self.user

    def id(self, name: str = "id") -> int:
        """An id in the path."""
        return to_id(self.request.path_params[name])

    def text(self, name: str, default: str = "") -> str:
        """A parameter that is given once."""
        value = self.values.get(name, [default])[-1]
        if not isinstance(value, str):
            raise invalid(f"{name} is no text")
        if "\0" in value or any("\ud800" <= each <= "\udfff" for each in value):
            raise invalid(f"{name} is no valid text")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """A parameter that is true or false."""
        return self.text(name, str(default)).lower() in ("true", "1", "on", "t")

    def ids(self, name: str) -> list[int]:
        """A parameter that is a list of ids."""
        return [to_id(value) for value in self.values.get(name, [])][:1000]

    def limit(self, default: int = 20, maximum: int = 40) -> int:
        """How many items are asked for."""
        text = self.text("limit")
        return max(1, min(int(text), maximum)) if re.fullmatch(r"[0-9]{1,9}", text) else default

    def file(self, name: str) -> UploadFile | None:
        """An uploaded file."""
        found = self.values.get(name, [None])[-1]
        return found if isinstance(found, UploadFile) else None

    def page(self, items: Any, older: str | None, newer: str | None) -> Response:
        """A page with the links to the pages beside it."""
        response = JSONResponse(items)
        asked = [
            (name, value)
            for name, value in self.request.query_params.multi_items()
            if name not in ("max_id", "since_id", "min_id", "access_token")
        ]
        links = []
        for relation, name, value in (("next", "max_id", older), ("prev", "min_id", newer)):
            if value is not None:
                address = f"{self.base}{self.request.url.path}?{urlencode([*asked, (name, value)])}"
                links.append(f'<{address}>; rel="{relation}"')
        if links:
            response.headers["Link"] = ", ".join(links)
        return response


async def read_parameters(request: Request) -> list[tuple[str, Any]]:
    """The parameters of the query and of the body."""
    pairs: list[tuple[str, Any]] = list(request.query_params.multi_items())
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    # Mastodon.py asks for familiar followers with a JSON body.
    if request.method in ("GET", "HEAD") and kind != "application/json":
        return pairs
    if kind == "multipart/form-data":
        # Files are received before their sizes are known: the whole body has a limit, too.
        length = request.headers.get("content-length", "")
        if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAXIMUM_FILE + MAXIMUM_BODY:
            raise Failure(413, "The body is too large, or of no known length")
        form = await request.form(max_files=8, max_fields=200)
        return pairs + list(form.multi_items())
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAXIMUM_BODY:
            raise Failure(413, "The body is too large")
    if kind == "application/json" and body.strip():
        try:
            made = json.loads(body)
            flat = flatten(made)
        except (ValueError, RecursionError):
            raise Failure(400, "The body is no valid JSON") from None
        if not isinstance(made, dict):
            raise Failure(400, "The body is no JSON object")
        return pairs + flat
    request._body = body  # the form below reads it again
    return pairs + list((await request.form()).multi_items())


def endpoint(store: Store, handler: Callable[[Call], Any]) -> Callable[[Request], Awaitable[Response]]:
    """A handler, which runs in a thread, as an endpoint. What it returns is the JSON of the answer."""

    async def run(request: Request) -> Response:
        pairs = await read_parameters(request)

        def answer() -> Response:
            if request.method not in ("GET", "HEAD"):
                return answer_on(store.graph)
            # All queries of one answer see one version of the graph.
            with store.graph.pin() as pin:
                return answer_on(pin)

        def answer_on(graph: Any) -> Response:
            call = Call(store, graph, request, pairs)
            if call.owner is not None and request.url.path.startswith("/api/"):
                check_scope(call)
            made = handler(call)
            return made if isinstance(made, Response) else JSONResponse(made)

        return await run_in_threadpool(answer)

    return run


def check_scope(call: Call) -> None:
    """Refuses what the scopes of a token do not allow."""
    wanted = ("read", "profile") if call.request.method in ("GET", "HEAD") else ("write", "follow", "push")
    scopes = call.grant.get("scopes", "read").split()
    if not any(scope.split(":")[0] in wanted for scope in scopes):
        raise Failure(403, "This action is outside the authorized scopes")


async def failed(_: Request, error: Exception) -> Response:
    """The answer for an error."""
    if isinstance(error, Failure):
        return JSONResponse({"error": error.message}, error.status)
    if isinstance(error, HTTPException):
        return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)
    code = getattr(error, "code", "")
    status = STATUSES.get(code, 422)
    messages = {404: "Record not found", 403: "This action is not allowed", 503: "The server is not available"}
    return JSONResponse({"error": messages.get(status, f"Validation failed: {error}")}, status)
