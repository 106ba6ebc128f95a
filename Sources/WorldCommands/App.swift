import CommandParts
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
      time for those that are: operations built with '--essential'.
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
    invocation.print(StyledText(app.phase.rawValue + left + meaning))
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
      operations that have not finished by then are cancelled, too.
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
  static let path = ["app", "foreground"]
  static let declaration = CommandDeclaration(
    summary: "Brings the app back to the foreground",
    discussion: """
      Operations that still run have no time limit any more; those that were cancelled stay so.
      """,
    examples: [
      .init(
        "delay 50ms --essential; app background --grace 20s; app foreground; wait", "and back")
    ],
    searchTerms: ["life", "lifecycle", "resume", "launch", "ios"], traits: [.waits])

  static func run(_ invocation: Invocation) throws -> Value {
    let app = invocation.jobs.app
    let was = app.phase
    app.enterForeground()
    if was != .foreground { invocation.jobs.eventHandlers.fire(.foreground) }
    switch was {
    case .foreground: invocation.print("it is in the foreground already")
    case .background: invocation.print("in the foreground again")
    case .terminated: invocation.print("launched again")
    }
    return .null
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
