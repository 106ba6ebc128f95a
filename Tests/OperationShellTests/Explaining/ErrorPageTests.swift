import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell

@Suite("Pages of errors", .timeLimit(.minutes(15)))
struct ErrorPageTests {
  static let pages: [ErrorPage] = ErrorCatalog.pages
  static let checked: [String] = pages.filter { $0.proof == .checking || $0.proof == .warning }
    .map(\.code)
  static let running: [String] = pages.filter { $0.proof == .running }.map(\.code)

  private func found(_ text: String) throws -> [Diagnostic] {
    let fixture = try ShellFixture()
    let script = Parser.parse(SourceText(name: "page", text: text))
    return fixture.session.check(
      script, isWhole: true, names: .all, in: fixture.shell.interpreter.makeContext())
  }

  @Test("Each code has one page, which says all that a page has to say")
  func complete() {
    #expect(Set(Self.pages.map(\.code)).count == Self.pages.count)
    for page in Self.pages {
      #expect(!page.summary.isEmpty && !page.summary.hasSuffix("."), "\(page.code)")
      #expect(!page.meaning.isEmpty && !page.wrong.isEmpty && !page.right.isEmpty, "\(page.code)")
      #expect(page.help?.hasSuffix(".") != true, "\(page.code)")
    }
  }

  @Test("The wrong example gives the code when it is checked", arguments: checked)
  func wrongByChecking(code: String) throws {
    let page = try #require(ErrorCatalog.page(code))
    let found = try found(page.wrong)
    let severity: Diagnostic.Severity = page.proof == .warning ? .warning : .error
    #expect(found.filter { $0.severity == severity }.map(\.code) == [code], "\(found)")
    #expect(found.allSatisfy { $0.help != nil }, "\(found)")
  }

  @Test("The right form has nothing wrong with it", arguments: pages.map(\.code))
  func rightIsClean(code: String) throws {
    let found = try found(try #require(ErrorCatalog.page(code)).right)
    #expect(found.isEmpty, "\(found)")
  }

  @Test("The wrong example gives the code when it runs, and nothing before", arguments: running)
  func wrongByRunning(code: String) throws {
    let page = try #require(ErrorCatalog.page(code))
    let found = try found(page.wrong)
    #expect(found.isEmpty, "\(found)")
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      page.wrong, options: ["--json", "--data", folder.path + "/data"], directory: folder.path)
    let errors = outcome.output.split(separator: "\n").filter { $0.contains("\"type\":\"error\"") }
    #expect(outcome.status == 1)
    #expect(
      errors.contains {
        $0.contains("\"code\":\"\(code)\"") || $0.contains("\"code\":\"\(code)(")
      }, "\(errors)")
    #expect(!errors.contains { $0.contains("\"line\":null") })
  }

  @Test("A wrong example that is a script is wrong in nothing else, even where nothing proves it")
  func unproved() throws {
    for page in Self.pages where page.proof == .none && !page.wrong.hasPrefix("(") {
      let found = try found(page.wrong).filter { $0.severity == .error }
      #expect(found.allSatisfy { $0.code == page.code }, "\(page.code): \(found)")
    }
  }

  @Test("What to do about an error of the system depends on which it is")
  func systemErrors() throws {
    let page = try #require(ErrorCatalog.page("file")).help
    #expect(ErrorCatalog.help(forSystem: "file(\(ENOENT))") == page)
    for number in [ENOSPC, EFBIG, EISDIR, EACCES, 9_999] {
      let help = ErrorCatalog.help(forSystem: "file(\(number))")
      #expect(help != nil && help != page, "\(number)")
    }
    #expect(ErrorCatalog.help(forSystem: "signal(9)") == ErrorCatalog.page("signal")?.help)
  }

  @Test("Every code in the sources has a page, and every page a code in the sources")
  func everyCode() throws {
    let codes = try CodesInSources.all()
    #expect(codes.count > 100)
    for (code, files) in codes {
      #expect(
        ErrorCatalog.page(code) != nil,
        "'\(code)' (\(files.sorted().joined(separator: ", "))) needs a page in an ErrorCatalog or LanguageErrors file"
      )
    }
    let text = try CodesInSources.text()
    for page in Self.pages {
      // Some are put together: "misplaced-\(word)".
      let stem = page.code.prefix { $0 != "-" } + "-\\("
      #expect(text.contains("\"\(page.code)") || text.contains("\"\(stem)"), "\(page.code)")
    }
  }

  @Test("'explain' lists all codes, shows one, and knows what was meant")
  func explains() throws {
    let fixture = try ShellFixture()
    let all = try fixture.output(of: "explain")
    #expect(try fixture.output(of: "explain --all") == all)
    for page in Self.pages { #expect(all.contains { $0.contains("  \(page.code)  ") }) }
    let one = try fixture.output(of: "explain 'file(2)'")
    #expect(one.first?.hasPrefix("file: ") == true)
    for shown in [
      "file(2)", "[file(2)]", "'[file(2)]'", "file(2)   ", "file",
    ] {
      #expect(try fixture.output(of: "explain \(shown)") == one, "\(shown)")
    }
    let service = try fixture.output(
      of: "explain api(502, throttle_violation, wait (a bit); then go)")
    #expect(service.first?.hasPrefix("api: ") == true)
    let error = try fixture.error(of: "explain unclosed-qoute")
    #expect(error.help == "did you mean 'unclosed-quote'?")
    #expect(try Explanation.text("wrong-kind").contains("delay soon"))
    #expect(try Explanation.text("[wrong-kind]").contains("delay soon"))
    #expect(throws: CommandLineMisuse.self) { try Explanation.text("nonsense") }
  }
}

