import Operations
import ShellLanguage

/// `queue new`: makes a queue.
enum QueueNew: Command {
  static let signature = CommandSignature(
    path: ["queue", "new"],
    summary: "Makes a queue",
    positionals: [.init("name", .newName(reserved: QueueRegistry.reservedNames), help: "its name")],
    options: [
      .init("width", QueueWidth.kind, help: "how many may execute at once; 2 if left out"),
      .init("paused", help: "begin paused"),
    ],
    examples: [.init("queue new slow --width 1; delay 10ms --queue slow; wait", "one at a time")],
    searchTerms: ["create", "make", "add"])

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let name = call.string("name") ?? ""
    guard invocation.session.queue(named: name) == nil else {
      let taken = NameError.taken(name)
      throw call.failure("bad-name", taken.message, at: "name", help: taken.help)
    }
    let width = try call.string("width").map { try QueueWidth.parse($0, invocation) }
    do throws(NameError) {
      let queue = try invocation.session.queues.make(
        name: name, width: width ?? QueueRegistry.defaultWidth)
      if call.flag("paused") { queue.isSuspended = true }
      return .object(QueueObject(queue))
    } catch {
      throw call.failure("bad-name", error.message, at: "name", help: error.help)
    }
  }
}
