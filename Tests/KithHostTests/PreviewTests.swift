import Kith
import Testing

/// Values that a host makes itself, for previews and tests, beside those of a graph.
@Suite struct PreviewTests {
  private let graph = SocialGraph()
  private let ann: UserID
  private let bob: UserID
  private let hello: PostID

  init() throws {
    ann = try graph.addUser("ann")
    bob = try graph.addUser("Böb")
    try graph.follow(bob, as: ann, at: 7_999)
    hello = try graph.addPost("hello, wörld", by: bob, createdAt: 5_001)
    try graph.addPost("", by: ann, createdAt: 6_000)
    try graph.like(hello, as: ann, at: 8_000)
  }

  @Test("Users are equal to those of a graph with the same properties")
  func users() throws {
    let page = try graph.read { try $0.followers(of: bob, ListQuery(viewer: bob)) }
    let follower = User(
      id: ann, username: "ann", followeeCount: 1, postCount: 1, isFollowedByViewer: false, followedAt: 7_000)
    #expect(page[0] == follower)
    #expect(page[0].description == follower.description)
    #expect(page == Page<User>([follower]))
    #expect(page != Page<User>([follower], total: 1))
    #expect(User(id: 1, username: "ann", followedAt: 7_999) == User(id: 1, username: "ann", followedAt: 7_000))
    let likers = try graph.read { try $0.likers(of: hello) }
    #expect(Array(likers) == [User(id: ann, username: "ann", followeeCount: 1, postCount: 1, likedAt: 8_000)])
  }

  @Test("Posts and pages of posts are equal to those of a graph with the same properties")
  func posts() throws {
    let author = Post.Author(id: bob, username: "Böb")
    let liked = Post(id: hello, author: author, createdAt: 5_001, text: "hello, wörld", likeCount: 1, likedAt: 8_000)
    #expect(try graph.read { try $0.likes(of: ann) } == Page<Post>([liked]))
    let timeline = try graph.read { try $0.timeline(of: ann) }
    let made = [
      Post(
        id: timeline[0].id, author: Post.Author(id: ann, username: "ann"), createdAt: 6_000, text: "", likeCount: 0,
        isLikedByViewer: false),
      Post(id: hello, author: author, createdAt: 5_001, text: "hello, wörld", likeCount: 1, isLikedByViewer: true),
    ]
    #expect(timeline == Page<Post>(made, next: timeline.next, previous: timeline.previous))
    #expect(timeline.map(\.author) == made.map(\.author))
  }

  @Test("Posts with their authors as users are equal to those of a graph, and differ from those without")
  func authors() throws {
    let (timeline, plain) = try graph.read {
      (try $0.timeline(of: ann, TimelineQuery(includesAuthors: true)), try $0.timeline(of: ann))
    }
    let made = Page<Post>(
      zip(timeline, try graph.read { try $0.users([ann, bob], as: ann) }).map { post, user in
        Post(
          id: post.id, author: user.map { Post.Author($0) } ?? post.author, createdAt: post.createdAt, text: post.text,
          likeCount: post.likeCount, isLikedByViewer: post.isLikedByViewer)
      }, next: timeline.next, previous: timeline.previous)
    #expect(timeline == made && timeline != plain && plain.allSatisfy { $0.author.user == nil })
    #expect(made.map(\.author.username) == ["ann", "Böb"] && made.map(\.text) == plain.map(\.text))
    let known = made[1].author
    #expect(known.user?.isFollowedByViewer == true && known.user?.followerCount == 1 && known.user?.id == known.id)
    #expect(known != plain[1].author && "\(known)".contains("followerCount: 1"))
  }

  @Test("A page that is made of others' elements has all of them, also none and a thousand")
  func pages() {
    let users = (1...1_000).map { User(id: UserID($0), username: "user \($0)", followerCount: Int($0)) }
    #expect(Array(Page<User>(users)) == users)
    #expect(Page<User>([]).isEmpty && Page<Post>([]).isEmpty && Page<Suggestion>([]).isEmpty)
    let posts = users.map { user in
      Post(
        id: PostID(user.id.rawValue), author: Post.Author(id: user.id, username: user.username), createdAt: 0,
        text: String(repeating: "ä", count: Int(user.id.rawValue)))
    }
    #expect(Array(Page<Post>(posts.reversed())) == posts.reversed())
    #expect(Page<User>(users, highlights: users.map { _ in [0..<4] }).highlights?.count == 1_000)
  }

