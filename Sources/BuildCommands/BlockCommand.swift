import CommandParts
import OpshLocking
import Operations
import ShellLanguage
import ShellSession

/// `block`: statements of the language as the body of an operation.
enum BlockCommand: BuildCommand {
  static let body = Positional<Block>("body", help: "statements in braces")
  static let forget = Option<String?>(
    "forget", .choice(["signal"]),
    help: "mistake: at its end the body waits for a signal that nothing sends")
  static let kind = OperationKind.block

  static let path = ["block"]
  static let declaration = CommandDeclaration(
    summary: "Builds an operation whose body is a block of statements",
    discussion: """
      The body runs on a thread of its own, in a scope of its own: it reads variables as they \
      were when the operation was built and can't assign them. '$self' is the operation, \
      '$input' the list of the values of what it depends on. Its value is that of its last \
      statement; an error or 'fail' makes it fail. Cancelling does not stop it: it can ask \
      '$self.cancelled'. In a group, what it builds belongs to the group.
      """,
    positionals: [body], options: [forget] + BuildOptions.all,
    examples: [
      .init("block { echo \"working\"; sleep 50ms }; wait", "a body that takes its time"),
      .init(
        "fetch questions --pagesize 3; block --after questions-1 { echo $input }; wait",
        "a body that uses what was fetched"),
    ],
    searchTerms: [
      "closure", "body", "code", "thread", "script", "semaphore", "signal", "mistake",
    ], traits: [.blockIsBody])

  static func run(_ invocation: Invocation) throws -> Value {
    let body = invocation.call[Self.body]
    let forgetsSignal = invocation.call[forget] != nil
    let captured = invocation.context.captured()
    let (jobs, run) = (invocation.jobs, invocation.run)
    let link = try invocation.foundationLink(for: kind)
    return try invocation.build(kind) { name in
      guard let link else {
        return run.blockOperation(
          body, captured, name: name, kind: kind.name, forgetsSignal: forgetsSignal)
      }
      return FoundationOperation(
        name: name, kind: kind.name, engine: jobs.engine, link: link, style: .synchronous
      ) { try run.runBody(body, of: $0, captured, forgetsSignal: forgetsSignal) }
    }
  }
}
