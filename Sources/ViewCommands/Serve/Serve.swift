import CommandParts
import OpshHTTPServing
import OpshJSON
import OpshLocking
import Operations
import SessionServer
package import ShellLanguage
import ShellOutput
package import ShellSession
import OpshTerminal

/// `serve`: shows the session to browsers, which can steer it.
enum Serve: Command {
  static let port = Option<Int?>(
    "port", .integer(minimum: 0, maximum: 65_535), help: "port (default 0: any that is free)")
  static let address = Option<String?>(
    "address", help: "address of this machine, in digits, at which others can follow")

  static let path = ["serve"]
  static let declaration = CommandDeclaration(
    summary: "Shows the session live to browsers, and lets one steer it",
    discussion: """
      It prints an address of this machine that ends in a secret; open it in a browser. The page \
      shows queues, operations and what is typed as they change, the timeline of the last 30 s, and \
      pauses, resumes, steps, cancels and so on by ordinary commands, on the virtual clock 'next' too: \
      each is shown here, and 'save' keeps it. Only this machine can steer. With '--address', a second address lets others follow, a \
      class for example, who can only look: up to 100 followers. What they see is masked as \
      recordings are, and travels unencrypted. It ends with 'serve off' or with the session, which \
      does not wait for it; only while a page that has steered is open, a script waits for what the \
      page has paused. While the session is served, 'serve' shows the address again.
      """,
    options: [port, address],
    examples: [
      .init(
        "serve > /dev/null; delay 10ms --count 3; wait; serve off",
        "served while it runs; without '> /dev/null' it prints the address"),
      .init("serve --port 0 > /dev/null; serve off", "any port that is free, as without '--port'"),
    ],
    searchTerms: [
      "browser", "web", "page", "live", "follow", "class", "share", "remote", "http", "dashboard",
    ], traits: [.worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    if let server = liveServer(of: invocation.run) {
      guard call[port] == nil, call[address] == nil else {
        throw call.failure(.alreadyServed, "the session is served already")
      }
      show(server, invocation)
      return .string(server.url)
    }
    // Only what serves the session itself goes on when inputs are taken again.
    if invocation.run.inputs.isRetaking { return .null }
    let served = try start(invocation)
    invocation.run.serving.withLock { $0 = served }
    show(served.server, invocation)
    // From now on masked wherever else it would be shown.
    invocation.screen.noteSecrets(served.server.secrets)
    return .string(served.server.url)
  }

  /// The server that shows the session to browsers; nil while there is none.
  private static func liveServer(of run: Run) -> LiveServer? {
    (run.serving.withLock { $0 } as? ServedSession)?.server
  }

  private static func start(_ invocation: Invocation) throws -> ServedSession {
    let call = invocation.call
    do throws(HTTPServingError) {
      return try ServedSession(invocation, port: UInt16(call[port] ?? 0), address: call[address])
    } catch {
      throw error.code == "address-unavailable"
        ? call.failure(error, at: address) : call.failure(error)
    }
  }

  /// Prints the addresses, whose secrets are masked everywhere else.
  static func show(_ server: LiveServer, _ invocation: Invocation) {
    if invocation.isJSON {
      return invocation.object(
        .serve,
        [
          "url": .string(server.url), "readers": .optional(server.readersURL),
          "followers": .number(server.followers),
        ])
    }
    var invocation = invocation
    invocation.isReceived = true
    invocation.print(StyledText(server.url))
    if let url = server.readersURL { invocation.print(StyledText("to follow only: \(url)")) }
    let count = server.followers
    if count > 0 {
      invocation.print(StyledText(OperationTable.count(count, "follower")))
    }
  }
}

/// `serve off`: ends serving.
enum ServeOff: Command {
  static let path = ["serve", "off"]
  static let declaration = CommandDeclaration(
    summary: "Ends what 'serve' began, and closes the pages' connections",
    examples: [.init("serve > page.txt; serve off", "served for a moment")],
    searchTerms: ["stop", "close", "disconnect"], traits: [.worksInReplay])

  static func run(_ invocation: Invocation) throws -> Value {
    if invocation.run.endServing(status: nil) == nil {
      invocation.printNothing("the session is not served")
    }
    return .null
  }
}

extension HTTPServingError: CodedError {}

extension ErrorPage {
  package static let alreadyServed = ErrorPage(
    "already-served", "The session is served already",
    "A session is served at one port. 'serve' alone shows its address.",
    help: "'serve off' ends it", wrong: "serve > a.txt\nserve --port 8080",
    right: "serve > a.txt\nserve off\nserve --port 0 > b.txt", proof: .running)
}

extension ObjectKind {
  package static let serve = ObjectKind(
    type: "serve", commands: "`serve`",
    keys: [
      ("url", "the address for steering, with its secret"),
      ("readers", "the address for those who only follow, or null"),
      ("followers", "how many pages follow the session"),
    ])
}
