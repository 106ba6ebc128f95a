import Foundation
import Operations
import ShellLanguage

extension Session {
  /// What is known of commands, operations and queues before anything runs.
  var facts: HostFacts {
    HostFacts(
      shape: { name in
        switch name {
        case "operation": Self.operationShape
        case "queue": Self.queueShape
        default: nil
        }
      },
      existing: [
        "operation": Set(operations.names),
        "queue": Set(allQueues.map(\.name) + QueueRegistry.standingNames),
      ],
      lasting: ["queue"], value: CallFacts.value, mayWait: CallFacts.mayWait,
      runsBlockAtOnce: CallFacts.runsBlockAtOnce,
      makesNames: CallFacts.makesNames, names: CallFacts.names,
      mistakes: CallMistakes.mistakes, isNoName: CallFacts.isNoName,
      context: { signature, argument in
        signature.path == ["ops"] && argument == "where" ? "operation" : nil
      },
      countedShape: { $0 == "queues" ? "queue" : "operation" })
  }

  /// The properties of an operation; what is not told here can be anything.
  private static let operationShape: [String: StaticKind] = {
    var shape = Dictionary(
      OperationObject.propertyNames.map { ($0, StaticKind.unknown) }, uniquingKeysWith: { $1 })
    let outcomes = ["succeeded", "failed", "cancelled", "skipped"]
    let known: [String: StaticKind] = [
      "id": .oneOf(.number), "name": .oneOf(.string), "kind": .oneOf(.string),
      "queue": .oneOf(.string, .null), "state": .words(OperationState.allCases.map(\.rawValue)),
      "cancelled": .oneOf(.boolean), "outcome": .words(outcomes, orNull: true),
      "error": .oneOf(.record, .null),
      "priority": .words(Operation.QueuePriority.shellNames.map(\.name)),
      "qos": .words(QualityOfService.shellNames.map(\.name)), "dependencies": .oneOf(.list),
      "dependents": .oneOf(.list), "created": .oneOf(.number, .null),
      "ready": .oneOf(.number, .null), "started": .oneOf(.number, .null),
      "finished": .oneOf(.number, .null), "attempts": .oneOf(.number),
      "bytes": .oneOf(.number, .null), "status": .oneOf(.number, .null),
      "items": .oneOf(.number, .null), "wait": .oneOf(.number, .null),
      "waiting": .oneOf(.number, .null), "duration": .oneOf(.number, .null),
      "running": .oneOf(.number, .null),
    ]
    shape.merge(known) { $1 }
    for flag in OperationObject.flagNames { shape[flag] = .oneOf(.boolean) }
    return shape
  }()

  /// The properties of a queue.
  private static let queueShape: [String: StaticKind] = [
    "name": .oneOf(.string), "paused": .oneOf(.boolean), "width": .oneOf(.number),
    "pending": .oneOf(.number), "ready": .oneOf(.number), "executing": .oneOf(.number),
    "finished": .oneOf(.number), "operations": .oneOf(.list), "pace": .oneOf(.duration, .null),
  ]
}

/// What calls of commands give and make, before they run.
enum CallFacts {
  /// More operations than anybody names one by one.
  private static let many = 1_000_000

  /// The word that the names of what a command builds begin with, if it builds one operation per
  /// count.
  private static func builtWord(_ path: [String]) -> String? {
    switch (path.first, path.count) {
    case ("get", 1), ("head", 1), ("post", 1), ("put", 1), ("patch", 1), ("delete", 1),
      ("download", 1), ("block", 1), ("delay", 1), ("run", 1):
      path.first
    case ("fetch", 2) where ["questions", "answers", "quotes"].contains(path[1]),
      ("queue", 2) where path[1] == "barrier":
      path[1]
    default: nil
    }
  }

  /// The first words of commands that neither build anything nor run what does, but for their own
  /// blocks.
  private static let inertWords: Set<String> = [
    "wait", "expect", "never", "echo", "sleep", "time", "command", "fail", "source", "server",
    "endpoint",
    "app", "tags", "cache", "set", "help", "explain", "apropos", "version", "quit", "exit",
    "clear", "history", "save", "alias", "unalias", "!",
  ]

  /// Further ones, of whose first words others build something.
  private static let inertPaths: Set<[String]> = [["quotes"], ["quotes", "list"]]

