import CommandParts
import OpshNetworking
import Operations
import OpshProcesses
import ShellLanguage
import ShellOutput
import ShellSession
import OpshTerminal

/// `follow`: shows the transitions and the output of an operation until it has finished.
enum Follow: Command {
  static let operation = Positional<OperationName>("operation", help: "an id, a name, 'last'")

  static let path = ["follow"]
  static let declaration = CommandDeclaration(
    summary: "Shows an operation's transitions and output until it has finished",
    discussion: """
      For a program ('run') it also shows what the program prints. Transitions that 'events' \
      shows already are not shown twice; for a finished operation it shows them all. Ctrl-C at \
      the prompt stops following, not the operation.
      """,
    positionals: [operation],
    examples: [
      .init("run echo hello; follow last", "a program to its end"),
      .init("delay 20ms; follow last", "the life of a delay"),
    ],
    searchTerms: ["tail", "live", "output", "attach", "watch", "log", "stream"],
    traits: [.inspects, .waits])

  static func run(_ invocation: Invocation) throws -> Value {
    let operation = try invocation.operation(Self.operation)
    guard invocation.run.ownOperation(of: invocation.context) !== operation else {
      throw invocation.call.failure(
        .waitsForItself, "'\(operation.displayName)' can't follow itself", at: Self.operation)
    }
    if operation.state != .finished { try invocation.refuseInReplay() }
    var view = FollowView(operation: operation, invocation: invocation)
    let own = invocation.run.ownOperation(of: invocation.context)
    let targets = WaitTargets([operation], of: own)
    // The reasons include that this body waits, as long as it does.
    var stuckReasons = ""
    let end = try targets.whileAwaited {
      let end = try invocation.run.waitWarningAtPrompt(
        until: nil, progress: targets,
        isStuck: { invocation.run.neverEnds(waitForAnyOf: [operation], by: own) },
        stuckMessage: {
          Jam(of: [operation], in: invocation).lines("it can't go on by itself")
        },
        {
          // Read before the log, so that every transition is shown before the end.
          let isOver = operation.state == .finished
          view.showNewLines(isLast: isOver)
          return isOver
        })
      if end == .stuck { stuckReasons = invocation.run.waitReasonsText([operation]) }
      return end
    }
    switch end {
    case .met, .timedOut: break
    case .interrupted:
      throw Interruption("stopped following '\(operation.displayName)', which goes on")
    case .stuck:
      throw invocation.call.failure(
        .neverEnds,
        "'\(operation.displayName)' can never finish: " + stuckReasons, at: Self.operation)
    }
    return .object(OperationObject(operation, clock: invocation.run.clock))
  }
}

extension Invocation {
  /// Whether the session shows transitions in the form, and to the reader, of this command's text.
  fileprivate var showsTransitions: Bool {
    guard screen.sink.value == nil else { return false }
    return switch screen.feed.destination {
    case .off: false
    case .standardError: !isJSON
    case .standardOutput: isJSON == screen.output.isJSON
    }
  }
}

/// How much of an operation has been shown.
private struct FollowView {
  let operation: ObservableOperation
  let invocation: Invocation
  private var cursor = 0
  private var text = TransitionText()
  private var output = StreamView(isError: false)
  private var errors = StreamView(isError: true)
  private var isFirst = true
  private var isShownAnyway = false

  init(operation: ObservableOperation, invocation: Invocation) {
    self.operation = operation
    self.invocation = invocation
  }

  mutating func showNewLines(isLast: Bool) {
    if let process = operation as? ProcessOperation {
      output.show(process, invocation, isLast: isLast)
      errors.show(process, invocation, isLast: isLast)
    }
    showTransitions()
  }

  private mutating func showTransitions() {
    if isFirst { isShownAnyway = invocation.showsTransitions && operation.state != .finished }
    isFirst = false
    while let page = invocation.jobs.engine.log.nextPage(from: &cursor) {
      guard !isShownAnyway else { continue }
      for entry in page where entry.operation.id == operation.id { invocation.print(entry, &text) }
    }
  }
}

/// How much of a stream of a program has been shown, and the incomplete line at its end.
private struct StreamView {
  let isError: Bool
  private var position = 0
  private var rest: [UInt8] = []
  /// The length at which an unfinished line is shown in parts.
  private static let greatestLine = 8192

  init(isError: Bool) { self.isError = isError }

  mutating func show(_ process: ProcessOperation, _ invocation: Invocation, isLast: Bool) {
    let (bytes, next, missed) = process.read(isError: isError, from: position)
    position = next
    if missed > 0 {
      rest = []
      invocation.print(
        StyledText("… \(ByteCount(missed).description) were not kept", style: .dim))
    }
    rest += bytes
    let end = rest.lastIndex(of: 0x0A)
    let isWhole = isLast || rest.count > Self.greatestLine
    let count = isWhole ? rest.count : end.map { $0 + 1 } ?? 0
    guard count > 0 else { return }
    let shown = Array(rest[..<count])
    rest.removeFirst(count)
    if invocation.isJSON || invocation.isShown {
      invocation.printText(String(decoding: shown, as: UTF8.self))
    } else {
      // The next output begins on a line of its own.
      invocation.write(bytes: isLast && shown.last != 0x0A ? shown + [0x0A] : shown)
    }
  }
}
