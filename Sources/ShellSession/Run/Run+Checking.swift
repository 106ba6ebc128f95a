import Foundation
import Operations
package import ShellLanguage
import ShellOutput

extension Run {
  /// Returns all problems that static checks find in a script, in the order of the text.
  ///
  /// The secrets that are written out in it are known from then on, so that nothing that it does shows
  /// one.
  ///
  /// - Parameters:
  ///   - script: The script.
  ///   - isWhole: Whether it is a whole program. A line of a session may create a variable that
  ///     only a later line reads.
  ///   - names: How far the operations and queues that it names must exist already or be created by
  ///     the script.
  ///   - isSourced: Whether a statement runs it.
  ///   - context: The place where it is to run, with its variables and definitions.
  /// - Returns: Errors and warnings.
  package func check(
    _ script: Script, isWhole: Bool, names: Checker.NameCheck = .none, isSourced: Bool = false,
    in context: ExecutionContext
  ) -> [Diagnostic] {
    check(
      script, isWhole: isWhole, names: names, isForLater: false, isSourced: isSourced, in: context
    ) { _, _ in }
  }

  /// Returns all problems of a script that is to run in a session of its own, in which nothing exists
  /// yet.
  ///
  /// - Parameters:
  ///   - script: The script, which is a whole program.
  ///   - names: How far the operations and queues that it names must be created by it.
  ///   - host: What gives the language its commands.
  ///   - noteText: Called with the texts of variables and parameters that are written out.
  /// - Returns: Errors and warnings.
  package func checkForLater(
    _ script: Script, names: Checker.NameCheck = .none, host: any CommandHost,
    noteText: @escaping (_ name: String, _ text: String) -> Void = { _, _ in }
  ) -> [Diagnostic] {
    check(
      script, isWhole: true, names: names, isForLater: true,
      in: Interpreter(host: host).makeContext(source: script.source), noteText: noteText)
  }

  /// Returns all problems of a script that is to run after `reset`: no operation or queue exists then.
  package func checkFresh(_ script: Script, in context: ExecutionContext) -> [Diagnostic] {
    check(
      script, isWhole: false, names: .none, isForLater: true, isSourced: true, in: context
    ) { _, _ in }
  }

  /// Returns what is wrong with a text that is still being typed, without remembering secrets of it,
  /// opening files or looking for corrections.
  ///
  /// - Parameters:
  ///   - script: The text with what closes all that is open in it.
  ///   - words: The words of it that may be names.
  ///   - context: The place where it is to run, with its variables and definitions.
  /// - Returns: What the check before its run would find now.
  package func checkWhileTyped(
    _ script: Script, words: Set<String>, in context: ExecutionContext
  ) -> [Diagnostic] {
    var clock = clockCheck(of: script)
    return Checker.check(
      script, catalog: catalog, knownVariables: Set(context.variables.keys),
      definitions: context.definitions, aliases: context.aliases, warnsUnused: false,
      facts: jobs.facts(among: words), names: .mistakes, keepsGoing: configuration.keepsGoing,
      inheritsOptions: ContextInfo(of: context).retry.count != nil, corrects: false,
      follow: { clock.problem(with: $0, $1) })
  }

  /// In a replay only running says what is refused.
  private func clockCheck(of script: Script) -> VirtualClockCheck {
    VirtualClockCheck(isVirtual: mode.isRecorded ? nil : mode.isVirtual, source: script.source)
  }

  private func check(
    _ script: Script, isWhole: Bool, names: Checker.NameCheck, isForLater: Bool,
    isSourced: Bool = false,
    in context: ExecutionContext,
    noteText: @escaping (_ name: String, _ text: String) -> Void
  ) -> [Diagnostic] {
    screen.secrets.rememberKeys(in: script.source.text)
    var clock = clockCheck(of: script)
    return Checker.check(
      script, catalog: catalog, knownVariables: Set(context.variables.keys),
      definitions: context.definitions, aliases: context.aliases, warnsUnused: isWhole,
      facts: isForLater
        ? Jobs.factsOfNewSession(programs: outside.programPlace)
        : jobs.facts(programs: outside.programPlace), names: names,
      keepsGoing: configuration.keepsGoing && !isForLater,
      inheritsOptions: ContextInfo(of: context).retry.count != nil, isSourced: isSourced,
      include: { [outside] path, source in
        let url = outside.resolve(path: path, from: source.name)
        // What the check reads from a pipe would be missing when it runs.
        if ScriptFile.canBeReadOnce(url.path) { return nil }
        do {
          return try ScriptFile.read(url.path, name: outside.shownPath(url)) {}
        } catch let error as ScriptFile.Unreadable {
          var missing = UnplacedError.file(path, error.code)
          missing.help = outside.placesNote(ofScript: path, from: source.name)
          throw missing
        }
      },
      noteText: { [secrets = screen.secrets] name, text in
        secrets.remember(text, of: name)
        noteText(name, text)
      },
      follow: { clock.problem(with: $0, $1) })
  }

  /// Returns an error of a statement that ran, with the line that was meant if that is found.
  ///
  /// The search takes long, so that it is only for an error that is shown, and only for the first
  /// ones of a script that goes on after errors.
  package func corrected(_ diagnostic: Diagnostic, in context: ExecutionContext) -> Diagnostic {
    if configuration.keepsGoing || !screen.isInteractive, !screen.renderer.correctsNext() {
      return diagnostic
    }
    let corrector = LineCorrector(
      catalog: catalog, variables: Set(context.variables.keys), definitions: context.definitions,
      aliases: context.aliases, facts: jobs.facts(programs: outside.programPlace))
    return corrector.correcting([diagnostic])[0]
  }
}
