// The friend search screen in SwiftUI. The view was never compiled: it was written where there is no SwiftUI. The model
// below is compiled by CI on Linux.
import Kith
import Observation

/// What the screen shows, and what its buttons do.
@Observable final class FriendSearch {
  let search: SearchModel<Page<User>>
  /// The message of the last change that failed.
  var failure: String?
  @ObservationIgnored private let graph: SocialGraph
  @ObservationIgnored private let me: UserID

  init(_ graph: SocialGraph, me: UserID) {
    (self.graph, self.me) = (graph, me)
    search = SearchModel(graph, .users(UserQuery(order: .followedFirst, excludedUser: me, viewer: me)))
  }

  func toggleFollow(of user: User) async {
    do {
      if user.isFollowedByViewer == true {
        try await graph.unfollow(user.id, as: me)
      } else {
        try await graph.follow(user.id, as: me)
      }
      failure = nil
    } catch {
      failure = "\(error)"
    }
  }
}

#if canImport(SwiftUI)
  import SwiftUI

  /// A search box, a list that follows the graph, and a follow button on every row.
  public struct FriendSearchScreen: View {
    @State private var model: FriendSearch

    /// - Parameter me: the user at the screen, for whom rows say whether they are followed.
    public init(_ graph: SocialGraph, me: UserID) { _model = State(initialValue: FriendSearch(graph, me: me)) }

    /// The screen.
    public var body: some View {
      @Bindable var search = model.search
      NavigationStack {
        List(search.results) { user in
          HStack {
            VStack(alignment: .leading) {
              Text(user.username)
              Text("\(user.followerCount) followers").font(.caption).foregroundStyle(.secondary)
            }
            Spacer()
            Button(user.isFollowedByViewer == true ? "Following" : "Follow") {
              Task { await model.toggleFollow(of: user) }
            }
            .buttonStyle(.bordered)
          }
        }
        .animation(.default, value: search.results.map(\.id))
        .overlay { if search.results.isEmpty, !search.isLoading { ContentUnavailableView.search } }
        .searchable(text: $search.text)
        .navigationTitle("Friends")
      }
      .alert("Nothing was changed", isPresented: .constant(model.failure != nil)) {
        Button("OK") { model.failure = nil }
      } message: {
        Text(model.failure ?? "")
      }
    }
  }
#endif
