import CommandParts
import Operations
package import ShellLanguage
import ShellSession

/// `queue remove`: removes a queue.
enum QueueRemove: Command {
  static let queue = Positional<QueueName>("queue", help: "queue to remove").refusedEach { name in
    [QueueRegistry.defaultName, QueueRegistry.mainName].contains(name)
      ? UnplacedError(.defaultQueue, "'\(name)' can't be removed") : nil
  }
  static let force = Flag("force", help: "cancel what is on it or held for it")

  static let path = ["queue", "remove"]
  static let declaration = CommandDeclaration(
    summary: "Removes an empty queue",
    discussion: """
      A queue with unfinished operations is not removed: 'queue resume' and 'queue drain' empty \
      it, after 'start' has added those that are held for it. With '--force' they are cancelled; \
      what executes ends when it notices, and the queue is gone at once. With a queue of Foundation ('queue \
      new NAME --engine foundation') its process ends, and unfinished operations fail. Its \
      observers and handlers end. The queues '\(QueueRegistry.defaultName)' and \
      '\(QueueRegistry.mainName)' cannot be removed.
      """,
    positionals: [queue], options: [force],
    examples: [
      .init("queue new spare; queue remove spare; queue", "created and removed"),
      .init(
        "queue new spare --paused; delay 1s --queue spare; queue remove spare --force; ops",
        "with what waits on it"),
    ],
    searchTerms: ["delete", "destroy"], traits: [.waits, .removesNames])

  static func run(_ invocation: Invocation) throws -> Value {
    let queue = try invocation.queue(Self.queue)
    let call = invocation.call
    if invocation.jobs.group(of: queue) != nil {
      throw call.failure(
        .queueOfGroup, "'\(queue.name)' is the queue of a group and goes with it", at: Self.queue)
    }
    if let link = queue.driver as? FoundationLink {
      link.stop()
      invocation.jobs.remove(queue)
      return .null
    }
    let (unfinished, held) = (
      queue.operations, invocation.jobs.operations.held(for: queue)
    )
    if call[force] {
      invocation.run.abandon(unfinished + held, on: queue, by: "'queue remove \(queue.name)'")
    } else if !unfinished.isEmpty || !held.isEmpty {
      let all = unfinished + held
      let which =
        unfinished.isEmpty
        ? "held for it" : held.isEmpty ? "unfinished" : "unfinished or held for it"
      throw call.failure(
        .queueNotEmpty,
        "'\(queue.name)' has \(all.count) \(all.count == 1 ? "operation" : "operations") \(which): "
          + OperationList.names(all),
        at: Self.queue, help: help(queue, isHeld: !held.isEmpty))
    }
    invocation.jobs.remove(queue)
    return .null
  }

  private static func help(_ queue: InspectableQueue, isHeld: Bool) -> String {
    let wait =
      isHeld
      ? "'start' adds what is held"
      : queue.isSuspended
        ? "'queue resume \(queue.name)' lets them start"
        : "'queue drain \(queue.name)' waits for them"
    return wait + "; 'queue remove \(queue.name) --force' cancels them"
  }
}

extension ErrorPage {
  package static let defaultQueue = ErrorPage(
    "default-queue", "The queue cannot be removed",
    "There is always a queue 'network' and a queue 'main'.", help: "'queue pause' holds it",
    wrong: "queue remove network", right: "queue new slow\nqueue remove slow")

  package static let queueNotEmpty = ErrorPage(
    "queue-not-empty", "The queue holds unfinished operations",
    "A queue is removed when nothing is on it or held for it.",
    help: "'queue resume' and 'queue drain' empty it; '--force' cancels what is on it",
    wrong: "queue new slow --paused\ndelay 1ms --queue slow\nqueue remove slow",
    right: "queue new slow\ndelay 1ms --queue slow\nwait\nqueue remove slow", proof: .running)
}
