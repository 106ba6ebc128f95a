import Foundation
import Networking
import ShellLanguage

/// One file of `--test`: a script that must end well, or a transcript.
struct TestCase: Sendable {
  enum Content: Sendable {
    case script
    case transcript(Transcript, text: String)
    /// It can't be read, or is no text.
    case unusable(String)
  }

  let path: String
  let content: Content

  init(path: String) {
    self.path = path
    content = Self.content(of: path)
  }

  private static func content(of path: String) -> Content {
    let text: String
    do {
      text = try ScriptFile.text(of: path, name: path)
    } catch let error as ScriptFile.Unreadable {
      return .unusable(error.message)
    } catch let diagnostic as Diagnostic {
      return .unusable("\(path):\(diagnostic.line):\(diagnostic.column): \(diagnostic.message)")
    } catch {
      return .unusable("\(error)")
    }
    guard Transcript.isTranscript(text) || path.hasSuffix(".transcript") else { return .script }
    do throws(Transcript.Fault) {
      return .transcript(try Transcript(parsing: text), text: Transcript.normalized(text))
    } catch {
      return .unusable("\(path):\(error.line): \(error.message)")
    }
  }

  /// The files that the arguments stand for: a folder stands for all scripts and transcripts in it.
  static func paths(_ arguments: [String]) -> [String] {
    arguments.flatMap { path -> [String] in
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
      else { return [path] }
      let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
      return names.filter { $0.hasSuffix(".opsh") || $0.hasSuffix(".transcript") }.sorted()
        .map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
    }
  }
}

/// What came of one file.
struct TestOutcome: Sendable {
  enum Verdict: Sendable, Equatable {
    case passed
    /// It differed, and was rewritten.
    case updated
    case failed
    /// It can't be read or parsed, or checking finds errors.
    case unusable
  }

  let path: String
  var verdict: Verdict
  var message = ""
  /// The difference, or what the script printed.
  var details: [String] = []
  var time: Duration = .zero

  /// What it means for the exit status.
  var status: Int32 {
    switch verdict {
    case .passed, .updated: 0
    case .failed: 1
    case .unusable: 2
    }
  }
}
