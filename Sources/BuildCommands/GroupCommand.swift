import CommandParts
import Operations
import ShellLanguage
import ShellSession

/// `group`: operations that belong together, as one.
enum GroupCommand: BuildCommand {
  static let name = Positional<String>(
    "name", .newName(reserved: GroupNames.reservedNames), help: "name of the group and of its queue"
  ).refused { call, parameter in
    // The queues that every session has keep their names.
    guard let name = call.known(parameter), !call.mentions(BuildOptions.count),
      [QueueRegistry.defaultName, QueueRegistry.systemName].contains(name)
    else { return nil }
    return call.failure(GroupNames.takenByQueue(name), at: parameter)
  }
  static let body = Positional<Block>(
    "body", help: "statements that build its operations, in braces")
  static let width = Option<String?>(
    "width", QueueText.widthKind, help: "how many of its operations may execute at once")
  static let open = Flag("open", help: "keep it unfinished, and let more be added, until 'close'")
  static let kind = OperationKind("group")

  static let path = ["group"]
  static let declaration = CommandDeclaration(
    summary: "Builds an operation that consists of others",
    discussion: """
      The statements of the block run at once. What they build goes on the group's own queue, \
      which has the group's name; what '--queue' puts on another one is not in the group. It \
      starts when the group executes, and the group finishes when all of it has. The group is added \
      to its queue when the block has run; an error in the block cancels what it has built. More \
      can be added with '--queue' until the group has finished; with '--open' it does not finish \
      before 'close', so that a handler of its last member can still add to it. \
      '--retry', '--backoff' and '--jitter' say how each operation in it is retried, except requests \
      that may change something; the group itself is never retried. Cancelling the group cancels \
      all of them, and the group. It fails if one of them has failed; else its outcome is cancelled \
      if one was cancelled, and skipped if one was skipped. With '--members-may-be-cancelled' those \
      that were cancelled, and those that were skipped because of them, do not count.
      """,
    positionals: [name, body],
    options: [width, open] + BuildOptions.ofGroups,
    examples: [
      .init(
        "group sync { delay 10ms; delay 20ms }; wait; show sync", "two delays as one operation"),
      .init(
        "group all-of-it --width 1 { fetch questions --pagesize 3; group rest { delay 5ms } }; wait",
        "one after the other, with a group in the group"),
      .init(
        "group work --open { delay 5ms --name first }; "
          + "on first finished { delay 5ms --queue work; close work }; wait",
        "more is added when all that was in it has finished"),
      .init(
        "group g --members-may-be-cancelled { delay 10s --name a; delay 5ms }; cancel a; wait; "
          + "expect (g.outcome == succeeded)", "a group that succeeds without one of its members"),
    ],
    searchTerms: ["nested", "children", "compound", "batch", "GroupOperation", "subtasks"],
    blockVariables: [])

  static func names(createdBy call: CommandCall) -> [CreatedName] {
    let operations = CreatedName.operations(
      call.known(name), count: call.known(BuildOptions.count))
    return operations + operations.map { CreatedName("queue", $0.extent) }
      + (call.mentions(open) ? operations.map { CreatedName("open group", $0.extent) } : [])
  }

  static func runsBlockOnce(_ call: CommandCall) -> Bool { !call.mentions(BuildOptions.count) }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let body = call[Self.body]
    let options = try BuildOptions(invocation)
    let width = call[Self.width].map(QueueText.width)
    let names = try invocation.reserveNames(
      call[name], count: options.count, kind: "group", at: name)
    if let taken = names.first(where: { invocation.jobs.queues.queue(named: $0) != nil }) {
      names.forEach(invocation.jobs.operations.releaseName)
      throw call.failure(GroupNames.takenByQueue(taken), at: name)
    }
    var built: [GroupOperation] = []
    do {
      for (place, name) in zip(invocation.places(of: options.count), names) {
        let group = GroupOperation(
          name: name,
          maxConcurrentOperationCount: width
            ?? InspectableQueue.defaultMaxConcurrentOperationCount, engine: invocation.jobs.engine)
        group.isOpen = call[open]
        group.membersMayBeCancelled = call[BuildOptions.membersMayBeCancelled]
        try options.apply(to: group)
        if options.isEssential { invocation.jobs.app.noteEssential(group) }
        let former = invocation.register(
          group, at: place, isNamed: true, underConstructionFor: options.queue)
        built.append(group)
        try fill(group, body, options, replacing: former, invocation)
      }
    } catch {
      names.dropFirst(built.count).forEach(invocation.jobs.operations.releaseName)
      throw abandon(built, because: error, invocation)
    }
    for group in built { invocation.jobs.operations.endConstruction(of: group) }
    do {
      try invocation.place(built, options)
    } catch {
      // What was built for it would wait for it without end.
      throw abandon(built, because: error, invocation)
    }
    return invocation.objects(built)
  }

  /// Runs the block; what it builds goes into the group.
  private static func fill(
    _ group: GroupOperation, _ body: Block, _ options: BuildOptions,
    replacing former: ObservableOperation?, _ invocation: Invocation
  ) throws {
    var info = invocation.info
    info.group = group
    info.formerGroup = former
    info.retry = options.retry
    try invocation.context.with(userInfo: info).run(body)
  }

  /// Ends what has been built of groups that can't be completed, and says so with the error.
  private static func abandon(
    _ groups: [GroupOperation], because error: any Error, _ invocation: Invocation
  ) -> any Error {
    var notes: [String] = []
    for group in groups {
      let count = invocation.run.abandon(
        group, by: "the error in the block of group '\(group.displayName)'")
      let members =
        count == 0 ? "" : count == 1 ? " with its operation" : " with its \(count) operations"
      notes.append("group '\(group.displayName)' was cancelled\(members)")
    }
    switch error {
    case var diagnostic as Diagnostic:
      let call = invocation.call
      diagnostic.labels += notes.map {
        .init($0, source: call.source, range: call.range(of: name) ?? call.range)
      }
      return diagnostic
    case let interruption as Interruption:
      return Interruption(([interruption.message] + notes).joined(separator: "; "))
    default: return error
    }
  }
}