extension ErrorPageTests {
  @Test("'explain' alone explains the last error that was shown, or that an operation failed with")
  func explainsLast() throws {
    let fixture = try ShellFixture()
    func heading() throws -> String? { try fixture.output(of: "explain").first }
    #expect(try heading() == ErrorCatalog.overview.first)
    fixture.session.report(try fixture.error(of: "show nobody"))
    #expect(try heading()?.hasPrefix("unknown-operation: ") == true)
    try fixture.run("delay 1m --timeout 1ms; wait --any-outcome")
    #expect(try heading()?.hasPrefix("timed-out: ") == true)
    fixture.session.report(try fixture.error(of: "source nowhere"))
    #expect(try heading()?.hasPrefix("file: ") == true)
  }

  @Test("Errors and warnings end with their code, as JSON shows it")
  func showsCodes() throws {
    for text in ["let unused = 1", "source nowhere", "echo $nothing", "delay 1m --timeout 1ms"] {
      let outcome = try Opsh.run(text, options: ["--json", "--check"])
      let ran = try Opsh.run(text, options: ["--json"])
      for line in (outcome.output + ran.output).split(separator: "\n")
      where line.contains("\"type\":\"error\"") || line.contains("\"type\":\"diagnostic\"") {
        let code = try #require(line.firstMatch(of: /"code":"([^"]*)"/)).output.1
        #expect((outcome.errors + ran.errors).contains(" [\(code)]\n"), "\(line)")
      }
      #expect(
        (outcome.errors + ran.errors).split(separator: "\n")
          .allSatisfy {
            !$0.hasPrefix("-c:") || $0.contains(/(error|warning): .* \[[a-z-]+(\(\d+\))?\]$/)
              || $0.contains(": note: ")
          }, "\(outcome.errors + ran.errors)")
    }
  }
}

/// The codes that the sources give to errors, found by how such a place looks.
enum CodesInSources {
  private static let folders = [
    "ShellLanguage", "OperationShell", "Operations", "Networking", "Persistence", "PracticeServer",
  ]

  private static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
  }

  private static func files() throws -> [(name: String, text: String)] {
    try folders.flatMap { folder -> [(name: String, text: String)] in
      let base = root.appendingPathComponent(folder)
      let names = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String }
      return try (names ?? []).filter { $0.hasSuffix(".swift") && !isPage($0) }.map { name in
        let file = base.appendingPathComponent(name)
        return (file.lastPathComponent, try String(contentsOf: file, encoding: .utf8))
      }
    }
  }

  private static func isPage(_ name: String) -> Bool {
    name.hasPrefix("Explaining/") || name.hasPrefix("Diagnostics/Pages/")
  }

  static func text() throws -> String { try files().map(\.text).joined(separator: "\n") }

  /// The codes with the files they are in.
  static func all() throws -> [String: Set<String>] {
    let patterns = [
      #"\b(?:failure|report|problem|complain)\(\s*"([a-z][a-z0-9-]*)[("]"#,
      #"\b[cC]ode: "([a-z][a-z0-9-]*)[("]"#,
      #"let \w*[cC]ode(?:: String)? = "([a-z][a-z0-9-]*)[("]"#,
      #"case \w+ = "((?:store|tag|quote|cache)-[a-z]+)""#,
    ]
    var found: [String: Set<String>] = [:]
    for (name, text) in try files() {
      for pattern in patterns {
        for match in try matches(pattern, in: text) { found[match, default: []].insert(name) }
      }
      for body in try matches(#"var code: String \{((?:.|\n)*?)\n  \}"#, in: text) {
        for code in try matches(#""([a-z][a-z0-9-]*)[("]"#, in: body) {
          found[code, default: []].insert(name)
        }
      }
    }
    return found
  }

  private static func matches(_ pattern: String, in text: String) throws -> [String] {
    let expression = try NSRegularExpression(pattern: pattern)
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap {
      Range($0.range(at: 1), in: text).map { String(text[$0]) }
    }
  }
}
