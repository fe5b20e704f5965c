import Testing

@testable import Kith

/// The calls that the page names, each with a check of its answer, with details.
extension ReadsTests {
  /// The details of posts and of users that are added to each answer.
  private var details: ResultDetails {
    ResultDetails(counts: [.reply, .repost], marks: [.bookmark, .repost], includesPayloads: true, viewer: me)
  }
  private var userDetails: ResultDetails {
    ResultDetails(counts: [.request], marks: [.subscribe], includesPayloads: true, viewer: me)
  }

  /// Whether a user has the details that were added, and the payload that was given.
  private func isWhole(_ user: User) -> Bool {
    user.payload == Self.payload(of: user.username) && user.count(of: .request) != nil
      && user.isMarked(.subscribe) != nil
  }

  /// Whether a post has the details that were added, and it and the author, if asked for, have their payloads.
  private func isWhole(_ post: Post, authors: Bool = true) -> Bool {
    post.payload == Self.payload(of: post.text) && post.count(of: .reply) != nil && post.count(of: .repost) != nil
      && post.isMarked(.bookmark) != nil && post.isMarked(.repost) != nil
      && post.author.user?.payload == (authors ? Self.payload(of: post.author.username) : nil)
  }

  /// The names of the users of a page, each of whom has all details.
  private func names(_ users: Page<User>, _ view: borrowing GraphView) throws -> [String] {
    try view.adding(userDetails, to: users).map { isWhole($0) ? $0.username : "\($0.username) without details" }
  }

  /// The texts of the posts of a page, each of which has all details.
  private func texts(_ posts: Page<Post>, _ view: borrowing GraphView, authors: Bool = true) throws -> [String] {
    try view.adding(details, to: posts).map {
      isWhole($0, authors: authors) ? $0.text : "\($0.text) without details"
    }
  }

  /// Single users and posts, what is between users, and what is added to a result.
  private var lookups: [String: Check] {
    [
      "incoming(to: me, IncomingQuery(relations: types, includesAuthors: true))": {
        let page = try $0.incoming(to: me, IncomingQuery(relations: types, includesAuthors: true))
        let detailed = try $0.adding(details, to: page)
        return detailed.map { edge in
          let hasAll =
            edge.user.map { $0.payload == Self.payload(of: $0.username) } ?? true
            && edge.post.map { isWhole($0) } ?? true && edge.target.map { isWhole($0) } ?? true
          let name = edge.user?.username ?? edge.post?.author.username ?? ""
          return "\(edge.relation.name) by \(name)\(hasAll ? "" : ", without details")"
        } == ["mention by anton", "mention by bob", "request by anton", "like by anton"]
      },
      "incomingCount(to: me, IncomingQuery(relations: types, after: seen))": {
        try $0.incomingCount(to: me, IncomingQuery(relations: types, after: seen)) == IncomingCount(count: 2)
      },
      "user(user, as: me, includesBlocked: true)": {
        let ann = try $0.adding(userDetails, to: $0.user(user, as: me, includesBlocked: true))
        return isWhole(ann) && (ann.followerCount, ann.followeeCount, ann.postCount) == (5, 4, 5)
          && ann.isFollowedByViewer == true
      },
      "users(userIDs, as: me, includesBlocked: true)": {
        let users = try $0.adding(userDetails, to: $0.users(userIDs, as: me, includesBlocked: true))
        return users.map { $0?.username } == ["ann", "eve"] && users.allSatisfy { $0.map(isWhole) == true }
      },
      "post(post, as: me, includesAuthors: true)": {
        let post = try $0.adding(details, to: $0.post(post, as: me, includesAuthors: true))
        return isWhole(post) && post.text == "an image" && post.isLikedByViewer == true
          && post.author.user?.followerCount == 5
      },
      "posts(postIDs, as: me, includesAuthors: true)": {
        let posts = try $0.adding(details, to: $0.posts(postIDs, as: me, includesAuthors: true))
        return posts.map { $0?.text } == ["quote", nil, "an image", nil] && posts[0]?.author.user?.username == "bob"
          && posts.compactMap(\.self).allSatisfy { isWhole($0) }
      },
      "edges(between: me, and: others)": {
        try $0.edges(between: me, and: others) == [
          Node.Edges(to: ["follow", "subscribe"], from: ["rejected"]), Node.Edges(from: ["request"]),
          Node.Edges(to: ["block", "blocking"]),
        ]
      },
      "edges(between: user, and: lists)": {
        try $0.edges(between: user, and: lists) == [Node.Edges(to: ["list", "pack"], from: ["member"])]
      },
      "adding(details, to: result)": {
        let result = try $0.posts(postIDs, as: me, includesAuthors: true)
        var details = details
        details.counts.append(.quote)
        details.marks.append(.subscribe)
        let shown = try #require(try $0.adding(details, to: result)[2])
        return [.reply, .repost, .quote].map { shown.count(of: $0) } == [3, 4, 4]
          && [.bookmark, .repost].map { shown.isMarked($0) } == [true, false]
          && isWhole(shown) && shown.author.user?.isMarked(.subscribe) == true
      },
    ]
  }

