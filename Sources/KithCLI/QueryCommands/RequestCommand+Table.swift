import Kith

/// The commands that answer one request.
extension RequestCommand {
  private static let user = (positional: Positional("USER", UserArgument.help), field: Field.user)
  private static let viewer = Setting(
    option: Option(
      "--as", "USER", "the viewer: hides users across a block, and shows what the viewer follows or likes"),
    field: .viewer)
  private static let limit = Setting(option: .limit, field: .limit)
  private static let cursor = Setting(option: .cursor, field: .cursor)
  private static let order = Setting(
    option: Option(
      "--order", "ORDER", "newest (the default) or name", choices: ListQuery.Order.allCases.map(\.rawValue)),
    field: .listOrder)
  private static let before = Setting(
    option: Option("--before", "TIME", "only posts created before this time"), field: .before)
  private static let after = Setting(
    option: Option("--after", "TIME", "only posts created after this time"), field: .after)
  private static let strict = Setting(
    option: Option("--strict", nil, "compares accents and letter forms; ignores case only"), field: .fold,
    word: .string(TextFolding.strict.rawValue))

  private static let noMuted = Setting(
    option: Option("--no-muted", nil, "without those whom the viewer mutes, and their posts"), field: .leaveOutMuted,
    word: .boolean(true), companion: viewer.option)
  private static let visitor = Setting(
    option: Option("--as-visitor", nil, "as a visitor, who is no user, sees posts"), field: .asVisitor,
    word: .boolean(true))

  private static let people = "USER is \(UserArgument.help)."
  private static let pages = "The last line of a page, or \"next\" with --json, has the cursor of the page after it."
  private static let times = "TIME is as in lists, such as 2026-02-28T23:59:07Z, or milliseconds since 1970."

  static let posts = RequestCommand(
    operation: .graph(.posts),
    summary: "searches posts by the words of their text and of their author's name, newest first",
    subject: (Positional("QUERY", "words, all of which a post must contain; \"\" for all posts"), .query),
    settings: [
      viewer, Setting(option: Option("--by", "USER", "only posts of this author"), field: .user),
      Setting(
        option: Option("--followed", nil, "only posts by users whom the viewer follows"), field: .following,
        word: .boolean(true), companion: viewer.option),
      strict, before, after,
      Setting(
        option: Option("--no-replies", nil, "without posts that reply"), field: .includeReplies, word: .boolean(false)),
      noMuted, visitor,
    ] + masks + [limit, cursor],
    notes: [people, times, pages, "Exit status: 0 found; 1 no post was found; 2 wrong usage or cannot open."],
    examples: ["posts ./store \"first snow\"", "posts ./store \"\" --by ann --after 2026-02-01T00:00:00Z --json"],
    isSearch: true)

  static let timeline = RequestCommand(
    operation: .graph(.timeline),
    summary: "shows a user's home timeline: their posts and those of their followees, newest first",
    subject: user,
    settings: [
      Setting(
        option: Option("--two-hops", nil, "also the posts of the followees' followees"),
        operation: .graph(.twoHopTimeline)),
      before, after,
      Setting(
        option: Option(
          "--newer", nil, "from --cursor, or the oldest post, to newer ones; the page is newest first too"),
        field: .direction, word: .string(TimelineQuery.Direction.newer.rawValue)),
    ] + sources + filters + [limit, cursor],
    notes: [
      "Without --targets, --members, --author and --everyone, the posts are those of whom the user follows.",
      times, pages + " With --newer, give the cursor \"previous\".",
    ],
    examples: [
      "timeline ./store ann", "timeline ./store 42 --before 2026-02-28T23:59:07Z --limit 5 --json",
      "timeline ./store ann --targets follow,subscribe --replies toFollowed",
      "timeline ./store ann --members member --of 17",
    ])

  private static let members = Option("--members", "RELATION", "posts of those whom edges lead to from a post")
  private static let list = Option("--of", "POST", "that post, such as a list of people")

