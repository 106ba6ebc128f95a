import OpshLocking

@testable import ShellLanguage

/// A host with commands in the manner of the real ones, which remembers what was printed.
final class TestHost: CommandHost {
  private struct State {
    var lines: [String] = []
    var objects: [String: Value] = [:]
    var interruptAfter: Int?
    var betweenCount = 0
    var handlers: [(Block, ExecutionContext)] = []
    var bound: [String] = []
  }

  private let state = Locked(State())
  let catalog = CommandCatalog(TestHost.signatures)

  var lines: [String] { state.withLock { $0.lines } }
  var betweenCount: Int { state.withLock { $0.betweenCount } }

  /// What variables were about to have, in order.
  var bound: [String] { state.withLock { $0.bound } }

  func willBind(_ name: String, to value: Value) {
    state.withLock { $0.bound.append("\(name) = \(value.text)") }
  }

  func print(_ line: String) { state.withLock { $0.lines.append(line) } }
  func add(_ object: TestObject) { state.withLock { $0.objects[object.text] = .object(object) } }
  func interrupt(after count: Int) { state.withLock { $0.interruptAfter = count } }

  struct Interrupt: Error {}
  struct Leaving: Error {}
  struct PlainFailure: Error {}

  func isControlTransfer(_ error: any Error) -> Bool { error is Interrupt || error is Leaving }

  func object(named name: String, in context: ExecutionContext) -> Value? {
    state.withLock { $0.objects[name] }
  }

  func operations(in selection: OperationSelection) throws -> [Value] {
    let objects = state.withLock { $0.objects }.sorted { $0.key < $1.key }
    switch selection {
    case .all, .collection: return objects.map(\.value)
    case .matching(let pattern, let written):
      let found = objects.filter { pattern.matches($0.key) }.map(\.value)
      if found.isEmpty { throw UnplacedError(.unknownOperation, "nothing matches '\(written)'") }
      return found
    }
  }

  func suggestions(forObject name: String) -> [String] {
    Spelling.suggestions(for: name, among: state.withLock { Array($0.objects.keys) })
  }

  func betweenStatements() throws {
    state.withLock { $0.betweenCount += 1 }
  }

  func checkInterrupt(in context: ExecutionContext) throws {
    let isDue = state.withLock { state in
      guard let left = state.interruptAfter else { return false }
      state.interruptAfter = left - 1
      return left <= 0
    }
    if isDue { throw Interrupt() }
  }

  func collection(named name: String) -> [Value]? { nil }
  func keptNumber(of clause: CountClause) throws -> Int? { nil }
  func willCount() {}
  func explanation(forMissing name: String) -> UnplacedError? { nil }
  func willRun(_ statement: Statement, in context: ExecutionContext) {}
  func willLeave(_ statement: Statement, in context: ExecutionContext) {}

  func show(_ value: Value) throws { print(value.text) }

  func withRedirectedOutput(
    _ redirection: Redirection, _ body: () throws -> Value
  ) throws -> Value {
    var parts = redirection.programs.map { "| " + $0.joined(separator: " ") }
    if let file = redirection.file { parts.append((file.isAppending ? ">> " : "> ") + file.path) }
    print("[" + parts.joined(separator: " "))
    let value = try body()
    print("]")
    return value
  }

  func run(_ call: CommandCall, in context: ExecutionContext) throws -> Value {
    switch call.signature.fullName {
    case "echo":
      print(call.strings("text").joined(separator: " "))
      return .string(call.strings("text").joined(separator: " "))
    case "words":
      print(call.values("text").map { "<\($0.typeName) \($0.text)>" }.joined())
      return .list(call.values("text"))
    case "fetch questions":
      let name = call.string("name") ?? "questions-1"
      let object = TestObject(name, ["state": .string("finished"), "count": .integer(30)])
      add(object)
      return .object(object)
    case "fail": throw call.failure(.failed, call.string("why") ?? "failed", at: "why")
    case "break-down": throw UnplacedError(.timedOut, "it took too long")
    case "break-plainly": throw PlainFailure()
    case "expect":
      guard let expression = call.expression("condition") else { return .null }
      if try context.holds(expression) { return .boolean(true) }
      throw call.failure(.expectation, "not met", at: "condition")
    case "ops":
      guard let filter = call.expression("where") else { return .null }
      let subject = Value.record([
        .init("state", .string("ready")), .init("id", .integer(7)),
        .init("ready", .real(1.5)),
      ])
      print(try context.evaluate(filter, subject: subject).text)
      return .null
    case "block": return try runBody(call, context)
    case "on", "on queue":
      if let block = call.block("body") {
        state.withLock { $0.handlers.append((block, context)) }
      }
      return .null
    case "fire":
      for (block, context) in state.withLock({ $0.handlers }) {
        try context.run(block, bindings: ["self": .string("me")])
      }
      return .null
    case "time":
      print("timed")
      return try call.block("command").map { try context.run($0) } ?? .null
    case "exit": throw Leaving()
    default:
      print(describe(call))
      return .null
    }
  }

