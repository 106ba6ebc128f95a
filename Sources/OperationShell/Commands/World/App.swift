import Networking
import Operations
import ShellLanguage
import Terminal

/// `app`: where in its life the app is that the session plays.
enum App: Command {
  static let signature = CommandSignature(
    path: ["app"],
    summary: "Shows where in its life the app is",
    discussion: """
      An app that goes to the background ends what is not essential, and is given some time for \
      what is: operations built with '--essential'.
      """,
    examples: [.init("app; app background; app", "in front, then behind")],
    searchTerms: ["life", "lifecycle", "background", "suspend", "ios"])

  static func run(_ invocation: Invocation) throws -> Value {
    let app = invocation.session.app
    let left = app.remaining.map { ", \(DurationText($0).description) left" } ?? ""
    invocation.print(StyledText(app.phase.rawValue + left))
    return .string(app.phase.rawValue)
  }
}

/// `app background`: the user leaves.
enum AppBackground: Command {
  static let signature = CommandSignature(
    path: ["app", "background"],
    summary: "Sends the app to the background",
    discussion: """
      Operations that are not essential are cancelled at once. Those built with '--essential', \
      and what is in such a group, have the grace; the time left is shown each second, and what \
      has not finished by then is cancelled too.
      """,
    options: [
      .init("grace", .duration, help: "how long essential operations have; 5s if left out")
    ],
    examples: [
      .init(
        "delay 60s --name avatar; delay 50ms --name upload --essential; app background; wait",
        "the upload finishes, the avatar is cancelled"),
      .init(
        "delay 60s --name upload --essential; app background --grace 50ms; wait",
        "the time is too short"),
    ],
    searchTerms: ["life", "lifecycle", "suspend", "essential", "grace", "ios"])

  static func run(_ invocation: Invocation) throws -> Value {
    let grace = invocation.call.duration("grace") ?? .seconds(5)
    let session = invocation.session
    // Only 'app foreground' launches it again.
    try invocation.refuseWhileTerminated("an app that has been terminated has no background")
    let (cancelled, essential) = session.app.enterBackground(session, grace: grace)
    var text = "in the background: \(OperationTable.count(cancelled, "operation")) cancelled"
    if !essential.isEmpty {
      text += ", \(Value.duration(grace).text) for \(OperationTable.names(essential))"
    }
    invocation.print(StyledText(VisibleText.escape(text)))
    return .null
  }
}

/// `app foreground`: the user comes back.
enum AppForeground: Command {
  static let signature = CommandSignature(
    path: ["app", "foreground"],
    summary: "Brings the app back to the foreground",
    discussion: "What still runs goes on without a limit; what was cancelled stays so.",
    examples: [
      .init(
        "delay 50ms --essential; app background --grace 20s; app foreground; wait", "and back")
    ],
    searchTerms: ["life", "lifecycle", "resume", "launch", "ios"])

  static func run(_ invocation: Invocation) throws -> Value {
    let app = invocation.session.app
    let was = app.phase
    app.enterForeground()
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
  static let signature = CommandSignature(
    path: ["app", "terminate"],
    summary: "Ends the app: everything is cancelled, essential or not",
    discussion: """
      The shell itself goes on, but an app that does not run builds no operations: they are \
      refused until 'app foreground' launches it again.
      """,
    examples: [.init("delay 60s --essential; app terminate; wait", "nothing is spared")],
    searchTerms: ["life", "lifecycle", "kill", "quit", "ios"])

  static func run(_ invocation: Invocation) throws -> Value {
    let session = invocation.session
    let count = session.app.terminate(session)
    invocation.print(
      StyledText("terminated: \(OperationTable.count(count, "operation")) cancelled"))
    return .null
  }
}

extension Invocation {
  /// Refuses to build or start anything for an app that does not run.
  func refuseWhileTerminated(
    _ message: String = "the app has been terminated, so nothing can be added to its queues"
  ) throws {
    guard session.app.phase == .terminated else { return }
    throw call.failure(
      "app-terminated", message, help: "'app foreground' launches it again")
  }
}
