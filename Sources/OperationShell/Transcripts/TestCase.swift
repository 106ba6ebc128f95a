import CommandParts
import Foundation
import ShellLanguage
import ShellSession
import OpshSystemCalls
import OpshTranscripts

/// One file of `--test`: a script that must succeed, or a transcript.
struct TestCase: Sendable {
  enum Content: Sendable {
    case script(Script)
    case transcript(Transcript, text: String)
    /// An unreadable or binary file.
    case unusable(String)
  }

  let path: String
  let content: Content
  /// Whether it is a script without an `expect` or `never`, which only an error can fail.
  var expectsNothing: Bool {
    guard case .script(let script) = content else { return false }
    var seen: Set<String> = []
    return !Self.expects(script, path, &seen)
  }

  init(path: String) {
    self.init(path: path, content: Self.content(of: path))
  }

  /// Whether a script has an expectation, or reads a script that has one or that is not known.
  private static func expects(
    _ script: Script, _ path: String, _ seen: inout Set<String>
  ) -> Bool {
    guard seen.insert(path).inserted else { return false }
    return script.commands.contains { command in
      let words = command.arguments
      // As in 'time expect …', it need not be the first word.
      if words.contains(where: { $0.bareText == "expect" }) || words[0].bareText == "never" {
        return true
      }
      guard words[0].bareText == "source", words.count > 1 else { return false }
      guard let file = words[1].constant else { return true }
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      let place = URL(fileURLWithPath: file, relativeTo: folder).path
      guard let text = try? ScriptFile.text(of: place, name: place, {}) else { return true }
      return expects(Parser.parse(SourceText(name: place, text: text)), place, &seen)
    }
  }

  private init(path: String, content: Content) {
    self.path = path
    self.content = content
  }

  private static func content(of path: String) -> Content {
    // The process that runs it reads it again.
    guard !ScriptFile.canBeReadOnce(path) else { return .unusable("it is not a file") }
    let text: String
    do {
      text = try ScriptFile.text(of: path, name: path) {}
    } catch let error as ScriptFile.Unreadable {
      return .unusable(error.message)
    } catch let diagnostic as Diagnostic {
      return .unusable("\(path):\(diagnostic.line):\(diagnostic.column): \(diagnostic.message)")
    } catch {
      return .unusable("\(error)")
    }
    func parse(_ text: String) -> Script {
      Parser.parse(SourceText(name: path, text: text))
    }
    func isEmpty(_ script: Script) -> Bool {
      script.statements.isEmpty && script.diagnostics.isEmpty
    }
    let nothing = Content.unusable("it has no statements, so it tests nothing")
    guard Transcript.isTranscript(text) || path.hasSuffix(".transcript") else {
      let script = parse(text)
      return isEmpty(script) ? nothing : .script(script)
    }
    do throws(Transcript.Fault) {
      let transcript = try Transcript(parsing: text)
      return transcript.steps.allSatisfy { isEmpty(parse($0.input)) }
        ? nothing : .transcript(transcript, text: Transcript.normalized(text))
    } catch {
      return .unusable("\(path):\(error.line): \(error.message)")
    }
  }

  /// The tests of the arguments: a folder stands for all scripts and transcripts in it, and a
  /// folder without any is a failed test.
  static func all(_ arguments: [String]) -> [TestCase] {
    arguments.flatMap { path -> [TestCase] in
      guard kind(of: path, followsLink: true) == S_IFDIR else { return [TestCase(path: path)] }
      let folder = path.hasSuffix("/") ? path : path + "/"
      let tests = files(in: folder).filter {
        $0.hasSuffix(".opsh") || $0.hasSuffix(".transcript")
      }.sorted()
      guard !tests.isEmpty else {
        return [
          TestCase(path: path, content: .unusable("the folder has no .opsh or .transcript file"))
        ]
      }
      return tests.map { TestCase(path: $0) }
    }
  }

  /// The paths of all in a folder and in those below it; the target of a link that is a folder is not
  /// one of them.
  private static func files(in folder: String) -> [String] {
    (names(inFolder: folder) ?? []).flatMap { name in
      let path = folder + name
      return [path] + (kind(of: path, followsLink: false) == S_IFDIR ? files(in: path + "/") : [])
    }
  }

  /// The type of a file; nil if there is none.
  private static func kind(of path: String, followsLink: Bool) -> mode_t? {
    var status = stat()
    let path = path.forSystem
    guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
    return status.st_mode & S_IFMT
  }
}

/// The result of one file.
struct TestOutcome: Sendable {
  enum Verdict: Sendable, Equatable {
    case passed
    /// It differed, and was rewritten.
    case updated
    case failed
    /// It can't be read or parsed, or the check finds errors.
    case unusable
  }

  let path: String
  var verdict: Verdict
  var message = ""
  /// Whether it passed without an expectation.
  var expectsNothing = false
  /// The difference, or the script's output.
  var details: [String] = []
  var time: Duration = .zero

  /// The resulting exit status.
  var status: Int32 {
    switch verdict {
    case .passed, .updated: 0
    case .failed: 1
    case .unusable: 2
    }
  }
}
