import CommandParts
import Foundation
import OpshLocking
import ShellLanguage
import ShellOutput
import ShellSession

/// `source`: runs a script file here.
enum Source: Command {
  static let file = Positional<String>("file", .file, help: "script to run")
  static let arguments = Positional<[Value]>("arguments", help: "values of $1, $2 … in it")
  static let fresh = Flag("fresh", help: "run it in a session that begins anew, as after 'reset'")
  static let step = Flag("step", help: "show each statement, and wait for Enter before it runs")

  static let path = ["source"]
  static let declaration = CommandDeclaration(
    summary: "Runs a script file as if it were typed here",
    discussion: """
      The file is checked whole before its first statement runs. Its path is relative to the \
      file that this stands in; if that is a symbolic link, the file is looked for beside the link, \
      then beside what the link leads to. Further words are its arguments. With '--step', q in place \
      of Enter ends it, and c runs the rest without waiting.
      """,
    positionals: [file, arguments], options: [fresh, step],
    examples: [
      .init("echo \"let base = 5\" > base.opsh; source base.opsh; echo $base", "what it sets"),
      .init(
        "echo 'delay 10ms --name a; wait' > a.opsh; source --fresh a.opsh; source --fresh a.opsh; ops",
        "the same experiment again, from the start"),
    ],
    searchTerms: ["run", "include", "load", "script", "import"],
    traits: [.includesScript, .worksInReplay])

  /// Files may run each other, but not without end.
  private static let greatestDepth = 100

  /// The script may set any clock.
  static func clockUse(of call: CommandCall) -> ClockUse { .setsClock(isVirtual: nil) }

  static func succession(of call: CommandCall) -> Succession? { call[fresh] ? .anew : nil }

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let path = call[file]
    if call[fresh] { try invocation.requireTopLevel() }
    if call[step], !invocation.run.inputs.isRetaking { try invocation.requireTerminal(for: step) }
    // The file that this stands in need not be the one that runs: a 'def' or a handler may be called
    // from another.
    let url = invocation.outside.resolve(path: path, from: call.source.name)
    let script: Script
    do {
      script = try ScriptFile.read(
        invocation.outside.place(ofScript: url.path), name: invocation.outside.shownPath(url),
        invocation.run.attendBlocked)
    } catch let error as ScriptFile.Unreadable {
      throw call.failure(
        .file(error.code), error.message, at: file,
        help: error.code == ENOENT
          ? invocation.outside.placesNote(ofScript: path, from: call.source.name) : nil)
    }
    let folder = url.deletingLastPathComponent().path
    if call[fresh] { try runFresh(script, folder, invocation) }
    return try invocation.outside.withScript(in: folder) { depth in
      guard depth <= greatestDepth else {
        throw call.failure(
          .tooDeep, "files that 'source' each other are nested too deeply", at: file)
      }
      do {
        return try run(script, invocation)
      } catch var diagnostic as Diagnostic {
        diagnostic.noteCall(
          "'\(path)' was sourced here", source: call.source, range: call.range)
        throw diagnostic
      }
    }
  }

  /// Checks the script whole, then runs it.
  private static func run(_ script: Script, _ invocation: Invocation) throws -> Value {
    let call = invocation.call
    // What it sets may be for those who run it, so that nothing of it counts as unused.
    try report(
      invocation.run.check(script, isWhole: false, isSourced: true, in: invocation.context),
      invocation)
    try refuseNull(in: call)
    let texts = call[arguments].map(\.text)
    guard call[step] else {
      return try invocation.context.run(script, arguments: texts)
    }
    return try SteppedScript(script, arguments: texts).run(
      in: invocation.context, invocation.run, on: invocation.screen)
  }

  /// Has the script run in a session that begins anew.
  private static func runFresh(
    _ script: Script, _ folder: String, _ invocation: Invocation
  ) throws -> Never {
    let call = invocation.call
    try report(invocation.run.checkFresh(script, in: invocation.context), invocation)
    try refuseNull(in: call)
    throw SessionChange.freshRun(
      .init(script, folder: folder, arguments: call[arguments].map(\.text), steps: call[step]))
  }

  /// Shows what a check has found.
  ///
  /// - Throws: The first error.
  private static func report(_ found: [Diagnostic], _ invocation: Invocation) throws {
    found.filter { $0.severity == .warning }.forEach(invocation.screen.report)
    guard let first = found.first(where: { $0.severity == .error }) else { return }
    found.filter { $0.severity == .error }.dropFirst().forEach(invocation.screen.report)
    throw first
  }
}

extension Source {
  /// The arguments of a script are texts, which null is not.
  private static func refuseNull(in call: CommandCall) throws {
    for argument in call.arguments(of: arguments) {
      guard argument.value?.hasNull == true else { continue }
      throw call.failure(
        .noValue, "'\(argument.text)' is null and cannot be an argument of a script", at: arguments,
        help: "give it a default: (… ?? …)")
    }
  }
}
