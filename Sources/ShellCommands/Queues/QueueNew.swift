import Operations
import ShellLanguage
import ShellSession

/// `queue new`: creates a queue.
enum QueueNew: Command {
  static let name = Positional<String>(
    "name", .newName(reserved: QueueRegistry.reservedNames), help: "name of the queue")
  static let width = Option<String?>(
    "width", QueueWidth.kind,
    help: "how many may execute at once: a number, or unlimited "
      + "(default \(QueueRegistry.defaultWidth))")
  static let paused = Flag("paused", help: "create it paused")

  static let signature = CommandSignature(
    path: ["queue", "new"],
    summary: "Creates a queue",
    positionals: [name], options: [width, paused],
    examples: [.init("queue new slow --width 1; delay 10ms --queue slow; wait", "one at a time")],
    searchTerms: ["create", "make", "add"])

  static func names(createdBy call: CheckedCall) -> [CreatedName] {
    switch call.known(name) {
    case .value(let name): [CreatedName("queue", .exact(name))]
    case .absent, .dynamic: [CreatedName("queue", .anything)]
    }
  }

  static func value(of call: CheckedCall) -> StaticKind { .object("queue") }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let name = call[Self.name]
    guard invocation.session.queue(named: name) == nil else {
      let taken = UnplacedError.taken(name)
      throw call.failure(taken, at: Self.name)
    }
    let width = try call[Self.width].map { try QueueWidth.parse($0, invocation) }
    do throws(UnplacedError) {
      let queue = try invocation.session.queues.make(
        name: name, width: width ?? QueueRegistry.defaultWidth)
      if call[paused] { queue.isSuspended = true }
      return .object(QueueObject(queue))
    } catch {
      throw call.failure(error, at: Self.name)
    }
  }
}
