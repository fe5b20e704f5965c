"""A web service on Kith: search as one types, timelines, live like counts by server-sent events.

    pip install kith starlette uvicorn
    KITH_STORE=./store uvicorn service:app

One process has the store open, and every request is a query in it.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from typing import Any

import kith
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

STATUSES = {"unknownUser": 404, "unknownPost": 404, "usernameTaken": 409, "blocked": 403, "closed": 503}


def viewer(request: Request) -> int | None:
    # A real service takes it from a session.
    given = request.query_params.get("as")
    return None if given is None else int(given)


def user(row: kith.User) -> dict[str, Any]:
    return {
        "id": row.id,
        "username": row.username,
        "followers": row.follower_count,
        "following": row.is_followed_by_viewer,
    }


def post(row: kith.Post) -> dict[str, Any]:
    return {
        "id": row.id,
        "author": row.author,
        "text": row.text,
        "createdAt": row.created_ms,
        "likes": row.like_count,
        "liked": row.is_liked_by_viewer,
    }


async def failed(_: Request, error: Exception) -> Response:
    code = getattr(error, "code", "invalidRequest")
    return JSONResponse({"error": code, "message": str(error)}, STATUSES.get(code, 400))


def make_app(graph: kith.Graph) -> Starlette:
    """The service over a graph."""

    async def search(request: Request) -> Response:
        """GET /search?q=an&as=1: microseconds, so it runs in the event loop."""
        page = graph.search_users(
            request.query_params.get("q", ""), order="prefixFirst", viewer=viewer(request), limit=10
        )
        return JSONResponse([user(row) for row in page])

    async def timeline(request: Request) -> Response:
        """GET /users/1/timeline?cursor=…"""
        page = graph.timeline(request.path_params["user"], cursor=request.query_params.get("cursor"))
        return JSONResponse({"posts": [post(row) for row in page], "next": page.next, "previous": page.previous})

    async def add_user(request: Request) -> Response:
        """POST /users {"username": …}: waits for the disk, so it runs in a thread."""
        id = await run_in_threadpool(graph.add_user, (await request.json())["username"])
        return JSONResponse({"id": id}, 201)

    async def add_post(request: Request) -> Response:
        """POST /users/1/posts {"text": …}"""
        id = await run_in_threadpool(graph.add_post, request.path_params["user"], (await request.json())["text"])
        return JSONResponse({"id": id}, 201)

    async def follow(request: Request) -> Response:
        """PUT and DELETE /users/1/follows/2"""
        change = graph.follow if request.method == "PUT" else graph.unfollow
        changed = await run_in_threadpool(change, request.path_params["user"], request.path_params["target"])
        return JSONResponse({"changed": changed})

    async def like(request: Request) -> Response:
        """PUT and DELETE /users/1/likes/5"""
        change = graph.like if request.method == "PUT" else graph.unlike
        changed = await run_in_threadpool(change, request.path_params["user"], request.path_params["post"])
        return JSONResponse({"changed": changed})

    async def likes(request: Request) -> Response:
        """GET /posts/5/likes: the number now, then each that differs."""
        live = graph.live(kith.Graph.post, request.path_params["post"])
        first = live.poll()  # an unknown post is an error before the stream begins

        async def events() -> AsyncIterator[str]:
            with live:
                for row in first:
                    yield f"data: {json.dumps({'likes': row.like_count})}\n\n"
                try:
                    async for row in live:
                        yield f"data: {json.dumps({'likes': row.like_count})}\n\n"
                except kith.UnknownPostError:
                    yield "event: removed\ndata: {}\n\n"

        return StreamingResponse(events(), media_type="text/event-stream")

    routes = [
        Route("/search", search),
        Route("/users", add_user, methods=["POST"]),
        Route("/users/{user:int}/timeline", timeline),
        Route("/users/{user:int}/posts", add_post, methods=["POST"]),
        Route("/users/{user:int}/follows/{target:int}", follow, methods=["PUT", "DELETE"]),
        Route("/users/{user:int}/likes/{post:int}", like, methods=["PUT", "DELETE"]),
        Route("/posts/{post:int}/likes", likes),
    ]
    return Starlette(routes=routes, exception_handlers={kith.KithError: failed, ValueError: failed, KeyError: failed})


if "KITH_STORE" in os.environ:
    app = make_app(kith.open(os.environ["KITH_STORE"]))
