"""Answers of the protocol, from what the Python package answers."""

from __future__ import annotations

from typing import Any

import kith
from query_requests import TABLE, Refused, Request


def user_value(user: kith.User, viewer: Any = None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "id": user.id,
        "username": user.username,
        "followerCount": user.follower_count,
        "followeeCount": user.followee_count,
        "postCount": user.post_count,
    }
    if (following := user.is_followed_by_viewer) is not None:
        made["following"] = following
    for name, at in (("followedAt", user.followed_at), ("likedAt", user.liked_at)):
        if at is not None:
            made[name] = int(at.timestamp()) * 1000
    if isinstance(user, kith.Suggestion):
        made["mutualCount"] = user.mutual_count
    if (ranges := user.highlights) is not None:
        made["ranges"] = ranges
    return made


def post_value(post: kith.Post) -> dict[str, Any]:
    author = post.author_user
    made: dict[str, Any] = {
        "id": post.id,
        "author": user_value(author) if author else {"id": post.author_id, "username": post.author},
        "createdAt": post.created_ms,
        "text": post.text,
        "likeCount": post.like_count,
    }
    if (liked := post.is_liked_by_viewer) is not None:
        made["liked"] = liked
    if post.liked_at is not None:
        made["likedAt"] = int(post.liked_at.timestamp()) * 1000
    if (ranges := post.highlights) is not None:
        made["ranges"] = ranges
    return made


def users_of(page: Any) -> dict[str, Any]:
    made = {"users": [user_value(user) for user in page], "next": page.next}
    return made if page.total is None else {**made, "count": page.total}


def posts_of(page: Any) -> dict[str, Any]:
    return {"posts": [post_value(post) for post in page], "next": page.next}


class Asker:
    """Answers reads from one version of the graph."""

    def __init__(self, reader: kith.Reader) -> None:
        self.reader = reader

    def find(self, reference: Any) -> int:
        if reference is None or isinstance(reference, int):
            # 0 and less are ids that no user has, not the absence of a user.
            return -1 if reference == 0 else reference  # type: ignore[return-value]
        found = self.reader.find_user(reference["username"])
        if found is None:
            raise Refused(f"no user named {reference['username'][:64]}", "unknownUser")
        return found

    def answer(self, r: Request) -> dict[str, Any]:
        reader, find = self.reader, self.find
        page = {"limit": r["limit"], "cursor": r["cursor"]}
        listed = {**page, "viewer": find(r["as"])}
        if r.op == "users":
            return users_of(
                reader.search_users(
                    r["query"],
                    match=r["match"],
                    folding=r["fold"],
                    order=r["order"],
                    excluded=find(r["excluding"]),
                    includes_blocked=r["includeBlocked"],
                    counts_matches=r["count"],
                    includes_highlights=r["highlights"],
                    **listed,
                )
            )
        if r.op == "posts":
            return posts_of(
                reader.search_posts(
                    r["query"],
                    author=find(r["user"]),
                    followed_only=r["following"],
                    folding=r["fold"],
                    before=r["before"],
                    after=r["after"],
                    includes_highlights=r["highlights"],
                    includes_authors=r["authors"],
                    **listed,
                )
            )
        if r.op in ("timeline", "twoHopTimeline"):
            read = reader.timeline if r.op == "timeline" else reader.two_hop_timeline
            timeline = read(
                find(r["user"]),
                direction=r["direction"],
                before=r["before"],
                after=r["after"],
                includes_own_posts=r["includeSelf"],
                includes_authors=r["authors"],
                **page,
            )
            truncated = {"truncated": timeline.is_truncated} if r.op == "twoHopTimeline" else {}
            return {**posts_of(timeline), "previous": timeline.previous, **truncated}
        if r.op in ("followees", "followers"):
            return users_of(getattr(reader, r.op)(find(r["user"]), order=r["order"], **listed))
        if r.op in ("blocked", "muted"):
            return users_of(getattr(reader, r.op)(find(r["user"]), **page))
        if r.op == "likers":
            return users_of(reader.likers(r["post"], **listed))
        if r.op == "likes":
            return posts_of(reader.likes(find(r["user"]), includes_authors=r["authors"], **listed))
        if r.op == "mutuals":
            query = reader.mutual_followers if r["of"] == "followers" else reader.mutual_followees
            return users_of(query(find(r["user"]), find(r["target"]), **page))
        if r.op == "familiarFollowers":
            return users_of(
                reader.familiar_followers(find(r["user"]), find(r["as"]), counts_matches=r["count"], **page)
            )
        return self.single(r)

    def single(self, r: Request) -> dict[str, Any]:
        reader, find = self.reader, self.find
        if r.op == "user":
            blocked = r["includeBlocked"]
            return {"user": user_value(reader.user(find(r["user"]), viewer=find(r["as"]), includes_blocked=blocked))}
        if r.op == "post":
            authors = r["authors"]
            return {"post": post_value(reader.post(r["post"], viewer=find(r["as"]), includes_authors=authors))}
        if r.op == "lookup":
            viewer = find(r["as"])
            ids = [self.found(each) for each in r["users"] or []]
            users = reader.users(ids, viewer=viewer, includes_blocked=r["includeBlocked"])
            posts = reader.posts(r["posts"] or [], viewer=viewer, includes_authors=r["authors"])
            return {
                "users": [user and user_value(user) for user in users],
                "posts": [post and post_value(post) for post in posts],
            }
        if r.op == "isFollowing":
            return {"value": reader.is_following(find(r["user"]), find(r["target"]))}
        if r.op == "relations":
            found = reader.relations(find(r["user"]), [find(each) for each in r["targets"]])
            return {
                "relations": [
                    {
                        "following": each.is_following,
                        "followedBy": each.is_followed_by,
                        "blocking": each.is_blocking,
                        "blockedBy": each.is_blocked_by,
                        "muting": each.is_muting,
                    }
                    for each in found
                ]
            }
        if r.op == "suggestions":
            page = reader.suggestions(find(r["user"]), limit=r["limit"])
            return {"users": [user_value(user) for user in page], "truncated": page.is_truncated}
        if r.op == "distance":
            path = reader.shortest_path(find(r["user"]), find(r["target"]), maximum_hops=r["max"])
            return {"value": path.hops, "complete": path.is_complete}
        if r.op == "stats":
            c = reader.counts()
            sizes = {entry.name: entry.bytes for entry in reader.memory_report() if entry.count is None}
            return {
                "users": c.users,
                "follows": c.follows,
                "posts": c.posts,
                "likes": c.likes,
                "blocks": c.blocks,
                "mutes": c.mutes,
                "sequence": c.sequence,
                "bytes": {**sizes, "total": sum(sizes.values())},
            }
        if r.op == "verify":
            return {
                "problems": [
                    {"code": each.code, "where": each.place, "message": each.message} for each in reader.verify()
                ]
            }
        return {"ops": [TABLE[r["about"]]] if r["about"] else list(TABLE.values())}

    def found(self, reference: Any) -> int:
        try:
            return self.find(reference)
        except Refused:
            return -1
