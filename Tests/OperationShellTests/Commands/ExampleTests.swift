import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell

@Suite("Examples of the help pages", .timeLimit(.minutes(15)))
struct ExampleTests {
  static let examples: [String] = CommandRegistry.signatures.flatMap { $0.examples.map(\.text) }

  @Test("An example runs and ends well", arguments: examples)
  func runs(_ example: String) throws {
    let folder = try ScratchFolder()
    let outcome = try Opsh.run(
      example, options: ["--data", folder.path + "/data"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("error:"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("warning:"), "\(outcome.errors)")
  }

  /// A sixth of them, and all in the long run.
  static let share: [String] = {
    let step = max(1, 6 / TestScale.count(1, long: 6))
    return examples.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }()

  static let language: [String] =
    Keyword.allCases.map(\.example) + ExpressionWord.allCases.map(\.example)
    + BuiltinFunction.all.map(\.example)

  @Test("A word of the language and a function have an example that runs", arguments: language)
  func runsOfLanguage(_ example: String) throws {
    #expect(!example.isEmpty)
    let fixture = try ShellFixture()
    let script = Parser.parse(SourceText(name: "example", text: example))
    let found = fixture.session.check(
      script, isWhole: true, makesAllNames: true, in: fixture.shell.interpreter.makeContext())
    #expect(found.isEmpty, "\(found)")
    #expect(throws: Never.self) { try fixture.run(example) }
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
