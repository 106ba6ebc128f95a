import ShellLanguage
import Testing

@testable import ShellCommands
@testable import ShellSession

@Suite("Commands")
struct RegistryTests {
  static let names = CommandRegistry.signatures.map(\.fullName)

  private func signature(_ name: String) throws -> CommandSignature {
    try #require(CommandRegistry.signatures.first { $0.fullName == name })
  }

  @Test("Names of commands are unique")
  func uniquePaths() {
    #expect(Set(Self.names).count == Self.names.count)
    #expect(!CommandRegistry.signatures.contains { $0.path.isEmpty })
  }

  @Test("Each command is found by its name, in the catalogue and for running", arguments: names)
  func found(name: String) throws {
    let path = try signature(name).path
    let found = CommandRegistry.catalog.signature(at: path)
    #expect(found?.fullName == name)
    #expect(found?.shellCommand?.path == path)
  }

  @Test("No command has the name of a keyword", arguments: names)
  func noKeyword(name: String) throws {
    #expect(Keyword(rawValue: try signature(name).name) == nil)
  }

  @Test("Each command has a one-line summary and shows it", arguments: names)
  func documented(name: String) throws {
    let signature = try signature(name)
    #expect(!signature.summary.isEmpty)
    #expect(signature.summary.count <= 80)
    #expect(!signature.summary.contains("\n"))
    #expect(!signature.summary.hasSuffix("."), "the page puts the full stop")
    #expect(signature.summary.first?.isUppercase == true)
    #expect(!signature.examples.isEmpty)
    #expect(signature.examples.allSatisfy { !$0.explanation.isEmpty })
    #expect(!signature.searchTerms.isEmpty)
    for positional in signature.positionals { #expect(!positional.help.isEmpty) }
    for option in signature.options { #expect(!option.help.isEmpty, "--\(option.name)") }
  }

  @Test("Names of a command's arguments are unique", arguments: names)
  func uniqueArguments(name: String) throws {
    let signature = try signature(name)
    let arguments = signature.positionals.map(\.name) + signature.options.map(\.name)
    let repeated = Dictionary(grouping: signature.options, by: \.name).filter { $0.value.count > 1 }
    #expect(repeated.isEmpty)
    #expect(Set(signature.positionals.map(\.name)).count == signature.positionals.count)
    #expect(!arguments.contains(""))
    let letters = signature.options.compactMap(\.short)
    #expect(Set(letters).count == letters.count)
  }

  @Test(
    "At most one argument takes several words; arguments after it are required or a block",
    arguments: names)
  func greedyLast(name: String) throws {
    let positionals = try signature(name).positionals
    let greedy = positionals.indices.filter {
      positionals[$0].arity == .repeating || positionals[$0].arity == .oneOrMore
    }
    #expect(greedy.count <= 1)
    guard let first = greedy.first else { return }
    // A block in braces may be optional, because no other word looks like one.
    for positional in positionals[(first + 1)...] where positional.kind != .block {
      #expect(positional.arity == .required, "\(positional.name)")
    }
  }

  @Test("Names of command groups are recognized")
  func groups() {
    #expect(CommandRegistry.groups.allSatisfy { !$0.title.isEmpty && !$0.commands.isEmpty })
    let titles = CommandRegistry.groups.map(\.title)
    #expect(Set(titles).count == titles.count)
  }
}
