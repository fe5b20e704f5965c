/// Sentences that can be read, of the words of a topic.
enum HistoryTexts {
  // <thing>, <other>, <do>, <doing>, <did>, <place>, <when>, <count>, <event>, <tag> are filled in.
  private static let posts = [
    "Finally <did> <thing> <place>.", "Anyone else <doing> <thing> <when>?", "I could talk about <thing> all day.",
    "Looking for advice on <thing>. What works for you?", "Two hours of <doing> <thing> and I regret nothing.",
    "Small win <when>: <did> <thing> <place>.", "Who wants to <do> <thing> with me <when>?",
    "Plan for <when>: <do> <thing>, then coffee.", "I say <thing>, my sister says <other>. Who is right?",
    "Thanks to everyone who helped me with <thing>!", "After <count> years of <doing> <thing> I still learn something.",
    "Nothing beats <doing> <thing> <place>.", "Today I <did> <thing>. Tomorrow <other>.",
    "I never thought I would <do> <other>, but here we are. #<tag>", "Tried to <do> <thing> <place>. It went badly.",
    "What is the best way to start with <thing>? Asking for a friend.", "<count> days in a row <doing> <thing>. #<tag>",
    "My notes on <thing> are online now. Corrections welcome.", "A perfect morning: tea, and <doing> <thing> <place>.",
    "If you <do> only one thing <when>, let it be <thing>.", "Old picture, found today: <thing> <place>.",
    "Unpopular opinion: <other> is overrated. Give me <thing> any day.",
  ]
  private static let replies = [
    "Same here!", "Where was this?", "How long did it take you?", "Congratulations, that is lovely.",
    "I would start with <other> instead.", "Can I join <when>?", "Send a picture!", "Agreed. <thing> is underrated.",
    "This made my day.", "I tried that <place> and it works.", "Not sure. I had more luck with <other>.",
    "You should meet the people of <event>.", "Thank you, I needed to hear that.", "Please write more about <thing>.",
    "Ha, I did exactly the same <when>.", "Good question. I would also like to know.",
  ]
  private static let events = [
    "<event> has started! #<tag>", "On my way to <event>.", "Best one in years: <event>. #<tag>",
    "Did you see that?! #<tag>", "Still smiling after <event>.", "So many friendly faces at <event>. #<tag>",
    "Half of my timeline is at <event>, and so am I.", "Last minute: <event>, who else is here? #<tag>",
    "I came for <event> and stayed for <thing>.",
  ]
  private static let times = ["this weekend", "tonight", "tomorrow", "next week", "on Sunday", "after work"]

  enum Kind {
    case post, reply, event
  }

  static func text(_ kind: Kind, about topic: Topic, _ random: inout RandomSource) -> String {
    let sentences =
      switch kind {
      case .post: posts
      case .reply: replies
      case .event: events
      }
    var text = filled(random.pick(sentences), topic, &random)
    if kind == .post, random.below(4) == 0 { text += " " + filled(random.pick(posts), topic, &random) }
    return text
  }

  private static func filled(_ sentence: String, _ topic: Topic, _ random: inout RandomSource) -> String {
    let (place, other) = (random.below(topic.things.count), 1 + random.below(topic.things.count - 1))
    let verb = random.pick(topic.verbs)
    let words = [
      "<thing>": topic.things[place], "<other>": topic.things[(place + other) % topic.things.count],
      "<do>": verb.plain, "<doing>": verb.progressive, "<did>": verb.past, "<place>": random.pick(topic.places),
      "<when>": random.pick(times), "<count>": String(2 + random.below(19)), "<event>": topic.event,
      "<tag>": topic.name,
    ]
    var text = ""
    for (index, piece) in sentence.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
      let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      guard index > 0, parts.count == 2 else {
        text += piece
        continue
      }
      let word = words["<\(parts[0])>"] ?? ""
      let beginsSentence = text.isEmpty || text.hasSuffix(". ") || text.hasSuffix("! ")
      text += (beginsSentence ? word.prefix(1).uppercased() + word.dropFirst() : word) + parts[1]
    }
    return text
  }
}

/// Names as people give themselves.
struct HistoryNames {
  private static let given = words(
    """
    Ada Amara Anders Aiko Bea Bruno Camille Carlos Chidi Clara Dana Davi Elif Elena Emil Esther Farah Felix Freya Gaia
    Georg Hana Hugo Ida Imani Ines Ivan Jana Jonas José Julia Kaia Kenji Lars Leila Lena Lina Luca Maja Malik Maren
    Marta Mateo Maya Mina Mira Nadia Nils Noor Nora Olga Omar Oskar Pablo Petra Priya Rafael Rosa Ruben Sami Sanna
    Selma Sofia Stella Sven Tara Tomas Uma Vera Viktor Wanda Yara Yusuf Zoë Zita
    """)
  private static let family = words(
    """
    Abbas Adeyemi Almeida Andersen Bauer Becker Berg Blom Castro Chen Costa Dahl Diaz Dubois Eriksen Farkas Ferrari
    Fischer Fuentes Gomez Haas Hansen Hoang Horvat Ibrahim Ito Jensen Kaya Keller Kim Klein Kovac Lang Larsen Lind
    Lopez Maier Mendes Meyer Mori Moreau Mwangi Nakamura Navarro Nguyen Novak Okafor Olsen Park Patel Pereira Peters
    Rahman Ramos Reyes Ricci Romano Rossi Saito Santos Sato Schmidt Silva Singh Sousa Suzuki Tanaka Torres Varga Vega
    Weber Wong Yilmaz Young Zhang
    """)

  private var taken: Set<String> = []

  private static func words(_ text: String) -> [String] {
    text.split { $0 == " " || $0 == "\n" }.map(String.init)
  }

  mutating func next(_ topic: Topic, _ random: inout RandomSource) -> String {
    let (given, family) = (random.pick(Self.given), random.pick(Self.family))
    var name =
      switch random.below(10) {
      case 0...2: "\(given.lowercased()).\(family.lowercased())"
      case 3, 4: "\(given) \(family)"
      case 5: "\(given.lowercased())_\(topic.name)"
      case 6: "\(given.lowercased())\(family.prefix(1).lowercased())"
      case 7: "\(given)\(family)"
      case 8: "\(given.prefix(1).lowercased())\(family.lowercased())"
      default: "\(given.lowercased())\(60 + random.below(45))"
      }
    while !taken.insert(name.lowercased()).inserted { name += String(random.below(10)) }
    return name
  }
}
