import CommandParts
import Operations
import ShellLanguage
import ShellSession
import OpshSupport
import OpshTerminal

/// `app`: the state of the app that the session plays.
enum App: Command {
  static let path = ["app"]
  static let declaration = CommandDeclaration(
    summary: "Shows the state of the app: foreground, background or terminated",
    discussion: """
      An app that goes to the background cancels operations that are not essential, and has some \
      time for those that are: operations built with '--essential'. In the background, new \
      operations that are not essential wait for the foreground.
      """,
    examples: [.init("app; app background; app", "in the foreground, then in the background")],
    searchTerms: ["life", "lifecycle", "background", "suspend", "ios"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let app = invocation.jobs.app
    let left = app.remaining.map { ", \(DurationText($0).description) left" } ?? ""
    let meaning =
      switch app.phase {
      case .foreground: ": operations run; 'app background' leaves it"
      case .background: ": only operations built with '--essential' go on; 'app foreground' returns"
      case .terminated: ": nothing can be built; 'app foreground' launches it again"
      }
    let waiting = app.waiting
    let rest = waiting.isEmpty ? "" : "; wait for the foreground: \(OperationList.names(waiting))"
    invocation.print(StyledText(VisibleText.escape(app.phase.rawValue + left + meaning + rest)))
    return .string(app.phase.rawValue)
  }
}

/// `app background`: the user leaves.
enum AppBackground: Command {
  static let grace = Option<Duration>(
    "grace", default: .seconds(5), help: "time that essential operations have")

  static let path = ["app", "background"]
  static let declaration = CommandDeclaration(
    summary: "Sends the app to the background",
    discussion: """
      It cancels operations that are not essential at once. Those built with '--essential', and \
      the members of such a group, have the grace; the remaining time is shown each second, and \
      operations that have not finished by then are cancelled, too. What is built then and is not \
      essential waits until 'app foreground', except on a queue that Foundation runs.
      """,
    options: [grace],
    examples: [
      .init(
        "delay 60s --name avatar; delay 50ms --name upload --essential; app background; wait",
        "the upload finishes, the avatar is cancelled"),
      .init(
        "delay 60s --name upload --essential; app background --grace 50ms; wait",
        "the time is too short"),
    ],
    searchTerms: ["life", "lifecycle", "suspend", "essential", "grace", "ios"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    let grace = invocation.call[Self.grace]
    let was = invocation.jobs.app.phase
    // Only 'app foreground' launches it again.
    try invocation.refuseWhileTerminated("an app that has been terminated has no background")
    let (cancelled, essential) = invocation.jobs.app.enterBackground(
      grace: grace, on: invocation.screen)
    if was == .foreground { invocation.jobs.eventHandlers.fire(.background) }
    var text = "in the background: \(OperationTable.count(cancelled, "operation")) cancelled"
    if !essential.isEmpty {
      text += ", \(Value.duration(grace).text) for \(OperationList.names(essential))"
    }
    invocation.print(StyledText(VisibleText.escape(text)))
    return .null
  }
}

/// `app foreground`: the user comes back.
enum AppForeground: Command {
  static let retry = Flag("retry", help: "build anew what was cancelled since the app left")

  static let path = ["app", "foreground"]
  static let declaration = CommandDeclaration(
    summary: "Brings the app back to the foreground",
    discussion: """
      Operations that still run have no time limit any more, and those that were built in the \
      background and waited go on. What was cancelled stays so; with '--retry' each of those that \
      the move to the background, the end of its time, or 'app terminate' has cancelled is built \
      anew, as 'retry' does.
      """,
    options: [retry],
    examples: [
      .init(
        "delay 50ms --essential; app background --grace 20s; app foreground; wait", "and back"),
      .init(
        "delay 10ms --name sync; app background; wait; app foreground --retry; wait",
        "what was cancelled begins again"),
    ],
    searchTerms: ["life", "lifecycle", "resume", "launch", "ios"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    let app = invocation.jobs.app
    let was = app.phase
    let (waiting, cancelled) = app.enterForeground()
    if was != .foreground { invocation.jobs.eventHandlers.fire(.foreground) }
    let rest = waiting.isEmpty ? "" : "; waited for it: \(OperationList.names(waiting))"
    let text =
      switch was {
      case .foreground: "it is in the foreground already"
      case .background: "in the foreground again"
      case .terminated: "launched again"
      }
    invocation.print(StyledText(VisibleText.escape(text + rest)))
    guard invocation.call[retry] else { return .null }
    return .list(try rebuild(cancelled, invocation))
  }

  /// Builds anew what was cancelled, except for members of groups that are built anew.
  private static func rebuild(
    _ cancelled: [ObservableOperation], _ invocation: Invocation
  ) throws -> [Value] {
    let recipes = invocation.jobs.operations.recipes
    var again: [(operation: ObservableOperation, use: Invocation)] = []
    var unfinished: [ObservableOperation] = []
    for operation in cancelled {
      if operation.state != .finished {
        unfinished.append(operation)
      } else if operation.outcome == .cancelled,
        !operation.enclosingGroups.contains(where: \.isCancelled),
        invocation.jobs.operations.newestRetry(of: operation) === operation,
        let use = recipes.rebuilding(operation)
      {
        again.append((operation, use))
      }
    }
    if !unfinished.isEmpty {
      let names = OperationList.names(unfinished)
      invocation.screen.remark("not built anew, because not finished yet: \(names)")
    }
    return try invocation.rebuild(again.map(\.operation), by: again.map(\.use))
  }

  static func names(createdBy call: CommandCall) -> [CreatedName] {
    call.mentions(retry) ? CreatedName.anything : []
  }
}

/// `app terminate`: the system ends it.
enum AppTerminate: Command {
  static let path = ["app", "terminate"]
  static let declaration = CommandDeclaration(
    summary: "Ends the app and cancels all operations, essential or not",
    discussion: """
      The shell itself keeps running, but refuses to build operations until 'app foreground' \
      launches the app again.
      """,
    examples: [.init("delay 60s --essential; app terminate; wait", "nothing is spared")],
    searchTerms: ["life", "lifecycle", "kill", "quit", "ios"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    let was = invocation.jobs.app.phase
    let count = invocation.jobs.app.terminate()
    if was != .terminated { invocation.jobs.eventHandlers.fire(.terminate) }
    invocation.print(
      StyledText("terminated: \(OperationTable.count(count, "operation")) cancelled"))
    return .null
  }
}
