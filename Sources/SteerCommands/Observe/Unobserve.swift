import CommandParts
package import ShellLanguage
import ShellSession
import OpshTerminal

/// `unobserve`: ends observers and handlers.
enum Unobserve: Command {
  static let number = Positional<[String]>(
    "number", atLeastOne: true, help: "numbers as 'observers' lists them, or 'all'"
  ).refusedEach { text in
    guard text != "all", Int(text).map({ $0 < 1 }) ?? true else { return nil }
    return UnplacedError(
      .unknownObserver, "expected the number of an observer or handler, or 'all', found '\(text)'",
      help: "'observers' lists the numbers")
  }

  static let path = ["unobserve"]
  static let declaration = CommandDeclaration(
    summary: "Ends observers and handlers",
    positionals: [number],
    examples: [.init("delay 10ms; observe last isFinished; unobserve 1; wait", "seen no more")],
    searchTerms: ["remove", "stop", "invalidate", "kvo"])

  static let completions = [
    ParameterCompletion(number) { jobs, _ in
      let eventHandlers = jobs.eventHandlers
      let observers = eventHandlers.observers.map {
        CompletionCandidate(
          String($0.number), summary: "\($0.subject) \($0.keyPaths.joined(separator: " "))")
      }
      return [CompletionCandidate("all", summary: "every observer and handler")] + observers
        + eventHandlers.handlers.map {
          CompletionCandidate(String($0.number), summary: "\($0.subject) \($0.event.rawValue)")
        }
    }
  ]

  static func run(_ invocation: Invocation) throws -> Value {
    let eventHandlers = invocation.jobs.eventHandlers
    for text in invocation.call[number] {
      if text == "all" {
        eventHandlers.removeAll()
      } else if let id = Int(text), eventHandlers.remove(number: id) {
        continue
      } else {
        throw invocation.call.failure(
          .unknownObserver, "there is no observer or handler \(text)", at: number,
          help: "'observers' lists them")
      }
    }
    return .null
  }
}

extension ErrorPage {
  package static let unknownObserver = ErrorPage(
    "unknown-observer", "There is no such observer or handler",
    "'observers' lists them with their numbers.", wrong: "unobserve 5",
    right: "observe queue network operationCount\nunobserve 1", proof: .running)
}
