/// What a community of a synthetic history talks about.
struct Topic: Sendable {
  /// A verb in its three forms: plant, planting, planted.
  struct Verb: Sendable {
    let plain, progressive, past: String

    init(_ forms: String) {
      let words = forms.split(separator: " ").map(String.init)
      precondition(words.count == 3, "a verb has three forms")
      (plain, progressive, past) = (words[0], words[1], words[2])
    }
  }

  /// One word, for tags and in names of users.
  let name: String
  let things: [String]
  let verbs: [Verb]
  let places: [String]
  /// Where many post at the same time.
  let event: String

  private init(_ name: String, _ things: String, _ verbs: String, _ places: String, event: String) {
    func list(_ text: String) -> [String] { text.split(separator: ",").map { String($0.drop { $0 == " " }) } }
    self.name = name
    self.things = list(things)
    self.verbs = list(verbs).map(Verb.init)
    self.places = list(places)
    self.event = event
  }

  static let all = [
    Topic(
      "garden",
      "tomatoes, basil seedlings, the old apple tree, wild garlic, the compost, sunflowers, a fig cutting, radishes, "
        + "the raised beds, runner beans",
      "plant planting planted, water watering watered, prune pruning pruned, harvest harvesting harvested",
      "on the balcony, in the allotment, behind the house, in the greenhouse", event: "the seed swap"),
    Topic(
      "cycling",
      "the coast road, the north loop, a gravel track, the steep side of the hill, forty quiet kilometres, "
        + "the old railway path, the long way home, a new route",
      "ride riding rode, map mapping mapped, climb climbing climbed, explore exploring explored",
      "before breakfast, along the river, with a broken spoke, in the rain", event: "the spring race"),
    Topic(
      "astronomy",
      "the rings of Saturn, the Orion nebula, a thin new moon, the moons of Jupiter, the Perseids, a double star, "
        + "the Milky Way, a passing comet",
      "watch watching watched, photograph photographing photographed, sketch sketching sketched, find finding found",
      "from the roof, away from the city, through thin cloud, with the borrowed telescope",
      event: "the lunar eclipse"),
    Topic(
      "cooking",
      "sourdough, miso soup, lentils with lemon, dumplings, a plum tart, pickled radishes, flatbread, black bean stew, "
        + "fresh pasta",
      "cook cooking cooked, taste tasting tasted, make making made, share sharing shared",
      "for the neighbours, in the tiny kitchen, on an open fire, with what was left",
      event: "the street food festival"),
    Topic(
      "music",
      "the second verse, a slow waltz, jazz standards, an old folk song, the cello part, four simple chords, "
        + "a lullaby, the new mix",
      "play playing played, record recording recorded, practise practising practised, sing singing sang",
      "in the stairwell, after midnight, with the choir, on a borrowed guitar", event: "the open air concert"),
    Topic(
      "chess",
      "rook endings, the Sicilian, a strange gambit, knight forks, blitz games, the club ladder, pawn races, "
        + "my worst opening",
      "study studying studied, play playing played, analyse analysing analysed, teach teaching taught",
      "at the club, on the train, against the computer, in the park", event: "the city tournament"),
    Topic(
      "photo",
      "black and white film, street portraits, long exposures, fog over the river, market stalls, reflections, "
        + "old shop signs, night buses",
      "shoot shooting shot, print printing printed, scan scanning scanned, collect collecting collected",
      "at dawn, in the darkroom, with one lens, near the harbour", event: "the photo walk"),
    Topic(
      "code",
      "the parser, a race condition, unit tests, the old build script, a tiny compiler, the release notes, "
        + "the flaky test, one more refactoring",
      "debug debugging debugged, rewrite rewriting rewrote, ship shipping shipped, delete deleting deleted",
      "before lunch, in a single afternoon, with a rubber duck, on a Friday", event: "the hack night"),
  ]
}
