import CommandParts
import OpshNetworking
import Operations
import PracticeServer
package import ShellLanguage
import ShellOutput
import ShellSession
import OpshSystemCalls
import OpshTerminal

/// `server log`: the requests that reached the practice server.
enum ServerLog: Command {
  static let last = Option<Int?>(
    "last", .integer(minimum: 0), help: "number of requests to show, the latest (default 30)")
  static let follow = Flag("follow", short: "f", help: "also show requests as they are answered")
  static let limit = Option<Duration?>("for", help: "how long '--follow' goes on")
    .refused { call, limit in
      guard call.has(limit), call.lacks(follow) else { return nil }
      return call.failure(
        .notFollowing, "'--for' says how long '--follow' goes on", at: limit)
    }

  static let path = ["server", "log"]
  static let declaration = CommandDeclaration(
    summary: "Shows the requests that reached the practice server",
    discussion: """
      Each line has the time, method, status, bytes of the body, duration, target with secrets \
      masked, and the faults that struck the request. A request is listed from its arrival on: \
      in place of the duration stands what holds its response back, and for how long, or that the \
      client cut it. '--follow' shows further requests as they \
      are answered: at the prompt until Ctrl-C, in a script until nothing can run any more, and \
      with '--for' at most that long. The log keeps the latest 2,000, also after 'server reset'.
      """,
    options: [last, follow, limit],
    examples: [
      .init("fetch questions --pagesize 2; wait; server log", "what was asked"),
      .init("fetch questions; fetch answers; server log --follow --for 10s", "as it happens"),
      .init(
        "set clock virtual; server latency 2s; fetch questions\nsleep 200ms; server log\n"
          + "cancel all; server log",
        "a request that the server holds back, and then one that the client has cut"),
    ],
    searchTerms: ["requests", "traffic", "access", "history", "follow", "tail"],
    traits: [.inspects])

  private static let usualCount = 30

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let isFollowing = call[follow]
    let text = RequestText(invocation)
    try awaitClosedConnections(invocation)
    let all = invocation.server.records()
    let shown = all.records.suffix(call[last] ?? (isFollowing ? 0 : usualCount))
    let earlier = all.records.count - shown.count
    if earlier > 0, !call.has(last), !isFollowing, !invocation.isJSON {
      invocation.print(
        StyledText("\(earlier) earlier: server log --last \(all.records.count)", style: .dim))
    }
    for record in shown { text.show(record) }
    if isFollowing {
      // What is shown as it began is shown again with its end.
      var followed = FollowedRequests(cursor: all.cursor)
      if let first = shown.first(where: { !$0.isFinished }) {
        followed = FollowedRequests(
          cursor: first.number - 1, shown: Set(shown.filter(\.isFinished).map(\.number)))
      }
      try showNewRecords(&followed, text)
    } else if all.records.isEmpty {
      invocation.printNothing("no request has reached the practice server")
    }
    return .list(shown.map(RequestText.value))
  }

  /// How long a connection that is being closed may delay the list.
  private static let patience = Duration.milliseconds(200)

  /// Waits until the connections of cancelled requests are closed, and the server has noticed that.
  private static func awaitClosedConnections(_ invocation: Invocation) throws {
    guard !invocation.outside.network.isLocal else { return }
    let (clock, operations) = (invocation.run.clock, invocation.jobs.operations)
    _ = try invocation.run.wait(until: clock.now + patience, isBrief: true) {
      !operations.all.contains { $0.isFinished && $0.networkMetrics?.isTransferring == true }
    }
    invocation.server.noticeClosedConnections(within: patience)
  }

  private static func showNewRecords(_ followed: inout FollowedRequests, _ text: RequestText) throws
  {
    let invocation = text.invocation
    let server = invocation.outside.network.server
    let deadline = invocation.call[limit].map { invocation.run.clock.now + $0 }
    let end = try server.following({ [weak wakeUp = invocation.run.wakeUp] in wakeUp?.signal() }) {
      try invocation.run.wait(
        until: deadline,
        isStuck: {
          guard !invocation.screen.isTypedAtPrompt, deadline == nil else { return false }
          return !invocation.run.canFinish(anyOf: invocation.jobs.operations.unfinished)
        },
        {
          followed.read(server, text.show)
          return false
        })
    }
    followed.read(server, text.show)
    followed.readRest(server, text.show)
    if end == .interrupted { throw Interruption("stopped following") }
  }
}

/// What has been shown of a log that goes on: requests end in another order than they arrive.
struct FollowedRequests {
  /// Everything up to here is known.
  private(set) var cursor: Int
  /// Those after the cursor that have been shown.
  private var shown: Set<Int>

  init(cursor: Int, shown: Set<Int> = []) {
    self.cursor = cursor
    self.shown = shown
  }

  /// Shows what has ended since, and moves the cursor over it.
  mutating func read(_ server: PracticeServer, _ show: (RequestRecord) -> Void) {
    let batch = server.records(after: cursor)
    if let first = batch.records.first, first.number > cursor + 1 { cursor = first.number - 1 }
    for record in batch.records {
      if record.isFinished, shown.insert(record.number).inserted { show(record) }
      if record.number == cursor + 1, shown.remove(record.number) != nil { cursor += 1 }
    }
    shown = shown.filter { $0 > cursor }
  }

  /// Shows what has not ended yet.
  mutating func readRest(_ server: PracticeServer, _ show: (RequestRecord) -> Void) {
    for record in server.records(after: cursor).records where !shown.contains(record.number) {
      show(record)
    }
  }
}

extension ErrorPage {
  package static let notFollowing = ErrorPage(
    "not-following", "An option is for '--follow' only",
    "'--for' says how long '--follow' goes on.", help: "add '--follow'",
    wrong: "server log --for 1s", right: "server log --follow --for 10ms")
}
