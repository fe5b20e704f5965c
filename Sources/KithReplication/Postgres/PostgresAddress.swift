#if Replication
  /// Where a log is: the options of a connection URL, and its servers one by one.
  ///
  /// The library would try the servers always in the order of the URL, and wait for one that accepts a connection and
  /// never answers. So they are tried here, in rotation, each with a time of its own.
  struct PostgresAddress: Sendable {
    /// A server of the URL.
    struct Server: Hashable, Sendable {
      /// A name, an address, or a directory of sockets; empty for the library's default.
      let host: String
      /// Empty for the library's default.
      let port: String
      /// The numeric address, if the URL has one beside the name.
      let address: String
    }

    let servers: [Server]
    /// The options without those that name servers.
    private let options: [(name: String, value: String)]

    /// - Parameter options: what the library reads from the URL.
    /// - Returns: nil if the lists of hosts and ports differ in length.
    init?(_ options: [(name: String, value: String)]) {
      func list(_ name: String) -> [String] {
        guard let value = options.first(where: { $0.name == name })?.value, !value.isEmpty else { return [] }
        return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      }
      let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
      let count = max(hosts.count, addresses.count, 1)
      guard [0, count].contains(hosts.count), [0, count].contains(addresses.count) else { return nil }
      guard [0, 1, count].contains(ports.count) else { return nil }
      servers = (0..<count).map { index in
        Server(
          host: hosts.isEmpty ? "" : hosts[index],
          port: ports.isEmpty ? "" : ports[ports.count == 1 ? 0 : index],
          address: addresses.isEmpty ? "" : addresses[index])
      }
      self.options = options.filter { !["host", "hostaddr", "port"].contains($0.name) }
    }

    /// What the library needs to connect to one server.
    /// - Parameter takesChanges: whether it must take changes; if not, a standby will do.
    func connectionText(to server: Server, application: String, takesChanges: Bool = true) -> String {
      var words = options
      func add(_ name: String, _ value: String, replacing: Bool = false) {
        if let index = words.firstIndex(where: { $0.name == name }) {
          if replacing { words[index].value = value }
        } else if !value.isEmpty {
          words.append((name, value))
        }
      }
      add("host", server.host)
      add("hostaddr", server.address)
      add("port", server.port)
      add("target_session_attrs", takesChanges ? "read-write" : "any", replacing: true)
      add("application_name", application)
      add("client_encoding", "UTF8", replacing: true)
      return words.map { "\($0.name)=\(Self.quoted($0.value))" }.joined(separator: " ")
    }

    private static func quoted(_ value: String) -> String {
      "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
  }

  extension PostgresAddress.Server: CustomStringConvertible {
    /// The server for messages: without user and password.
    var description: String {
      let name = host.isEmpty ? (address.isEmpty ? "the local server" : address) : host
      return port.isEmpty ? name : "\(name):\(port)"
    }
  }
#endif
