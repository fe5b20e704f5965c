import Kith

/// `kith rank`: passes over the whole graph.
enum RankCommand {
  static let command = Command(
    name: "rank",
    summary: "shows who gets most attention (PageRank), and how the network is knit",
    positionals: [Positional("STORE", "a store directory or a snapshot; only read")],
    options: [.limit, .json],
    examples: ["rank ./store", "rank ./store --limit 5 --json"],
    run: run)

  /// All that is shown.
  private struct Survey {
    let ranks: PageRank
    let top: [(user: User, score: Double)]
    let components: [ConnectedComponents.Component]
    let degrees: DegreeDistribution
  }

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let limit = Int(try arguments.integer(.limit, in: 1...Int64(Limits.pageCount)) ?? 20)
    let pin = try StoreAccess.open(arguments.positionals[0], access: .readOnly).pin()
    let survey: Survey
    do throws(KithError) {
      let ranks = try pin.pageRank()
      var top: [(user: User, score: Double)] = []
      for (id, score) in ranks.top(limit, in: pin.view) { top.append((try pin.view.user(id), score)) }
      survey = Survey(
        ranks: ranks, top: top, components: try pin.connectedComponents().components,
        degrees: try pin.degreeDistribution())
    } catch {
      throw .no(error.description)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { json(survey, &$0) }
    } else {
      try Console.write(text(survey))
    }
    return 0
  }

  private static func json(_ survey: Survey, _ writer: inout JSONWriter) {
    writer.name("users")
    writer.array(survey.top) { writer, ranked in
      writer.object { writer in
        writer.member("id", ranked.user.id.rawValue)
        writer.member("username", ranked.user.username)
        writer.member("perMillion", Int((ranked.score * 1e6).rounded()))
      }
    }
    writer.member("rounds", survey.ranks.rounds)
    writer.member("components", survey.components.count)
    writer.member("largestComponent", survey.components.first?.userCount ?? 0)
    writer.member("medianFollowers", orNull: survey.degrees.followers.quantile(0.5))
    writer.member("medianFollowees", orNull: survey.degrees.followees.quantile(0.5))
  }

  private static func text(_ survey: Survey) -> String {
    var table = Table([.right, .left, .right, .right])
    table.add("id", "name", "followers", "attention")
    for (user, score) in survey.top {
      table.add(
        String(user.id.rawValue), printable(user.username), grouped(user.followerCount),
        "\(grouped(Int((score * 1e6).rounded()))) in a million")
    }
    let largest = survey.components.first?.userCount ?? 0
    return table.text() + """
        parts      \(grouped(survey.components.count)), the largest of \(grouped(largest)) users
        followers  \(spread(survey.degrees.followers))
        follows    \(spread(survey.degrees.followees))

      """
  }

  private static func spread(_ histogram: DegreeDistribution.Histogram) -> String {
    [(0.5, "median"), (0.9, "nine in ten at most"), (1, "at most")].compactMap { share, name in
      histogram.quantile(share).map { "\(name) \(grouped($0))" }
    }.joined(separator: ", ")
  }
}
