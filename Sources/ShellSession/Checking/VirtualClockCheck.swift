package import ShellLanguage

/// Follows which clock a script chooses, to find what the virtual clock refuses (programs, and
/// servers elsewhere), and what the real one does: steps.
///
/// Only statements of the top level count, which run for certain and one after the other.
struct VirtualClockCheck {
  /// Whether the clock is the virtual one; nil where only running shows it.
  var isVirtual: Bool?
  let source: SourceText

  /// Returns the error of the next statement; `call` is that of a command, if it certainly is one.
  mutating func problem(with statement: Statement, _ call: CommandCall?) -> Diagnostic? {
    guard statement.command != nil else {
      // What a block does depends on what happens; it may choose another clock.
      if case .expression = statement.kind { return nil }
      if source.text(in: statement.range).contains("clock") { isVirtual = nil }
      return nil
    }
    // A command that a script defines, or an alias, may do anything.
    switch call.flatMap({ call in call.signature.shellCommand?.clockUse(of: call) }) {
    case nil: isVirtual = nil
    case .some(.none): break
    case .setsClock(let sets)?: isVirtual = sets
    case .needsRealTime(var diagnostic)?:
      guard isVirtual == true else { break }
      diagnostic.phase = .checking
      return diagnostic
    case .needsVirtualTime(var diagnostic)?:
      guard isVirtual == false else { break }
      diagnostic.phase = .checking
      return diagnostic
    }
    return nil
  }
}

extension ErrorPage {
  package static let notVirtual = ErrorPage(
    "not-virtual", "The virtual clock can't control what runs in real time",
    "Programs, other servers and bodies of '--blocking' run in real time.",
    help: "without 'set clock virtual' it can be done", wrong: "set clock virtual\nrun ls",
    right: "run ls")
}
