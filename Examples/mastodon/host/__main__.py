"""The program: ``python -m host STORE [--port 3000]``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import kith
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from . import accounts, instance, lists, media, notifications, oauth, statuses, streaming, timelines
from .store import Store
from .web import Failure, endpoint, failed

V1 = "/api/v1"
#: Method, path, handler. The first that matches answers.
ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "/", instance.about),
    ("GET", "/.well-known/nodeinfo", instance.nodeinfo),
    ("GET", "/nodeinfo/2.0", instance.nodeinfo),
    ("GET", "/media/{name}", media.serve),
    ("GET", "/avatars/{id:int}.png", media.avatar),
    ("GET POST", "/oauth/authorize", oauth.authorize),
    ("POST", "/oauth/token", oauth.token),
    ("POST", "/oauth/revoke", oauth.revoke),
    ("POST", f"{V1}/apps", oauth.register_app),
    ("GET", "/health", streaming.health),
    ("GET", f"{V1}/apps/verify_credentials", oauth.verify_app),
    ("GET", f"{V1}/instance", instance.version_1),
    ("GET", "/api/v2/instance", instance.version_2),
    ("POST", f"{V1}/accounts", oauth.register_account),
    ("GET", f"{V1}/accounts", accounts.several),
    ("GET", f"{V1}/accounts/verify_credentials", accounts.verify),
    ("PATCH", f"{V1}/accounts/update_credentials", accounts.update),
    ("GET", f"{V1}/accounts/lookup", accounts.lookup),
    ("GET", f"{V1}/accounts/search", accounts.search),
    ("GET", f"{V1}/accounts/relationships", accounts.relationships),
    ("GET", f"{V1}/accounts/familiar_followers", accounts.familiar_followers),
    ("GET", f"{V1}/accounts/{{id}}", accounts.show),
    ("GET", f"{V1}/accounts/{{id}}/statuses", accounts.statuses),
    ("GET", f"{V1}/accounts/{{id}}/followers", accounts.followers),
    ("GET", f"{V1}/accounts/{{id}}/following", accounts.following),
    ("GET", f"{V1}/accounts/{{id}}/lists", accounts.lists),
    ("POST", f"{V1}/accounts/{{id}}/{{verb}}", accounts.act),
    ("GET", f"{V1}/blocks", accounts.blocks),
    ("GET", f"{V1}/mutes", accounts.mutes),
    ("GET", f"{V1}/follow_requests", accounts.requests),
    ("POST", f"{V1}/follow_requests/{{id}}/{{verb}}", accounts.act),
    ("GET", f"{V1}/suggestions", accounts.suggestions),
    ("GET", "/api/v2/suggestions", accounts.suggestions),
    ("DELETE", f"{V1}/suggestions/{{id}}", accounts.pass_over),
    ("GET", f"{V1}/endorsements", accounts.endorsements),
    ("GET", f"{V1}/accounts/{{id}}/endorsements", accounts.endorsements),
    ("GET", f"{V1}/directory", instance.directory),
    ("GET", f"{V1}/followed_tags", accounts.followed_tags),
    ("GET", f"{V1}/tags/{{name}}", accounts.show_tag),
    ("POST", f"{V1}/tags/{{name}}/{{verb}}", accounts.show_tag),
    ("POST", f"{V1}/media", media.upload),
    ("POST", "/api/v2/media", media.upload),
    ("GET PUT", f"{V1}/media/{{id}}", media.show),
    ("POST", f"{V1}/statuses", statuses.create),
    ("GET", f"{V1}/statuses", statuses.several),
    ("GET", f"{V1}/statuses/{{id}}", statuses.show),
    ("PUT", f"{V1}/statuses/{{id}}", statuses.edit),
    ("DELETE", f"{V1}/statuses/{{id}}", statuses.delete),
    ("GET", f"{V1}/statuses/{{id}}/context", statuses.context),
    ("GET", f"{V1}/statuses/{{id}}/history", statuses.history),
    ("GET", f"{V1}/statuses/{{id}}/source", statuses.source),
    ("GET", f"{V1}/statuses/{{id}}/favourited_by", statuses.favourited_by),
    ("GET", f"{V1}/statuses/{{id}}/reblogged_by", statuses.reblogged_by),
    ("POST", f"{V1}/statuses/{{id}}/{{verb}}", statuses.act),
    ("GET", f"{V1}/timelines/home", timelines.home),
    ("GET", f"{V1}/timelines/public", timelines.public),
    ("GET", f"{V1}/timelines/tag/{{name}}", timelines.of_tag),
    ("GET", f"{V1}/timelines/list/{{id}}", timelines.of_list),
    ("GET", f"{V1}/favourites", timelines.favourites),
    ("GET", f"{V1}/bookmarks", timelines.bookmarks),
    ("GET POST", f"{V1}/lists", lists.every),
    ("GET PUT DELETE", f"{V1}/lists/{{id}}", lists.one),
    ("GET POST DELETE", f"{V1}/lists/{{id}}/accounts", lists.members),
    *[("GET", path, instance.nothing) for path in instance.OFF],
    ("GET", f"{V1}/notifications", notifications.every),
    ("GET", f"{V1}/notifications/unread_count", notifications.unread_count),
    ("POST", f"{V1}/notifications/clear", notifications.clear),
    ("GET", f"{V1}/notifications/{{id}}", notifications.one),
    ("POST", f"{V1}/notifications/{{id}}/dismiss", notifications.dismiss),
    ("GET", "/api/v2/search", instance.search),
    ("GET", f"{V1}/search", instance.search_1),
    ("GET POST", f"{V1}/markers", instance.markers),
    ("GET", f"{V1}/preferences", instance.preferences),
    ("GET", f"{V1}/streaming/health", streaming.health),
    ("GET", f"{V1}/streaming/{{kind:path}}", streaming.stream),
]


class _WithoutSlash:
    """Answers ``/api/v1/instance/`` as ``/api/v1/instance``."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and len(scope["path"]) > 1:
            scope = {**scope, "path": scope["path"].rstrip("/") or "/"}
        await self.app(scope, receive, send)


def make_app(store: Store) -> Starlette:
    """The service over a store."""
    cors = Middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["*"],
        allow_headers=["*"],
        expose_headers=["Link"],
    )
    routes = [Route(path, endpoint(store, handler), methods=methods.split()) for methods, path, handler in ROUTES]
    handlers = dict.fromkeys((Failure, kith.KithError, HTTPException), failed)
    return Starlette(routes=routes, middleware=[Middleware(_WithoutSlash), cors], exception_handlers=handlers)


class Server(uvicorn.Server):
    """A server whose streams end when the process is asked to end."""

    store: Store

    def handle_exit(self, sig: int, frame: Any) -> None:
        self.store.is_closing = True
        self.force_exit = self.should_exit  # asked twice
        self.should_exit = True


def main() -> None:
    parser = argparse.ArgumentParser(prog="host", description=__doc__)
    parser.add_argument("store", type=Path, help="a folder, which is created if there is none")
    parser.add_argument("--port", type=int, default=3000)
    given = parser.parse_args()
    store = Store(given.store)
    config = uvicorn.Config(
        make_app(store), host="127.0.0.1", port=given.port, log_level="warning", timeout_graceful_shutdown=3
    )
    server = Server(config)
    server.store = store
    try:
        server.run()
    finally:
        store.close()


if __name__ == "__main__":
    main()
