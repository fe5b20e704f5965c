"""Graphs for asyncio: each call runs on a thread, so that the loop goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import update_wrapper
from typing import TYPE_CHECKING, Any, TypeVar

from ._changes import Writer

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    from ._graph import Graph

    P = ParamSpec("P")
R = TypeVar("R")


def _on_thread(
    call: Callable[Concatenate[Any, P], R],
) -> Callable[Concatenate[AsyncGraph, P], Coroutine[Any, Any, R]]:
    async def run(self: AsyncGraph, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(call, self.graph, *args, **kwargs)

    update_wrapper(run, call)
    return run


class AsyncGraph:
    """The verbs and queries of a graph as coroutines of the same names and parameters.

    Changes that wait for the disk at the same time share one sync, so ``asyncio.gather`` of many is fast. A task that
    is cancelled stops waiting; its change may be made all the same.
    """

    __slots__ = ("graph",)

    def __init__(self, graph: Graph) -> None:
        #: The graph itself.
        self.graph = graph

    def __repr__(self) -> str:
        return f"<AsyncGraph over {self.graph!r}>"

    # Verbs

    apply = _on_thread(Writer.apply)
    add_user = _on_thread(Writer.add_user)
    rename_user = _on_thread(Writer.rename_user)
    edit_user = _on_thread(Writer.edit_user)
    remove_user = _on_thread(Writer.remove_user)
    add_post = _on_thread(Writer.add_post)
    edit_post = _on_thread(Writer.edit_post)
    remove_post = _on_thread(Writer.remove_post)
    follow = _on_thread(Writer.follow)
    unfollow = _on_thread(Writer.unfollow)
    like = _on_thread(Writer.like)
    unlike = _on_thread(Writer.unlike)
    block = _on_thread(Writer.block)
    unblock = _on_thread(Writer.unblock)
    mute = _on_thread(Writer.mute)
    unmute = _on_thread(Writer.unmute)
    add_edge = _on_thread(Writer.add_edge)
    remove_edge = _on_thread(Writer.remove_edge)

    # Queries

    user = _on_thread(Writer.user)
    post = _on_thread(Writer.post)
    users = _on_thread(Writer.users)
    posts = _on_thread(Writer.posts)
    search_users = _on_thread(Writer.search_users)
    search_posts = _on_thread(Writer.search_posts)
    timeline = _on_thread(Writer.timeline)
    two_hop_timeline = _on_thread(Writer.two_hop_timeline)
    followers = _on_thread(Writer.followers)
    followees = _on_thread(Writer.followees)
    blocked = _on_thread(Writer.blocked)
    muted = _on_thread(Writer.muted)
    likers = _on_thread(Writer.likers)
    likes = _on_thread(Writer.likes)
    targets = _on_thread(Writer.targets)
    sources = _on_thread(Writer.sources)
    thread = _on_thread(Writer.thread)
    ancestors = _on_thread(Writer.ancestors)
    incoming = _on_thread(Writer.incoming)
    incoming_count = _on_thread(Writer.incoming_count)
    mutual_followees = _on_thread(Writer.mutual_followees)
    mutual_followers = _on_thread(Writer.mutual_followers)
    familiar_followers = _on_thread(Writer.familiar_followers)
    suggestions = _on_thread(Writer.suggestions)
    shortest_path = _on_thread(Writer.shortest_path)
    page_rank = _on_thread(Writer.page_rank)
    connected_components = _on_thread(Writer.connected_components)
