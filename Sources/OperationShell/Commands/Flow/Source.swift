import Foundation
import Locking
import ShellLanguage

/// `source`: runs a script file here.
enum Source: Command {
  static let signature = CommandSignature(
    path: ["source"],
    summary: "Runs a script file as if it were typed here",
    discussion: """
      The file is checked whole before its first statement runs. Its path is relative to the \
      file that this stands in. Further words are its arguments.
      """,
    positionals: [
      .init("file", .file, help: "the script"),
      .init("arguments", .any, .repeating, help: "what $1, $2 … are in it"),
    ],
    examples: [
      .init("echo \"let base = 5\" > base.opsh; source base.opsh; echo $base", "what it sets")
    ],
    searchTerms: ["run", "include", "load", "script", "import"],
    includesScript: true)

  /// Files may run each other, but not without end.
  private static let greatestDepth = 100

  static func run(_ invocation: Invocation) throws -> Value {
    let call = invocation.call
    let session = invocation.session
    let path = call.string("file") ?? ""
    // The file that this stands in need not be the one that runs: a 'def' or a handler may be called
    // from another.
    let url = session.resolve(path: path, from: call.source.name)
    let script: Script
    do {
      script = try ScriptFile.read(url.path, name: Session.shownPath(url))
    } catch let error as ScriptFile.Unreadable {
      throw call.failure("file(\(error.code))", error.message, at: "file")
    }
    let depth = session.state.withLock { state in
      state.sourceDirectories.append(url.deletingLastPathComponent().path)
      return state.sourceDirectories.count
    }
    defer { session.state.withLock { _ = $0.sourceDirectories.popLast() } }
    guard depth <= greatestDepth else {
      throw call.failure("too-deep", "files that run each other go too deep", at: "file")
    }
    do {
      return try run(script, invocation)
    } catch var diagnostic as Diagnostic {
      diagnostic.noteCall(
        "'\(path)' was sourced here", source: call.source, range: call.range)
      throw diagnostic
    }
  }

  /// Checks the script whole, then runs it.
  private static func run(_ script: Script, _ invocation: Invocation) throws -> Value {
    let (call, session) = (invocation.call, invocation.session)
    // What it sets may be for those who run it, so that nothing of it counts as unused.
    let found = session.check(script, isWhole: false, in: invocation.context)
    found.filter { $0.severity == .warning }.forEach(session.report)
    if let first = found.first(where: { $0.severity == .error }) {
      found.filter { $0.severity == .error }.dropFirst().forEach(session.report)
      throw first
    }
    try refuseNull(in: call)
    return try invocation.context.run(script, arguments: call.strings("arguments"))
  }
}

extension Source {
  /// The arguments of a script are texts, which null is not.
  private static func refuseNull(in call: CommandCall) throws {
    for argument in call.arguments("arguments") {
      guard argument.value?.hasNull == true else { continue }
      throw call.failure(
        "no-value", "'\(argument.text)' is null and cannot be an argument of a script",
        at: "arguments", help: "give it a default: (… ?? …)")
    }
  }
}

extension Session {
  /// A path of data, which is relative to the working directory however the script is run: `~` is
  /// the home.
  func place(of path: String) -> String {
    guard path == "~" || path.hasPrefix("~/") else { return path }
    return (configuration.environment["HOME"] ?? "") + path.dropFirst()
  }

  /// What errors call a script: the path that opens it from the working directory.
  static func shownPath(_ url: URL) -> String {
    let (path, here) = (url.path, FileManager.default.currentDirectoryPath + "/")
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// The path of a script that a script names: relative to the directory of the file that names it.
  ///
  /// - Parameters:
  ///   - path: The path as written.
  ///   - file: The file it stands in, where that is not the one that runs.
  /// - Returns: The file's place.
  func resolve(path: String, from file: String? = nil) -> URL {
    let path = place(of: path)
    let named = file.flatMap { name in
      FileManager.default.fileExists(atPath: name)
        ? URL(fileURLWithPath: name).deletingLastPathComponent().path : nil
    }
    let base = named ?? state.withLock { $0.sourceDirectories.last }
    guard !path.hasPrefix("/"), let base else { return URL(fileURLWithPath: path) }
    return URL(fileURLWithPath: base).appendingPathComponent(path)
  }
}
