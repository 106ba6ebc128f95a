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

  @Test("An example uses its command", arguments: CommandRegistry.signatures.map(\.fullName))
  func usesItsCommand(_ name: String) throws {
    let signature = try #require(CommandRegistry.signatures.first { $0.fullName == name })
    for example in signature.examples { #expect(example.text.contains(name)) }
  }
}
