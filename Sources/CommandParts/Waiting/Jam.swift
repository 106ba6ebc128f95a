package import Operations
package import ShellSession

/// Why a wait can never end, in one sentence, and what would end it.
package struct Jam {
  /// Which operations don't finish, and the root of it.
  package let text: String
  /// What to type.
  package let help: String

  /// - Parameters:
  ///   - operations: The unfinished operations that are waited for.
  ///   - invocation: The use of the command that waits.
  package init(of operations: [ObservableOperation], in invocation: Invocation) {
    // A group waits for its members; their reasons are the group's.
    let groups = Set(operations.flatMap { $0.enclosingGroups.map(\.id) })
    let all = operations.filter { !groups.contains($0.id) || $0.state != .executing }
    let causes = Verdict(of: all, in: invocation.jobs).entries.map {
      (text: $0.reasons[0].text, cure: $0.reasons[0].cure, operations: $0.operations)
    }
    let first = causes.first { $0.cure != nil } ?? causes.first
    let names = (first?.operations ?? all).map { "'\($0.displayName)'" }
    let rest = all.count - names.count
    text =
      names.prefix(3).joined(separator: ", ")
      + (names.count > 3 ? " and \(names.count - 3) more" : "") + ": "
      + (first?.text ?? all.first.map(invocation.run.activityText) ?? "")
      + (rest > 0 ? "; \(rest) more \(rest == 1 ? "waits" : "wait"), and 'why' says for what" : "")
    help = first?.cure ?? "'why OP' says why an operation does not run"
  }

  /// The lines of a warning, of which the first says what can't end; the cure is last.
  package func lines(_ head: String) -> [String] { [head, text, "→ " + help] }
}
