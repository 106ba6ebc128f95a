import CommandParts
import Operations
package import ShellLanguage
import ShellSession

/// `retry`: builds finished operations anew.
enum Retry: Command {
  static let operation = Positional<[OperationName]>(
    "operation", SelectionWord.operations, atLeastOne: true,
    help: "ids, names, patterns, 'last', 'all', or an outcome: 'failed'"
  ).orOption(Invocation.condition)

  static let path = ["retry"]
  static let declaration = CommandDeclaration(
    summary: "Builds finished operations anew, with the same arguments",
    discussion: """
      An operation finishes once and never runs again: a new one is built by the same command, with \
      the values that its arguments had, and is added to the same queue; a body reads the variables \
      as they are now. It has the same name if \
      that was given, and the next number otherwise. It depends on the newest retry of each \
      operation that the old one depended on, whatever the order in which they are named here, and \
      has the priority and the quality of service that the old one had last. One that was built with '--hold' is held \
      again. 'retry cancelled' retries what was cancelled, 'retry all' everything that did not \
      succeed; neither retries what was retried already, or is in a group that has finished, \
      whose retry builds it anew. The session remembers how the latest \
      \(BuildRecipes.limit) operations were built. '--retry' of a command is something \
      else: further attempts of the same operation.
      """,
    positionals: [operation], options: [Invocation.condition],
    examples: [
      .init(
        "block --name flaky { fail \"not today\" }; wait --any-outcome; retry flaky; "
          + "wait --any-outcome", "a second operation with the same body"),
      .init(
        "delay 10ms --count 3; cancel all; wait; retry cancelled; wait", "three new delays"),
    ],
    searchTerms: ["again", "rerun", "repeat", "restart", "rebuild"])

  static var printsNothing: Bool { true }

  static func names(createdBy call: CommandCall) -> [CreatedName] { CreatedName.anything }

  static func isOffered(_ operation: ObservableOperation) -> Bool { operation.state == .finished }

  static func selects(_ operation: ObservableOperation, isAll: Bool, in jobs: Jobs) -> Bool {
    isOffered(operation) && (!isAll || operation.outcome?.name != "succeeded")
      && jobs.operations.newestRetry(of: operation) === operation
      && !operation.enclosingGroups.contains { $0.state == .finished }
  }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    // All are checked before the first one is built, so that a refusal changes nothing.
    let operations = try invocation.operations(operation)
    if operations.isEmpty, call.texts(of: operation).contains(where: { $0.text == "all" }) {
      invocation.printText("no operation is left that failed, was cancelled or was skipped")
    }
    let uses = try operations.map { operation in
      let name = operation.displayName
      guard operation.state == .finished else {
        throw call.failure(
          .notFinished, "'\(name)' has not finished: it is \(operation.state.rawValue)",
          at: Self.operation)
      }
      guard let use = invocation.jobs.operations.recipes.rebuilding(operation) else {
        throw call.failure(
          .recipeDropped, "how '\(name)' was built is not kept any more", at: Self.operation)
      }
      if let group = operation.enclosingGroups.last(where: { $0.state == .finished }) {
        throw call.failure(
          CodedPages.page(for: "group-finished"),
          "'\(name)' is in group '\(group.displayName)', which has finished and takes no more "
            + "operations", at: Self.operation,
          help: "'retry \(group.displayName)' builds the group anew")
      }
      return use
    }
    let built = try invocation.rebuild(operations, by: uses, at: call.range(of: operation))
    return built.count == 1 ? built[0] : .list(built)
  }
}

extension ErrorPage {
  package static let recipeDropped = ErrorPage(
    "recipe-dropped", "How the operation was built is not kept any more",
    "The session remembers it for the latest \(BuildRecipes.limit) operations, and for "
      + "none that another command has built as a part of something, such as those of "
      + "'quotes sync'.", help: "type the command again",
    wrong: "quotes sync\nwait\nretry download-1", right: "delay 1ms\nwait\nretry last\nwait",
    proof: .running)
}