  private static let sources = [
    Setting(
      option: Option("--targets", "RELATIONS", "posts of those whom edges of these relations lead to, such as a,b"),
      field: .relations),
    Setting(option: members, field: .relation, companion: list),
    Setting(option: list, field: .post, companion: members),
    Setting(option: Option("--author", "USER", "posts and reposts of one user, as on a profile"), field: .author),
    Setting(option: Option("--everyone", nil, "posts of all users"), field: .everyone, word: .boolean(true)),
  ]

  private static let filters =
    [
      choice("--replies", TimelineQuery.Replies.self, "which replies", .replies),
      choice("--reposts", TimelineQuery.Reposts.self, "how often a post is shown", .reposts),
      choice("--mentions", TimelineQuery.Mentions.self, "which posts with mentions", .mentions),
    ] + masks

  /// What flags and audiences posts may have.
  private static let masks = [
    Setting(option: Option("--flags-all", "MASK", "only posts with all of these flags, 0 to 65535"), field: .flagsAll),
    Setting(option: Option("--flags-any", "MASK", "only posts with one of these flags"), field: .flagsAny),
    Setting(option: Option("--flags-none", "MASK", "only posts with none of these flags"), field: .flagsNone),
    Setting(
      option: Option("--audiences", "WHICH", "only posts for these audiences, such as everyone,unlisted"),
      field: .audiences),
  ]

  /// An option with some words, of which the first is the default.
  private static func choice<Word: CaseIterable & RawRepresentable<String>>(
    _ name: String, _ words: Word.Type, _ help: String, _ field: Field
  ) -> Setting {
    let words = words.allCases.map(\.rawValue)
    return Setting(
      option: Option(name, "WHICH", "\(help): \(alternatives(words)); the default is \(words[0])", choices: words),
      field: field)
  }

  static let followers = RequestCommand(
    operation: .graph(.followers), summary: "lists the users who follow a user, newest follow first", subject: user,
    settings: [viewer, order, noMuted, limit, cursor], notes: [pages],
    examples: ["followers ./store ann", "followers ./store 42 --as bob --order name --limit 100 --json"])

  static let followees = RequestCommand(
    operation: .graph(.followees), summary: "lists the users whom a user follows, newest follow first", subject: user,
    settings: [viewer, order, noMuted, limit, cursor], notes: [pages],
    examples: ["followees ./store ann", "followees ./store 42 --order name --json"])

  static let likes = RequestCommand(
    operation: .graph(.likes), summary: "lists the posts that a user likes, newest like first", subject: user,
    settings: [viewer, visitor, noMuted, limit, cursor], notes: [pages],
    examples: ["likes ./store ann", "likes ./store 42 --limit 100 --json"])

  static let likers = RequestCommand(
    operation: .graph(.likers), summary: "lists the users who like a post, oldest like first",
    subject: (Positional("POST", "the id of a post"), .post), settings: [viewer, limit, cursor], notes: [pages],
    examples: ["likers ./store 17", "likers ./store 17 --as ann --json"])

  static let incoming = RequestCommand(
    operation: .graph(.incoming),
    summary: "shows what leads to a user (notifications): follows, likes, replies and others, newest first",
    subject: user,
    settings: [
      Setting(
        option: Option("--followed", nil, "only from users whom the user follows"), field: .incomingFrom,
        word: .string(IncomingQuery.Sources.followees.rawValue)),
      Setting(option: Option("--before", "TIME", "only what came before this time"), field: .before),
      Setting(option: Option("--after", "TIME", "only what came after this time"), field: .after),
      limit, cursor,
    ],
    notes: [times, pages], examples: ["incoming ./store ann", "incoming ./store 42 --followed --limit 5 --json"])

  static let stats = RequestCommand(
    operation: .session(.stats),
    summary: "shows counts, the number of the last change, and the memory of each structure",
    settings: [Setting(option: .compactLists), Setting(option: .compressTexts)],
    examples: ["stats ./store", "stats - < backup.kith.zst", "stats ./store --json"])
}
