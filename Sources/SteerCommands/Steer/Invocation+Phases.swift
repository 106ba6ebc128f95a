import CommandParts
import Operations
package import ShellLanguage
import ShellSession

extension Invocation {
  /// The operations that come to a phase, among some and those in them.
  func operations(
    among operations: [ObservableOperation], with phase: OperationPhase,
    at place: some Parameter
  ) throws -> [ObservableOperation] {
    // The command says so; a finished group has no members any more that could have phases.
    if operations.allSatisfy({ $0.state == .finished }) { return [] }
    let all = jobs.withMembers(operations)
    let found = all.filter { $0.phases.contains(phase) }
    guard found.isEmpty, let first = operations.first else { return found }
    let phases = all.reduce(into: Set<OperationPhase>()) { $0.formUnion($1.phases) }
    let names = OperationPhase.allCases.filter(phases.contains).map(\.rawValue)
    throw call.failure(
      .noPhase, "'\(first.displayName)' does not come to '\(phase.rawValue)'", at: place,
      help: names.isEmpty
        ? "requests and their parts have phases" : "its phases: " + names.joined(separator: ", "))
  }
}

extension ErrorPage {
  package static let noPhase = ErrorPage(
    "no-phase", "The operation does not come to that phase",
    "A request comes to headers, body and decoding, with a cache or a file also to saving.",
    help: "'help phases' lists them", wrong: "delay 1s --name a\npause a at decoding",
    right: "fetch questions --hold --name a\npause a at decoding\ncancel a\nstart a",
    proof: .running)
}
