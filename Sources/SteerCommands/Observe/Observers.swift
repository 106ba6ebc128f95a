import CommandParts
import ShellLanguage
import ShellSession
import OpshTerminal

/// `observers`: the observers and handlers at present.
enum Observers: Command {
  static let path = ["observers"]
  static let declaration = CommandDeclaration(
    summary: "Lists observers and handlers",
    discussion: "'unobserve' takes their numbers.",
    examples: [.init("delay 10ms; observe last isFinished; observers; wait", "one observer")],
    searchTerms: ["list", "handlers", "hooks", "kvo"], traits: [.inspects])

  static func run(_ invocation: Invocation) throws -> Value {
    let eventHandlers = invocation.jobs.eventHandlers
    var rows: [(number: Int, cells: [StyledText])] = []
    for observer in eventHandlers.observers {
      rows.append(
        (
          observer.number,
          [
            StyledText("observe"),
            StyledText(names(of: observer.operations, in: invocation.jobs) ?? observer.subject),
            StyledText(observer.keyPaths.joined(separator: " ") + " (\(observer.options))"),
          ]
        ))
    }
    for handler in eventHandlers.handlers {
      rows.append(
        (
          handler.number,
          [
            StyledText("on"),
            StyledText(names(of: handler.operations, in: invocation.jobs) ?? handler.subject),
            StyledText(handler.event.rawValue),
          ]
        ))
    }
    rows.sort { $0.number < $1.number }
    guard !rows.isEmpty else {
      invocation.printNothing("nothing is observed")
      return .null
    }
    var table = Table(columns: [
      .init("number", alignment: .trailing), .init("command"), .init("what"),
      .init("key paths or event", isFlexible: true),
    ])
    table.rows = rows.map { [StyledText(String($0.number))] + $0.cells }
    invocation.print(table)
    return .list(rows.map { .integer(Int64($0.number)) })
  }

  /// The names that operations have now; nil unless all of them are kept.
  private static func names(of ids: Set<Int>, in jobs: Jobs) -> String? {
    let operations = ids.sorted().compactMap(jobs.operations.operation(id:))
    return operations.isEmpty || operations.count < ids.count
      ? nil : OperationList.names(operations)
  }
}