  private var timelines: [String: Check] {
    [
      "timeline(of: me)": {
        try texts($0.timeline(of: me), $0, authors: false) == [
          "thanks", "for friends", "last reply", "first reply", "quote", "an image", "added", "old",
        ]
      },
      "timeline(of: me, TimelineQuery(reposts: .all, includesAuthors: true))": {
        let page = try $0.timeline(of: me, TimelineQuery(reposts: .all, includesAuthors: true))
        return try texts(page, $0) == [
          "thanks", "for friends", "last reply", "first reply", "quote", "an image", "added", "old", "an image",
        ]
      },
      "timeline(of: me, TimelineQuery(sources: .author(user), replies: .none, includesAuthors: true))": {
        let page = try $0.timeline(of: me, TimelineQuery(sources: .author(user), replies: .none, includesAuthors: true))
        return try texts(page, $0) == ["an image", "old"]
      },
      "timeline(of: me, TimelineQuery(sources: .author(user), replies: .toAuthor, includesAuthors: true))": {
        let page =
          try $0.timeline(of: me, TimelineQuery(sources: .author(user), replies: .toAuthor, includesAuthors: true))
        return try texts(page, $0) == ["an image", "added", "old"]
      },
      "timeline(of: me, TimelineQuery(includesOwnPosts: false, sources: .members(.member, of: list)))": {
        let page = try $0.timeline(of: me, TimelineQuery(includesOwnPosts: false, sources: .members(.member, of: list)))
        return try texts(page, $0, authors: false) == [
          "thanks", "for friends", "first reply", "quote", "an image", "added", "old",
        ]
      },
      "timeline(of: me, TimelineQuery(includesOwnPosts: false, sources: .users([tag])))": {
        let page = try $0.timeline(of: me, TimelineQuery(includesOwnPosts: false, sources: .users([tag])))
        return try texts(page, $0, authors: false) == ["news", "thanks", "quote", "an image"]
      },
      "timeline(of: me, TimelineQuery(replies: .none, includesAuthors: true))": {
        let page = try $0.timeline(of: me, TimelineQuery(replies: .none, includesAuthors: true))
        return try texts(page, $0) == ["for friends", "quote", "an image", "old"]
      },
      "timeline(of: me, ofAll)": {
        try texts($0.timeline(of: me, ofAll), $0) == ["news", "quote", "an image", "added", "old"]
      },
      "timeline(of: me, ofTags)": {
        try texts($0.timeline(of: me, ofTags), $0) == ["news", "quote", "an image"]
      },
    ]
  }

