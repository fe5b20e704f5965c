import Kith

/// `kith rank`: PageRank, connected components and degrees.
enum RankCommand {
  static let command = Command(
    name: "rank",
    summary: "ranks users by PageRank, and shows connected components and the degree distribution",
    positionals: [StoreQuery.store],
    options: [.limit, .json],
    examples: ["rank ./store", "rank ./store --limit 5 --json"],
    run: run)

  /// The results that are shown.
  private struct Survey {
    let ranks: PageRank
    let top: [(user: User, score: Double)]
    let components: [ConnectedComponents.Component]
    let degrees: DegreeDistribution
  }

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let limit = try arguments.pageLimit()
    let pin = try StoreQuery.open(arguments).pin()
    let survey = try StoreQuery.failing {
      let ranks = try pin.pageRank()
      let top = try ranks.top(limit, in: pin.view).map { (user: try pin.view.user($0.0), score: $0.1) }
      return Survey(
        ranks: ranks, top: top, components: try pin.connectedComponents().components,
        degrees: try pin.degreeDistribution())
    }
    try StoreQuery.write(arguments, text: text(survey)) { json(survey, &$0) }
    return 0
  }

  private static func json(_ survey: Survey, _ writer: inout JSONWriter) {
    writer.objects("users", survey.top) { writer, ranked in
      writer.member("id", ranked.user.id.rawValue)
      writer.member("username", ranked.user.username)
      writer.member("perMillion", Int((ranked.score * 1e6).rounded()))
    }
    writer.member("rounds", survey.ranks.rounds)
    writer.member("components", survey.components.count)
    writer.member("largestComponent", survey.components.first?.userCount ?? 0)
    writer.member("medianFollowers", orNull: survey.degrees.followers.quantile(0.5))
    writer.member("medianFollowees", orNull: survey.degrees.followees.quantile(0.5))
  }

  private static func text(_ survey: Survey) -> String {
    var table = Table([.right, .left, .right, .right])
    table.addHeading("id", "name", "followers", "PageRank")
    for (user, score) in survey.top {
      table.add(
        String(user.id.rawValue), printable(user.username), grouped(user.followerCount),
        "\(grouped(Int((score * 1e6).rounded()))) per million")
    }
    let largest = survey.components.first?.userCount ?? 0
    return table.text() + """
        components \(grouped(survey.components.count)), the largest of \(counted(largest, "user"))
        followers  \(spread(survey.degrees.followers))
        follows    \(spread(survey.degrees.followees))

      """
  }

  private static func spread(_ histogram: DegreeDistribution.Histogram) -> String {
    [(0.5, "median"), (0.9, "90 % at most"), (1, "at most")].compactMap { share, name in
      histogram.quantile(share).map { "\(name) \(grouped($0))" }
    }.joined(separator: ", ")
  }
}
