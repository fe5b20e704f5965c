import Foundation
import Kith

/// The routes: what each request asks of the graph.
///
///     GET    /search?q=an&as=1           people by name
///     GET    /users/1/timeline?cursor=…  what those write whom user 1 follows
///     POST   /users?name=ann             a new user
///     POST   /users/1/posts?text=hello   a new post
///     PUT    /users/1/follows/2          and DELETE
///     PUT    /users/1/likes/5            and DELETE
///     GET    /posts/5/likes              the number of likes, again whenever it differs (server-sent events)
struct Service: Sendable {
  let graph: SocialGraph

  enum Answer {
    case json(status: Int, any Encodable & Sendable)
    case likes(LiveValues<Int, KithError>)
  }

  struct Failure: Encodable { let error: String, message: String }
  private struct NotFound: Error {}

  func answer(_ request: Request) async -> Answer {
    do {
      return try await route(request)
    } catch let error as KithError {
      let statuses = ["unknownUser": 404, "unknownPost": 404, "usernameTaken": 409, "blocked": 403, "closed": 503]
      return .json(status: statuses[error.code] ?? 400, Failure(error: error.code, message: "\(error)"))
    } catch {
      return .json(status: 404, Failure(error: "notFound", message: "no such route"))
    }
  }

  private func route(_ request: Request) async throws -> Answer {
    func id<ID: RawRepresentable>(_ index: Int, _: ID.Type = ID.self) throws -> ID where ID.RawValue == Int64 {
      guard request.ids.indices.contains(index), let id = ID(rawValue: request.ids[index]) else { throw NotFound() }
      return id
    }
    let parameters = request.parameters
    // Queries take microseconds, so they run in the task. Changes wait for the disk: `await` suspends the task.
    switch "\(request.method) \(request.route)" {
    case "GET search":
      let query = UserQuery(order: .prefixFirst, limit: 10, viewer: parameters["as"].flatMap { UserID($0) })
      return .json(status: 200, try graph.read { try $0.searchUsers(parameters["q"] ?? "", query) })
    case "GET users/timeline":
      let query = TimelineQuery(cursor: parameters["cursor"].map { Cursor($0) })
      return .json(status: 200, try graph.read { [user = try id(0, UserID.self)] in try $0.timeline(of: user, query) })
    case "POST users":
      return .json(status: 201, ["id": try await graph.addUser(parameters["name"] ?? "")])
    case "POST users/posts":
      return .json(status: 201, ["id": try await graph.addPost(parameters["text"] ?? "", by: id(0))])
    case "PUT users/follows": return .json(status: 200, ["changed": try await graph.follow(id(1), as: id(0))])
    case "DELETE users/follows": return .json(status: 200, ["changed": try await graph.unfollow(id(1), as: id(0))])
    case "PUT users/likes": return .json(status: 200, ["changed": try await graph.like(id(1), as: id(0))])
    case "DELETE users/likes": return .json(status: 200, ["changed": try await graph.unlike(id(1), as: id(0))])
    case "GET posts/likes":
      let post: PostID = try id(0)
      _ = try graph.read { try $0.post(post) }  // an unknown post is an error before the stream begins
      return .likes(graph.values(of: LiveQuery.post(post).map(\.likeCount)))
    default: throw NotFound()
    }
  }
}