  /// The first words of the commands in groups that build nothing.
  private static let wordsOfInertGroups: Set<String> = {
    let groups = ["Inspect", "Steer", "Observe", "Queues"]
    let words = CommandRegistry.groups.filter { groups.contains($0.title) }
      .flatMap { $0.commands.map { $0.signature.name } }
    return Set(words)
  }()

  /// The other commands that make names.
  private static let otherMakers = [["fetch", "tweets"], ["group"], ["queue", "new"]]

  /// Whether a command makes names; one of which nothing is said here may make any.
  static func makesNames(_ signature: CommandSignature) -> Bool {
    isMaker(signature) || canMakeAnything(signature)
  }

  private static func isMaker(_ signature: CommandSignature) -> Bool {
    builtWord(signature.path) != nil || otherMakers.contains(signature.path)
  }

  /// Whether a command may make any name, as far as is said here: behind it no name is wrong.
  static func canMakeAnything(_ signature: CommandSignature) -> Bool {
    !isMaker(signature) && !inertWords.contains(signature.name)
      && !wordsOfInertGroups.contains(signature.name) && !inertPaths.contains(signature.path)
  }

  /// The first words of other commands that never wait, and end nothing.
  private static let promptWords: Set<String> = [
    "echo", "set", "alias", "unalias", "help", "explain", "apropos", "version", "history",
    "endpoint", "server", "tags", "cache", "command", "priority", "qos", "deps", "start",
  ]

  /// Whether a command may wait for operations, or end some; anything unknown may.
  static func mayWait(_ signature: CommandSignature) -> Bool {
    if isMaker(signature) || promptWords.contains(signature.name) { return false }
    switch signature.name {
    case "queue":
      return signature.path.count > 1 && ["drain", "cancel", "remove"].contains(signature.path[1])
    case "follow", "cancel": return true
    default: return !wordsOfInertGroups.contains(signature.name)
    }
  }

  /// Whether a call runs its block where it stands, once.
  static func runsBlockAtOnce(_ call: HostFacts.Call) -> Bool {
    call.signature.path == ["group"] && call.option("count") == .absent
  }

  static func value(_ call: HostFacts.Call) -> StaticKind {
    let path = call.signature.path
    if path == ["queue", "new"] { return .object("queue") }
    guard builtWord(path) != nil || path == ["group"] else { return .unknown }
    switch call.option("count") {
    case .absent, .text("1"): return .object("operation")
    default: return .unknown
    }
  }

  static func names(_ call: HostFacts.Call) -> [(namespace: String, name: HostFacts.MadeName)] {
    let path = call.signature.path
    if let word = builtWord(path) {
      return made(call.option("name"), count: count(call), word).map { ("operation", $0) }
    }
    switch path {
    case ["fetch", "tweets"]:
      return made(call.option("name"), count: many, "tweets").map { ("operation", $0) }
    case ["group"]:
      let names = made(call.argument("name"), count: count(call), nil)
      return names.map { ("operation", $0) } + names.map { ("queue", $0) }
    case ["queue", "new"]:
      return made(call.argument("name"), count: 1, nil).map { ("queue", $0) }
    default: break
    }
    return canMakeAnything(call.signature) ? [("operation", .anything), ("queue", .anything)] : []
  }

  private static func count(_ call: HostFacts.Call) -> Int {
    switch call.option("count") {
    case .absent: 1
    case .text(let text): Int(text) ?? many
    case .dynamic: many
    }
  }

  private static func made(
    _ name: HostFacts.Call.Known, count: Int, _ word: String?
  ) -> [HostFacts.MadeName] {
    switch name {
    case .text(let name):
      // Where the count is not known it may be one, which has the name as it is.
      let alone: [HostFacts.MadeName] = count == 1 || count == many ? [.exact(name)] : []
      return alone + (count == 1 ? [] : [.numbered(name, count: count)])
    case .absent: return [word.map { .numbered($0, count: count) } ?? .anything]
    case .dynamic: return [.anything]
    }
  }

  /// Words that mean something else where a name can stand.
  private static let otherWords: Set<String> = Set(
    OperationRegistry.reservedNames + QueueRegistry.reservedNames)

  static func isNoName(_ signature: CommandSignature, _ text: String) -> Bool {
    if otherWords.contains(text) { return true }
    // A filter takes states and outcomes besides names.
    guard signature.path == ["ops"] || signature.name == "events" else { return false }
    return OperationState(rawValue: text) != nil
      || ["succeeded", "failed", "cancelled", "skipped"].contains(text)
  }
}