  @Test("Values whose texts differ only by normalisation are not equal, so that a live query shows the change")
  func normalisation() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    #expect(User(id: 1, username: composed) != User(id: 1, username: decomposed))
    let author = Post.Author(id: 1, username: composed)
    #expect(author != Post.Author(id: 1, username: decomposed))
    let post = Post(id: 1, author: author, createdAt: 0, text: composed)
    #expect(post != Post(id: 1, author: author, createdAt: 0, text: decomposed))
    #expect(post == Post(id: 1, author: author, createdAt: 0, text: composed))
  }

  @Test("Suggestions keep the mutuals of each")
  func suggestions() throws {
    let users = (1...5).map { User(id: UserID($0), username: "user \($0)") }
    let made = [
      Suggestion(user: users[0], mutualCount: 3, mutuals: [users[2], users[3]]),
      Suggestion(user: users[1], mutualCount: 1),
      Suggestion(user: users[4], mutualCount: 1, mutuals: [users[3]]),
    ]
    let page = Page<Suggestion>(made)
    #expect(Array(page) == made)
    #expect(page.map { $0.mutuals.map(\.id) } == [[3, 4], [], [4]])
    #expect(page.map(\.mutualCount) == [3, 1, 1])
    let carl = try graph.addUser("carl")
    try graph.follow(carl, as: bob)
    let found = try graph.read { try $0.suggestions(for: ann, SuggestionQuery(namedCount: 1)) }
    let suggested = found[0].user
    #expect(
      found
        == Page<Suggestion>([
          Suggestion(
            user: User(id: carl, username: "carl", followerCount: 1, isFollowedByViewer: suggested.isFollowedByViewer),
            mutualCount: 1,
            mutuals: found[0].mutuals)
        ]))
  }

  @Test("Results of a search box, counts and relations are made of their properties")
  func others() {
    let ann = User(id: 1, username: "ann")
    let results = SearchResults(query: "an", value: Page<User>([ann], total: 9))
    #expect(Array(results) == [ann] && results.value?.total == 9 && results.error == nil)
    let failed = SearchResults<Page<User>>(query: "x", error: .queryTooLong)
    #expect(failed.isEmpty && failed.value == nil && failed.error == .queryTooLong)
    #expect(
      SocialGraph.Counts(users: 1, likes: 2)
        == SocialGraph.Counts(users: 1, posts: 0, follows: 0, likes: 2, blocks: 0, mutes: 0))
    #expect(User.Relations(isFollowing: true).isFollowing && !User.Relations(isFollowing: true).isMuting)
    #expect(ChangeResult(sequence: 1, didChange: true, user: 2).user == 2)
  }

  @Test("A value that no graph could hold ends the process with the rule")
  func misuse() async {
    let name = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = User(id: 1, username: String(repeating: "a", count: 256))
    }
    #expect(Self.message(name).contains("at most 255 bytes"))
    let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let author = Post.Author(id: 1, username: "ann")
      _ = Post(id: 1, author: author, createdAt: 0, text: String(repeating: "a", count: 65_536))
    }
    #expect(Self.message(text).contains("at most 65,535 bytes"))
    let count = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = User(id: 1, username: "ann", followerCount: -1)
    }
    #expect(Self.message(count).contains("a count is from 0"))
    let authors = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let ann = User(id: 1, username: "ann")
      let posts = [Post.Author(ann), Post.Author(id: 1, username: "ann")].map {
        Post(id: 1, author: $0, createdAt: 0, text: "")
      }
      _ = Page<Post>(posts)
    }
    #expect(Self.message(authors).contains("the users of all authors, or none"))
  }

  private static func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}
