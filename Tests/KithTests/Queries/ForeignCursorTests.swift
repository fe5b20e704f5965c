import Testing

@testable import Kith

/// Every cursor in every list: it continues its own list, and no list of another kind, order or subject.
@Suite struct ForeignCursorTests {
  /// Users 1 and 2 have lists of every kind with several items; 3…6 follow them and each other, 9 and 10 are followed
  /// by 3…6 alone, 7 and 8 are blocked.
  private static func pair() throws -> ModelPair {
    var pair = ModelPair()
    for user in 1...10 { try pair.make(.addUser(id: nil, username: "anne\(user)")) }
    for user in [1, 2, 3, 4, 5, 6, 9, 10] as [UserID] {
      for number in 1...2 {
        let time = Timestamp(user.rawValue * 7 % 5 * 1_000 + Int64(number))
        try pair.make(.addPost(id: nil, by: user, text: "snow \(number)", createdAt: time))
      }
    }
    for user in 1...6 as ClosedRange<Int64> {
      let time = Timestamp(user % 4 * 1_000)
      for target in 1...6 as ClosedRange<Int64> where target != user {
        try pair.make(.follow(as: UserID(user), target: UserID(target), at: time))
      }
      for target in [9, 10] as [UserID] where user > 2 {
        try pair.make(.follow(as: UserID(user), target: target, at: time))
      }
      for post in 1...4 as ClosedRange<Int64> {
        try pair.make(.like(as: UserID(user), post: PostID(post), at: time))
      }
    }
    for user in [1, 2] as [UserID] {
      for target in [7, 8] as [UserID] { try pair.make(.block(as: user, target: target)) }
      for target in [3, 4] as [UserID] { try pair.make(.mute(as: user, target: target)) }
    }
    return pair
  }

  /// Each list that has cursors, one item a page: of two subjects or more, and in every order.
  private static var lists: [Question] {
    var lists: [Question] = []
    for order in UserQuery.Order.allCases {
      lists.append(.searchUsers("anne", UserQuery(order: order, limit: 1, viewer: 1)))
    }
    lists.append(.searchUsers("anne", UserQuery(match: .fuzzy, limit: 1)))
    for author in [nil, 3, 5] as [UserID?] {
      for followedOnly in [false, true] {
        lists.append(.searchPosts("snow", PostQuery(author: author, followedOnly: followedOnly, limit: 1, viewer: 1)))
      }
    }
    for user in [1, 2] as [UserID] {
      for direction in TimelineQuery.Direction.allCases {
        lists.append(.timeline(user, TimelineQuery(direction: direction, limit: 1)))
        lists.append(.twoHops(user, TimelineQuery(direction: direction, limit: 1), followLimit: 1_000))
      }
      for order in ListQuery.Order.allCases {
        lists.append(.followees(user, ListQuery(order: order, limit: 1)))
        lists.append(.followers(user, ListQuery(order: order, limit: 1)))
      }
      lists += [.likes(user, ListQuery(limit: 1)), .likers(PostID(user.rawValue), ListQuery(limit: 1))]
      lists += [.blocked(user, ListQuery(limit: 1)), .muted(user, ListQuery(limit: 1))]
    }
    for (user, other) in [(1, 2), (2, 1), (1, 3), (3, 1)] as [(UserID, UserID)] {
      lists += Question.Mutuals.allCases.map { .mutuals(user, other, $0, MutualQuery(limit: 1)) }
    }
    return lists
  }

  @Test("Every cursor is taken by the lists of its own kind, order and subject, and refused by all others")
  func everyPair() throws {
    let pair = try Self.pair()
    let pin = pair.graph.pin()
    let lists = Self.lists
    var (takenCount, refusedCount) = (0, 0)
    for own in lists {
      let (reply, expected) = (pin.view.reply(to: own), pair.model.reply(to: own))
      #expect(reply.agrees(with: expected), "\(own)")
      var places: [(cursor: Cursor, place: ReferenceModel.Place)] = []
      for (cursor, place) in [(reply.next, expected.next), (reply.previous, expected.previous)] {
        if let cursor, let place { places.append((cursor, place)) }
      }
      #expect(reply.next != nil && !places.isEmpty, "\(own) is one page")
      for (cursor, place) in places {
        for other in lists {
          let right = pair.model.reply(to: other, from: place)
          // As a page had it, and as a host kept it.
          for cursor in [cursor, Cursor(cursor.text)] {
            let reply = pin.view.reply(to: other, fromExactly: cursor)
            #expect(reply.agrees(with: right), "a cursor of \(own) in \(other)")
          }
          if case .refusal(let codes) = right.answer {
            #expect(codes == ["invalidCursor"])
            refusedCount += 1
          } else {
            takenCount += 1
          }
        }
      }
    }
    // Each list takes its own cursors; a timeline also those of its other direction.
    #expect(takenCount >= lists.count && takenCount < 2 * lists.count)
    #expect(refusedCount > lists.count * lists.count * 9 / 10)
  }
}
