import Kith

/// What happens in a synthetic history, step by step: keeps who is there, what was posted and who follows whom, so that
/// every change has an effect.
struct HistoryRun {
  struct Member {
    let topic: Int
    /// Hours east of UTC.
    let zone: Int
    var name: String
    var isHere = true
    var followees: [Int32] = []
    var followed: Set<Int32> = []
    var posts: [Int32] = []
  }

  struct Posting {
    let author: Int32
    let topic: Int
    var isThere = true
    var likers: Set<Int32> = []
  }

  /// An event of a community.
  struct Event {
    let topic: Int
    let ticks: Range<Int>
  }

  /// How active people are in each hour of their day, of a hundred.
  static let hours = [
    10, 6, 4, 3, 3, 6, 18, 38, 52, 48, 44, 46, 58, 54, 46, 46, 52, 64, 76, 88, 100, 92, 60, 28,
  ]
  /// Hours east of UTC, as often as they are drawn.
  private static let zones = [-6, -5, -5, -3, 0, 0, 1, 1, 1, 2, 2, 3, 5, 8, 9]
  /// Of a hundred, how active each day is, from Thursday on: 1 January 1970 was one.
  private static let days = [92, 84, 100, 118, 96, 94, 96]

  let history: SeededHistory
  var random: RandomSource
  var names = HistoryNames()
  var members: [Member] = []
  var posts: [Posting] = []
  /// Members as often as they are active.
  private var tickets: [Int32] = []
  /// Members and targets of follows by topic: who is followed often is drawn often.
  var byTopic = [[Int32]](repeating: [], count: Topic.all.count)
  var followedByTopic = [[Int32]](repeating: [], count: Topic.all.count)
  /// Posts that were liked lately.
  var liked: [Int32] = []
  var blocks: Set<UInt64> = []
  private let events: [Event]
  /// What is left of the expected number of actions, in millionths.
  private var credit = [Int](repeating: 0, count: HistoryAction.allCases.count)
  var changes: [Change] = []
  /// The time of the next change, and about half of the time to the one after it.
  var now: Int64 = 0
  private var pause: Int64 = SeededHistory.tick
  /// When the step begins.
  private var start: Int64 = 0

  init(_ history: SeededHistory) {
    self.history = history
    random = RandomSource(seed: history.seed, stream: 7)
    var events: [Event] = []
    var tick = 5 * SeededHistory.ticksPerDay
    while tick < history.tickCount {
      // In the evening of Europe.
      let start = tick / SeededHistory.ticksPerDay * SeededHistory.ticksPerDay + 68 + random.below(8)
      events.append(Event(topic: random.below(Topic.all.count), ticks: start..<start + 10 + random.below(10)))
      tick += (3 + random.below(6)) * SeededHistory.ticksPerDay
    }
    self.events = events
  }

  /// The changes of a step, in order.
  mutating func changes(in tick: Int) -> [Change] {
    // About as many changes as in the step before, spread over the time of this one.
    pause = 2 * SeededHistory.tick / Int64(changes.count + 16)
    changes = []
    start = history.start + Int64(tick) * SeededHistory.tick
    now = start
    let intensity = intensity(at: start)
    grow(tick, intensity)
    guard members.count > 3 else { return changes }
    let current = events.first { $0.ticks.contains(tick) }
    if let current { celebrate(current) }
    for action in HistoryAction.allCases {
      // Members, times a rate for a thousand of them on a day, times the intensity around 50 of a hundred.
      credit[action.rawValue] += members.count * action.rate * intensity / (SeededHistory.ticksPerDay * 50)
      while credit[action.rawValue] >= 1_000 {
        credit[action.rawValue] -= 1_000
        pass()
        if let member = actor(start) { act(action, member) }
      }
    }
    return changes
  }

  /// Some seconds pass, within the step.
  mutating func pass() {
    now = min(start + SeededHistory.tick - 1_000, now + Int64(random.below(UInt64(pause))))
  }

  private func intensity(at time: Int64) -> Int {
    let hour = Int(time / 3_600_000)
    let active = Self.zones.reduce(0) { $0 + Self.hours[(hour + $1 + 24) % 24] } / Self.zones.count
    return active * Self.days[hour / 24 % 7] / 100
  }

  /// Lets people join: slowly, faster, slowly again.
  private mutating func grow(_ tick: Int, _ intensity: Int) {
    let share = Double(tick + 1) / Double(history.tickCount)
    let founders = max(4, history.userCount / 12)
    let curve = share * share * (3 - 2 * share)
    let wanted = min(history.userCount, founders + Int(Double(history.userCount - founders) * curve))
    var due = wanted - members.count
    if tick + 1 < history.tickCount, tick > 0 { due = min(due, random.below(2 + due * intensity / 60)) }
    for _ in 0..<max(0, due) {
      pass()
      join()
    }
  }

  private mutating func join() {
    // Some communities are larger than others.
    let topic = min(random.below(Topic.all.count), random.below(Topic.all.count + 2))
    let name = names.next(Topic.all[topic], &random)
    let number = Int32(members.count)
    members.append(Member(topic: topic, zone: random.pick(Self.zones), name: name))
    changes.append(.addUser(id: Self.user(number), username: name))
    byTopic[topic].append(number)
    // A few are very active: one of n is n times as likely to be drawn.
    let activity = min(40, 40 / (1 + random.below(40))) + 1
    for _ in 0..<activity { tickets.append(number) }
    for _ in 0..<3 + random.below(6) where members.count > 4 { follow(number) }
  }

  /// A member who is awake.
  private mutating func actor(_ time: Int64) -> Int32? {
    let hour = Int(time / 3_600_000)
    for _ in 0..<24 {
      let member = random.pick(tickets)
      let local = (hour + members[Int(member)].zone + 24) % 24
      if members[Int(member)].isHere, random.below(100) < Self.hours[local] { return member }
    }
    return nil
  }

  /// Posts of those who are at an event.
  private mutating func celebrate(_ event: Event) {
    let guests = byTopic[event.topic]
    guard !guests.isEmpty else { return }
    for _ in 0..<2 + guests.count / 18 {
      pass()
      let member = random.pick(guests)
      if members[Int(member)].isHere { post(member, .event) }
    }
    for _ in 0..<4 + guests.count / 5 {
      let member = random.pick(guests)
      if members[Int(member)].isHere { like(member) }
    }
  }

  static func user(_ number: Int32) -> UserID { UserID(Int64(number) + 1) }
  static func post(_ number: Int32) -> PostID { PostID(Int64(number) + 1) }
}
