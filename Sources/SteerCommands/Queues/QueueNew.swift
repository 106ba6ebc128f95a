import CommandParts
import Foundation
import Operations
import ShellLanguage
import ShellSession

/// `queue new`: creates a queue.
enum QueueNew: Command {
  static let name = Positional<String>(
    "name", .newName(reserved: QueueRegistry.reservedNames), help: "name of the queue"
  ).refusedEach { name in
    // One queue is always there.
    name == QueueRegistry.defaultName ? UnplacedError.taken(name) : nil
  }
  static let width = Option<String?>(
    "width", QueueText.widthKind,
    help: "how many may execute at once: a number, or unlimited "
      + "(default \(QueueRegistry.defaultWidth))")
  static let qos = Option<QualityOfService>(
    "qos", default: .default,
    help: "quality of service of operations that have none of their own; see 'help qos'")
  static let paused = Flag("paused", help: "create it paused")
  static let engine = Option<Engine>(
    "engine", default: .opsh,
    help: "what runs it: opsh, or a bare OperationQueue of Foundation in a process of its own")

  /// What runs a queue.
  enum Engine: String, CaseIterable, ParameterValue {
    case opsh, foundation
  }

  static let path = ["queue", "new"]
  static let declaration = CommandDeclaration(
    summary: "Creates a queue",
    discussion: """
      With '--engine foundation' the queue is an 'OperationQueue' in another process, so that a \
      crash or a jam of Foundation is seen and does no harm. It takes what 'block', 'async', \
      'delay' and 'fetch … --blocking' build, \(FoundationLink.maximumOperations) operations in \
      all; their bodies run in opsh. What Foundation does otherwise than opsh is pointed out as \
      it happens; a body that waits in a deadlock hangs. 'queue remove' ends the process.
      """,
    positionals: [name], options: [width, qos, paused, engine],
    examples: [
      .init("queue new slow --width 1; delay 10ms --queue slow; wait", "one at a time"),
      .init(
        "queue new urgent --qos userInitiated; block --queue urgent --name b { }; wait; show b",
        "its operations inherit the quality of service"),
      .init(
        "queue new raw --engine foundation; block --queue raw { echo hi }; wait; queue remove raw",
        "Foundation's own queue"),
    ],
    searchTerms: ["create", "make", "add", "engine", "foundation", "OperationQueue", "raw", "bare"])

  static func names(createdBy call: CommandCall) -> [CreatedName] {
    [CreatedName("queue", call.known(name).map { .exact($0) } ?? .anything)]
  }

  static func value(of call: CommandCall) -> StaticKind { .object("queue") }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let name = call[Self.name]
    let width = call[Self.width].map(QueueText.width)
    do throws(UnplacedError) {
      guard invocation.jobs.queue(named: name) == nil else { throw .taken(name) }
      let link = try call[engine] == .foundation ? self.link(named: name, invocation) : nil
      let queue = try invocation.jobs.queues.make(
        name: name, width: width ?? QueueRegistry.defaultWidth, quality: call[qos], link: link)
      link?.attach(queue)
      if call[paused] { queue.isSuspended = true }
      return .object(QueueObject(queue))
    } catch {
      throw call.failure(error, at: Self.name)
    }
  }

  static func clockUse(of call: CommandCall) -> ClockUse {
    guard call.known(engine) == .foundation else { return .none }
    return .needsRealTime(
      call.failure(takingRealTime: "a queue of Foundation takes real time", at: engine))
  }

  private static func link(
    named name: String, _ invocation: Invocation
  ) throws(UnplacedError) -> FoundationLink {
    try FoundationLink(
      name: name, program: invocation.run.configuration.program,
      environment: invocation.outside.environment
    ) { [weak screen = invocation.screen] in screen?.tell("queue", $0) }
  }
}
