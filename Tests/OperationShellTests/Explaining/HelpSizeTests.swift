import ShellLanguage
import ShellSession
import OpshTerminal
import TestSupport
import Testing

@testable import ShellCommands

@Suite("Size of the help pages")
struct HelpSizeTests {
  static let pages: [String] =
    CommandRegistry.signatures.map(\.fullName) + HelpTopic.all.map(\.name)
    + Keyword.allCases.map(\.rawValue) + ExpressionWord.allCases.map { "'\($0.rawValue)'" }
    + BuiltinFunction.all.map(\.name)

  @Test("A page of help fits 100 columns and 45 rows", arguments: ["", "fetch"] + pages)
  func fits(_ name: String) throws {
    let lines = try ShellFixture().text(of: "help \(name == "!" ? "'!'" : name)")
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count > 1)
    #expect(lines.count <= 45, "\(lines.count) rows")
    for line in lines {
      #expect(TextWidth.columns(of: String(line)) <= HelpTopic.columns, "\(line)")
    }
  }

  @Test("'help' shows twelve commands, every group and every topic, and each has a page")
  func overview() throws {
    let lines = HelpOverview.lines(width: nil).map(\.plain)
    #expect(HelpOverview.commands.count == 12)
    let names =
      HelpOverview.commands + HelpTopic.groups.map(\.name) + HelpTopic.subjects.map(\.name)
    for name in names {
      #expect(lines.contains { $0.contains("  \(name) ") }, "\(name)")
      #expect(try Opsh.run("help \(name)").status == 0, "\(name)")
    }
    #expect(lines.count > 20 && lines.count <= 45)
  }

  @Test("A page that a topic points to exists", arguments: HelpTopic.all.map(\.name))
  func furtherPages(_ name: String) throws {
    let topic = try #require(HelpTopic.named(name))
    for page in topic.further {
      #expect(try !ShellFixture().output(of: "help \(page)").isEmpty, "\(page)")
    }
  }

  @Test("A quoted 'help …' in a page of help exists", arguments: pages.filter { $0 != "!" })
  func quotedPages(_ name: String) throws {
    let text = try ShellFixture().output(of: "help \(name)").joined(separator: " ")
    for match in text.matches(of: /'help ([a-z][a-z -]*)'/) {
      #expect(try Opsh.run("help \(match.1)").status == 0, "\(match.1)")
    }
  }

  @Test("The pages of properties name every property of operations and queues, and no other")
  func properties() throws {
    func names(_ topics: String...) throws -> Set<String> {
      Set(
        try topics.flatMap { try #require(HelpTopic.named("properties " + $0)).items }
          .flatMap { $0.name.split(separator: ", ").map(String.init) })
    }
    #expect(
      try names("operations", "settings", "requests") == Set(OperationObject.propertyNames))
    for name in try names("queues") {
      #expect(try Opsh.run("echo (network.\(name))").status == 0, "\(name)")
    }
  }

  @Test("A group, a topic and a part have names of their own")
  func names() {
    #expect(Set(HelpTopic.all.map(\.name)).count == HelpTopic.all.count)
    for topic in HelpTopic.all {
      #expect(!topic.items.isEmpty)
      #expect(Keyword(topic.name) == nil && BuiltinFunction.function(named: topic.name) == nil)
    }
  }
}
