import CommandParts
import FoundationProcess
import OpshLocking
import Operations
import ShellLanguage
import ShellSession
import OpshSystemCalls

/// `async`: an operation that is finished from outside.
enum AsyncCommand: BuildCommand {
  static let name = Positional<String>(
    "name", .newName(reserved: OperationRegistry.reservedNames), help: "name of the operation")
  static let body = Positional<Block>("body", help: "statements that begin the work, in braces")
  static let forget = Option<[String]>(
    "forget",
    .choice([
      "finish", "ready", "cancel-check", "kvo:isReady", "kvo:isExecuting", "kvo:isFinished",
    ]),
    help: "mistake: what its code forgets; may be repeated, or take a,b")
  static let finish = Option<String?>(
    "finish", .choice(["twice", "before-start"]),
    help: "mistake: finishes twice, or before its queue has started it")
  static let ignoreCancel = Flag("ignore-cancel", help: "mistake: goes on when it is cancelled")
  static let ownReady = Flag(
    "own-ready", help: "mistake: 'isReady' turns false when it executes")
  static let lockWhileNotifying = Flag(
    "lock-while-notifying", help: "mistake: holds its lock while it sends key-value notifications")
  static let noLock = Flag(
    "no-lock", help: "mistake: no lock guards its result, so that it can have two")
  static let noGuard = Flag(
    "no-guard", help: "mistake: sends key-value notifications although nothing has changed")
  static let callSuperStart = Flag(
    "call-super-start", help: "mistake: its 'start' calls 'super.start', which finishes it")
  static let finishBeforeHandler = Flag(
    "finish-before-handler",
    help: "mistake: is seen as finished before its completion handler is called")
  static let kind = OperationKind.async

  /// The mistakes that are options of their own.
  private static let flags: [(flag: Flag, mistake: RawOperationPlan.Mistakes)] = [
    (ignoreCancel, .ignoresCancel), (ownReady, .ownsReadiness),
    (lockWhileNotifying, .notifiesLocked), (noLock, .unlocked), (noGuard, .unguarded),
    (callSuperStart, .callsSuperStart), (finishBeforeHandler, .finishesBeforeHandler),
  ]
  /// What the words of '--forget' and '--finish' say.
  private static let imitated: [String: RawOperationPlan.Mistakes] = [
    "finish": .forgetsFinish, "kvo:isFinished": .silentFinished,
    "kvo:isExecuting": .silentExecuting, "twice": .finishesTwice,
    "before-start": .finishesBeforeStart, "ready": .neverReady, "kvo:isReady": .silentReady,
    "cancel-check": .skipsCancelCheck,
  ]

  static let path = ["async"]
  static let declaration = CommandDeclaration(
    summary: "Builds an operation that executes until 'finish' ends it",
    discussion: """
      The body begins the work, as the 'start()' of an asynchronous operation does, on a thread of \
      its own. When it has ended, the operation goes on executing, without a thread, and keeps its \
      slot until 'finish NAME' is called: at the prompt, in a handler, or in another body. An error \
      in the body, '--timeout' and 'cancel' end it too. Forgetting 'finish' is the most \
      frequent mistake with such operations: 'why' shows it. The options marked 'mistake' imitate \
      others; 'help zoo' lists them.
      """,
    positionals: [name, body],
    options: [forget, finish] + flags.map(\.flag)
      + BuildOptions.all(without: BuildOptions.name),
    examples: [
      .init(
        "async upload { echo sending }; delay 20ms; on last finished { finish upload 200 }; wait",
        "a handler finishes it"),
      .init(
        "async upload { sleep 10ms }; async ack { finish upload; finish ack }; wait upload",
        "the body of another operation finishes it"),
      .init(
        "async jam --timeout 50ms { sleep 1ms }; why jam; wait --any-outcome",
        "one that is never finished, and a time limit that ends it"),
    ],
    searchTerms: [
      "asynchronous", "concurrent", "callback", "completion", "finish", "jam", "start",
      "isAsynchronous", "forget", "broken", "bug",
    ], traits: [.blockIsBody])

  static func names(createdBy call: CommandCall) -> [CreatedName] {
    CreatedName.operations(call.known(name), count: call.known(BuildOptions.count))
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let body = call[Self.body]
    let words = call[forget] + (call[finish].map { [$0] } ?? [])
    var mistakes = RawOperationPlan.Mistakes(words.compactMap { imitated[$0] })
    for (flag, mistake) in flags where call[flag] { mistakes.insert(mistake) }
    let captured = invocation.context.captured()
    let (jobs, run) = (invocation.jobs, invocation.run)
    let watch = run.bodyWatch
    let link = try invocation.foundationLink(for: kind)
    return try invocation.build(kind, named: call[name], at: name) { name in
      if let link {
        return FoundationOperation(
          name: name, kind: kind.name, engine: jobs.engine, link: link, style: .finishable,
          mistakes: mistakes, watch: watch
        ) { try run.runBody(body, of: $0, captured) }
      }
      return AsyncOperation(
        name: name, kind: kind.name, engine: jobs.engine, mistakes: mistakes,
        watch: watch
      ) {
        _ = try run.runBody(body, of: $0, captured)
      }
    }
  }
}