  /// Lists of the four relations that every graph has, and searches.
  private var plain: [String: Check] {
    [
      "followers(of: user, ListQuery(viewer: me))": {
        try names($0.followers(of: user, ListQuery(viewer: me)), $0) == ["mo", "anton", "bob", "me"]
      },
      "followers(of: user, ListQuery(leavesOutMuted: true, viewer: me))": {
        try names($0.followers(of: user, ListQuery(leavesOutMuted: true, viewer: me)), $0) == ["anton", "bob", "me"]
      },
      "followees(of: user, ListQuery(viewer: me))": {
        try names($0.followees(of: user, ListQuery(viewer: me)), $0) == ["mo", "anton", "bob"]
      },
      "followees(of: user, ListQuery(leavesOutMuted: true, viewer: me))": {
        try names($0.followees(of: user, ListQuery(leavesOutMuted: true, viewer: me)), $0) == ["anton", "bob"]
      },
      "followees(of: me)": { try names($0.followees(of: me), $0) == ["bob", "ann"] },
      "familiarFollowers(of: user, as: me)": { try names($0.familiarFollowers(of: user, as: me), $0) == ["bob"] },
      "familiarFollowers(of: user, as: me, MutualQuery(countsMatches: true))": {
        try $0.familiarFollowers(of: user, as: me, MutualQuery(countsMatches: true)).total == 1
      },
      "suggestions(for: me)": {
        let page = try $0.adding(userDetails, to: $0.suggestions(for: me))
        return page.map { [$0.user.username, "\($0.mutualCount)"] } == [["anton", "2"]]
          && page.allSatisfy { isWhole($0.user) }
      },
      "likers(of: post, ListQuery(viewer: me))": {
        try names($0.likers(of: post, ListQuery(viewer: me)), $0) == ["me", "anton", "bob", "mo"]
      },
      "likes(of: me, ListQuery(includesAuthors: true, viewer: me))": {
        try texts($0.likes(of: me, ListQuery(includesAuthors: true, viewer: me)), $0) == ["quote", "an image"]
      },
      "searchUsers(\"\", UserQuery(excludedUser: me, viewer: me))": {
        try names($0.searchUsers("", UserQuery(excludedUser: me, viewer: me)), $0)
          == ["#swift", "ann", "anton", "bob", "mo", "pia", "·"]
      },
      "searchUsers(text, UserQuery(excludedUser: me, viewer: me))": {
        try names($0.searchUsers(text, UserQuery(excludedUser: me, viewer: me)), $0) == ["ann", "anton", "pia"]
      },
      "searchUsers(text, UserQuery(match: .prefix, order: .popular, viewer: me))": {
        try names($0.searchUsers(text, UserQuery(match: .prefix, order: .popular, viewer: me)), $0) == ["ann", "anton"]
      },
      "searchUsers(text, UserQuery(order: .prefixFirst, viewer: me))": {
        try names($0.searchUsers(text, UserQuery(order: .prefixFirst, viewer: me)), $0) == ["ann", "anton", "pia"]
      },
      "searchUsers(\"\", UserQuery(order: .popular, flags: filter, excludedUser: me, viewer: me))": {
        try names($0.searchUsers("", UserQuery(order: .popular, flags: filter, excludedUser: me, viewer: me)), $0)
          == ["ann", "anton", "bob", "mo", "#swift", "·"]
      },
      "searchPosts(\"\", PostQuery(author: user, viewer: me))": {
        try texts($0.searchPosts("", PostQuery(author: user, viewer: me)), $0, authors: false)
          == ["thanks", "an image", "added", "old"]
      },
      "searchPosts(\"\", PostQuery(author: user, includesReplies: false, includesAuthors: true, viewer: me))": {
        let page =
          try $0.searchPosts("", PostQuery(author: user, includesReplies: false, includesAuthors: true, viewer: me))
        return try texts(page, $0) == ["an image", "old"]
      },
      "searchPosts(text, PostQuery(includesAuthors: true, viewer: me))": {
        try texts($0.searchPosts(text, PostQuery(includesAuthors: true, viewer: me)), $0)
          == ["news", "thanks", "to me", "aside", "an image", "added", "old"]
      },
    ]
  }