  /// Runs the body with variables as they are now, on this thread.
  private func runBody(_ call: CommandCall, _ context: ExecutionContext) throws -> Value {
    guard let block = call.block("body") else { return .null }
    return try context.captured().run(block, bindings: ["self": .string("me"), "input": .list([])])
  }

  private func describe(_ call: CommandCall) -> String {
    var parts = [call.signature.fullName]
    for positional in call.signature.positionals where call.has(positional.name) {
      parts.append(positional.name + "=" + call.strings(positional.name).joined(separator: ","))
    }
    for option in call.signature.options where call.has(option.name) {
      parts.append("--" + option.name + "=" + call.strings(option.name).joined(separator: ","))
    }
    return parts.joined(separator: " ")
  }
}

/// A thing with properties.
final class TestObject: LanguageObject {
  let text: String
  private let properties: [String: Value]

  init(_ name: String, _ properties: [String: Value]) {
    self.text = name
    self.properties = properties
  }

  var typeName: String { "operation" }
  var propertyNames: [String] { properties.keys.sorted() }
  func property(_ name: String) -> Value? { properties[name] }
}

extension TestHost {
  private typealias Positional = CommandSignature.Positional
  private typealias Option = CommandSignature.Option

  private static let common = [
    Option("name", .name("operation")),
    Option("after", .name("operation"), repeats: true),
    Option("timeout", .duration),
    Option("count", short: "n", .integer(minimum: 1)),
    Option("hold"),
  ]

  private static func command(
    _ path: [String], positionals: [CommandSignature.Positional] = [],
    options: [CommandSignature.Option] = [], traits: CommandDeclaration.Traits = []
  ) -> CommandSignature {
    CommandSignature(
      path: path,
      CommandDeclaration(summary: "", positionals: positionals, options: options, traits: traits))
  }

  static let signatures: [CommandSignature] = [
    command(["echo"], positionals: [Positional("text", .any, .repeating)]),
    command(["words"], positionals: [Positional("text", .any, .repeating)]),
    command(
      ["fetch", "questions"],
      options: common + [Option("tagged", .string, repeats: true), Option("limit", .size)]),
    command(["fetch", "answers"], options: common),
    command(["get"], positionals: [Positional("url", .url)], options: common),
    command(["delay"], positionals: [Positional("time", .duration)], options: common),
    command(["queue"]),
    command(
      ["queue", "pause"],
      positionals: [Positional("queue", .name("queue"), .optional)]),
    command(
      ["queue", "width"],
      positionals: [
        Positional("queue", .name("queue"), .optional),
        Positional("width", .oneOf([.integer(minimum: 0), .choice(["unlimited", "auto"])])),
      ]),
    command(
      ["cancel"],
      positionals: [Positional("operation", .name("operation"), .oneOrMore)]),
    command(
      ["priority"],
      positionals: [
        Positional("operation", .name("operation"), .oneOrMore),
        Positional("level", .choice(["veryLow", "low", "normal", "high", "veryHigh"])),
      ]),
    command(
      ["deps"],
      positionals: [
        Positional("operation", .name("operation")),
        Positional("on", .name("operation"), .repeating, keyword: "on"),
        Positional("off", .name("operation"), .repeating, keyword: "off"),
      ]),
    command(
      ["expect"],
      positionals: [
        Positional("condition", .expression),
        Positional("within", .duration, .optional, keyword: "within"),
      ]),
    command(["ops"], options: [Option("where", .expression)]),
    command(
      ["block"], positionals: [Positional("body", .block)], options: common,
      traits: [.blockIsBody]),
    command(
      ["on"],
      positionals: [
        Positional("operation", .name("operation")),
        Positional("event", .choice(["finished", "failed"])), Positional("body", .block),
      ]),
    command(
      ["on", "queue"],
      positionals: [
        Positional("queue", .name("queue")), Positional("event", .choice(["empty"])),
        Positional("body", .block),
      ]),
    command(["fire"]),
    command(["fail"], positionals: [Positional("why", .string, .optional)]),
    command(["break-down"]),
    command(["break-plainly"]),
    command(
      ["time"], positionals: [Positional("command", .command)],
      options: [Option("quiet")]),
    command(
      ["run"],
      positionals: [
        Positional("program", .string), Positional("argument", .string, .repeating),
      ], options: [Option("name", .name("operation"))], traits: [.passesOptionsOn]),
    command(
      ["!"], positionals: [Positional("text", .string, .repeating)],
      traits: [.passesOptionsOn]),
    command(
      ["source"], positionals: [Positional("file", .file)],
      traits: [.includesScript]),
    command(
      ["exit"],
      positionals: [Positional("status", .integer(minimum: 0), .optional)],
      traits: [.endsScript]),
    command(["server", "fail"], positionals: [Positional("share", .percent)]),
    command(["events"], positionals: [Positional("state", .boolean)]),
    command(
      ["scale"], positionals: [Positional("factor", .real)],
      options: [Option("level", .integer(minimum: 1, maximum: 9))]),
  ]
}

extension ErrorPage {
  static let timedOut = page("timed-out")
  static let failed = page("failed")
  static let expectation = page("expectation")

  private static func page(_ code: String) -> ErrorPage {
    ErrorPage(code, "An error of the host", "", wrong: "()", right: "")
  }
}
