import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellCommands

@Suite("Examples of the help pages", .timeLimit(.minutes(15)))
struct ExampleTests {
  static let examples: [String] =
    CommandRegistry.signatures.flatMap { $0.examples.map(\.text) } + topics
  static let topics: [String] = HelpTopic.all.flatMap { $0.examples.map(\.text) }

  @Test("An example of a help page runs without an error", arguments: examples)
  func runs(_ example: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      example, options: ["--data", folder.path + "/data"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("error:"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("warning:"), "\(outcome.errors)")
  }

  @Test("An example that asks for questions with tags finds some")
  func findsTagged() throws {
    let tagged = Self.examples.filter { $0.contains("--tagged") }
    #expect(!tagged.isEmpty)
    for example in tagged {
      let fixture = try ShellFixture(example + "\nwait")
      #expect(
        try #require(fixture.output(of: "echo (last.items > 0)").first) == "true", "\(example)")
    }
  }

  /// A sixth of the examples; all of them in the long run.
  static let share: [String] = {
    let step = max(1, 6 / TestScale.count(1, long: 6))
    return examples.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }()

  static let language: [String] =
    Keyword.allCases.map(\.example) + ExpressionWord.allCases.map(\.example)
    + BuiltinFunction.all.map(\.example)

  @Test("Every keyword and function has an example that runs", arguments: language)
  func runsOfLanguage(_ example: String) throws {
    #expect(!example.isEmpty)
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(example, options: ["--events", "off"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors == "")
    #expect(!outcome.output.isEmpty, "it shows something")
  }

  @Test("Every example on the reference page runs as a test")
  func referenceIsTested() throws {
    var examples: [String] = []
    var isExample = false
    for line in Reference.text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let start = line.range(of: ", as in `", options: .backwards), line.hasSuffix("`") {
        examples.append(String(line[start.upperBound...].dropLast()))
      } else if line.hasPrefix("    ") {
        if isExample { examples[examples.count - 1] += line.dropFirst(4) + "\n" }
      } else if !line.isEmpty {
        // Only lines with an example end this way, and the usage follows a heading.
        isExample = line.hasSuffix(":")
        if isExample { examples.append("") }
      }
    }
    let indexed = HelpTopic.all.filter(\.isIndex).flatMap { $0.examples.map(\.text) }
    let known = Set(Self.examples + Self.language).subtracting(indexed)
    let shown = Set(examples.map { $0.hasSuffix("\n") ? String($0.dropLast()) : $0 })
      .subtracting([""])
    #expect(shown.subtracting(known).isEmpty)
    #expect(known.subtracting(shown).isEmpty)
  }

  @Test("On the virtual clock an example prints the same in every run", arguments: share)
  func isDeterministic(_ example: String) throws {
    var texts: Set<String> = []
    for _ in 0..<3 {
      let folder = try ScratchFolder()
      let outcome = try Opsh.run(
        "set clock virtual; set seed 7; \(example)",
        options: ["--data", "data"], directory: folder.path)
      texts.insert("\(outcome.status)\n\(outcome.output)\n\(outcome.errors)")
    }
    #expect(texts.count == 1, "\(texts)")
  }

  @Test("An example uses its command", arguments: CommandRegistry.signatures.map(\.fullName))
  func usesItsCommand(_ name: String) throws {
    let signature = try #require(CommandRegistry.signatures.first { $0.fullName == name })
    for example in signature.examples { #expect(example.text.contains(name)) }
  }
}