  /// Lists of users at the ends of edges.
  private var users: [String: Check] {
    [
      "sources(of: me, .request, query)": { try names($0.sources(of: me, .request, query), $0) == ["mo", "anton"] },
      "sources(of: me, .rejected, query)": { try names($0.sources(of: me, .rejected, query), $0) == ["ann", "bob"] },
      "sources(of: post, .like, query)": {
        try names($0.sources(of: post, .like, query), $0) == ["mo", "bob", "anton", "me"]
      },
      "sources(of: post, .like, EdgeQuery(leavesOutMuted: true, viewer: me))": {
        try names($0.sources(of: post, .like, EdgeQuery(leavesOutMuted: true, viewer: me)), $0)
          == ["bob", "anton", "me"]
      },
      "sources(of: post, .repost, query)": {
        try names($0.sources(of: post, .repost, query), $0) == ["mo", "bob", "anton"]
      },
      "sources(of: post, .reaction, query)": {
        try names($0.sources(of: post, .reaction, query), $0) == ["mo", "bob", "anton"]
      },
      "sources(of: post, .love, query)": {
        try names($0.sources(of: post, .love, query), $0) == ["mo", "bob", "anton"]
      },
      "sources(of: post, .upvote, EdgeQuery(order: .oldest))": {
        try names($0.sources(of: post, .upvote, EdgeQuery(order: .oldest)), $0) == ["anton", "bob"]
      },
      "sources(of: post, .downvote, EdgeQuery(order: .oldest))": {
        try names($0.sources(of: post, .downvote, EdgeQuery(order: .oldest)), $0) == ["mo", "ann"]
      },
      "targets(of: me, .blocking, query)": { try names($0.targets(of: me, .blocking, query), $0) == ["ed", "eve"] },
      "targets(of: me, .muting, query)": { try names($0.targets(of: me, .muting, query), $0) == ["ed", "mo"] },
      "targets(of: me, .subscribe, query)": {
        try names($0.targets(of: me, .subscribe, query), $0) == ["ann", "#swift"]
      },
      "targets(of: me, .avoid, query)": { try names($0.targets(of: me, .avoid, query), $0) == ["mo", "#swift"] },
      "targets(of: list, .member, query)": { try names($0.targets(of: list, .member, query), $0) == ["bob", "ann"] },
    ]
  }

  /// Lists of posts that edges lead to.
  private var targets: [String: Check] {
    let kept = ["quote", "an image"]
    return [
      "targetPosts(of: me, .bookmark, query)": { try texts($0.targetPosts(of: me, .bookmark, query), $0) == kept },
      "targetPosts(of: me, .hide, query)": { try texts($0.targetPosts(of: me, .hide, query), $0) == kept },
      "targetPosts(of: me, .seen, query)": { try texts($0.targetPosts(of: me, .seen, query), $0) == kept },
      "targetPosts(of: me, .vote, query)": { try texts($0.targetPosts(of: me, .vote, query), $0) == kept },
      "targetPosts(of: user, .pin, query)": { try texts($0.targetPosts(of: user, .pin, query), $0) == kept },
      "targetPosts(of: list, .item, query)": { try texts($0.targetPosts(of: list, .item, query), $0) == kept },
      "targetPosts(of: list, .item, EdgeQuery(order: .oldest, viewer: me))": {
        try texts($0.targetPosts(of: list, .item, EdgeQuery(order: .oldest, viewer: me)), $0, authors: false)
          == kept.reversed()
      },
      "targetPosts(of: me, .folder, query)": { try texts($0.targetPosts(of: me, .folder, query), $0) == [""] },
      "targetPosts(of: me, .listMute, query)": { try texts($0.targetPosts(of: me, .listMute, query), $0) == [""] },
      "targetPosts(of: me, .listBlock, query)": { try texts($0.targetPosts(of: me, .listBlock, query), $0) == [""] },
      "targetPosts(of: user, .list, query)": { try texts($0.targetPosts(of: user, .list, query), $0) == [""] },
      "targetPosts(of: user, .pack, query)": { try texts($0.targetPosts(of: user, .pack, query), $0) == [""] },
    ]
  }

  /// Lists of posts that edges lead from, and conversations.
  private var conversations: [String: Check] {
    [
      "sourcePosts(of: post, .quote, query)": {
        try texts($0.sourcePosts(of: post, .quote, query), $0) == ["for friends", "quote"]
      },
      "sourcePosts(of: tag, .tag, query)": {
        try texts($0.sourcePosts(of: tag, .tag, query), $0) == [
          "noise", "news", "thanks", "aside", "for friends", "quote", "an image",
        ]
      },
      "thread(of: post, ThreadQuery(includesAuthors: true, limit: 1_000, viewer: me))": {
        try texts($0.thread(of: post, ThreadQuery(includesAuthors: true, limit: 1_000, viewer: me)), $0)
          == ["an image", "first reply", "last reply", "to me"]
      },
      "ancestors(of: reply, as: me, includesAuthors: true)": {
        try texts($0.ancestors(of: reply, as: me, includesAuthors: true), $0) == ["first reply", "an image"]
      },
    ]
  }

  var checks: [String: Check] {
    [lookups, timelines, plain, users, targets, conversations].reduce(into: [:]) { all, some in
      all.merge(some) { _, _ in preconditionFailure("a call has one check") }
    }
  }
}
