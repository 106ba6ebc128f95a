import Foundation
import ShellLanguage
import OpshTerminal
import TestSupport
import Testing

@testable import CommandParts
@testable import OperationShell
@testable import ShellCommands

@Suite("Help")
struct HelpPageTests {
  @Test("The page of a group names its commands")
  func groups() throws {
    for (title, commands) in CommandRegistry.groups {
      let topic = try #require(HelpTopic.named(title.lowercased()))
      let names = Set(topic.items.map(\.name))
      let own = Set(commands.map { $0.path.joined(separator: " ") })
      #expect(names == own.subtracting(CommandRegistry.synonyms.keys), "\(title)")
    }
  }

  @Test(
    "A page lists the parameters of its command",
    arguments: CommandRegistry.signatures.map(\.fullName)
  )
  func complete(_ name: String) throws {
    let signature = try #require(CommandRegistry.signatures.first { $0.fullName == name })
    let lines = HelpPage(signature).lines().map(\.plain)
    let page = lines.joined(separator: "\n")
    #expect(lines.first?.hasPrefix(name) == true)
    #expect(page.contains(signature.summary))
    let words = Self.words(of: page)
    let shared = SharedOptions.names(of: signature)
    let sharedWords = Self.words(
      of: HelpTopic.all.filter { $0.name.hasPrefix("options") }
        .flatMap { $0.lines() }.map(\.plain).joined(separator: "\n"))
    for option in signature.options {
      let isShared = shared.contains(option.name)
      #expect(lines.contains { $0.hasPrefix("  --\(option.name) ") } != isShared)
      let text = "--\(option.name)\(option.kind.map { " " + $0.placeholder } ?? "") \(option.help)"
      #expect((isShared ? sharedWords : words).contains(text), "\(text)")
      for choice in option.kind?.choices ?? [] where !isShared { #expect(words.contains(choice)) }
    }
    #expect(shared.isEmpty != page.contains("'help options'"))
    for positional in signature.positionals {
      #expect(words.contains("\(positional.placeholder) \(positional.help)"))
    }
    for example in signature.examples {
      for line in example.text.split(separator: "\n") { #expect(lines.contains("  " + line)) }
      #expect(lines.contains("Example: " + example.explanation))
    }
  }

  @Test(
    "Usage lines and errors show the kind of a value, unless its name says more",
    arguments: [
      (
        "queue width", "queue width [QUEUE] N|unlimited|auto", "queue width many",
        "the width must be"
      ),
      ("deps", "deps [OPERATION] [on|off] [OTHERS…]", "deps a over b", "the change must be"),
      ("quit", "quit [N]", "quit well", "the status must be"),
      ("priority", "priority OPERATION… LEVEL", "priority all urgent", "LEVEL must be"),
      ("unobserve", "unobserve NUMBER…", "unobserve some", "expected the number of an observer"),
      ("delay", "delay DURATION", "delay", "'delay' needs a duration"),
    ])
  func kinds(command: String, usage: String, wrong: String, message: String) throws {
    let fixture = try ShellFixture("delay 1ms --name a; delay 1ms --name b; wait")
    #expect(try fixture.output(of: "help \(command)").contains { $0.hasPrefix(usage) })
    #expect(try fixture.error(of: wrong).message.hasPrefix(message))
  }

  @Test("The error of a missing word shows the call with it")
  func missingWord() throws {
    let fixture = try ShellFixture("delay 1ms --name a --hold; delay 1ms --name b --hold")
    #expect(
      try fixture.error(of: "deps a b").help
        == "a word is missing: 'deps a on b' or 'deps a off b'")
    #expect(try fixture.error(of: "deps a onn b").help == "did you mean 'on'?")
  }

  /// A page without the places where its lines are broken.
  private static func words(of page: String) -> String {
    page.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
  }

  @Test("The options of a builder stand once, and its page names what it lacks")
  func sharedOptions() throws {
    let delay = try ShellFixture().output(of: "help delay")
    #expect(delay.first == "delay DURATION [OPTION…]")
    #expect(delay.contains("[OPTION…]: see 'help options'."))
    let get = try ShellFixture().output(of: "help get").joined(separator: " ")
    #expect(get.contains("[OPTION…]: see 'help options requests' and 'help options'."))
    let async = try ShellFixture().output(of: "help async").joined(separator: "\n")
    #expect(async.contains("[OPTION…]: see 'help options', without --name."))
    #expect(try ShellFixture().output(of: "help wait").first?.contains("[OPTION…]") == false)
  }

  @Test("A group shows one of two commands that do the same, and names the other")
  func synonyms() throws {
    for (other, shown) in CommandRegistry.synonyms {
      let lines = HelpTopic.groups.flatMap { $0.lines() }.map(\.plain)
      #expect(lines.contains { $0.hasPrefix("  \(shown) ") && $0.contains("(also '\(other)')") })
      #expect(!lines.contains { $0.hasPrefix("  \(other)  ") })
      #expect(
        try ShellFixture().output(of: "help \(other)").contains("It does the same as '\(shown)'."))
    }
  }

  @Test("A long usage line is broken between arguments")
  func usage() {
    let arguments = (1...30).map { "[--option\($0) N]" }
    let lines = HelpPage.usage("cmd " + arguments.joined(separator: " ")).map(\.plain)
    #expect(lines.count > 2 && lines.allSatisfy { $0.count <= 100 })
    #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("    [") && $0.hasSuffix("N]") })
  }

  @Test("The reference page begins with the language")
  func referenceOrder() throws {
    let first = Reference.text.split(separator: "\n").first { $0.hasPrefix("## ") }
    #expect(first == "## The language")
  }

  @Test("The page of changes names an option that 'observe' takes")
  func initialOption() throws {
    let fixture = try ShellFixture("delay 1ms --name a; observe a isReady --options initial; wait")
    let page = try fixture.output(of: "help properties changes")
    #expect(page.contains { $0.contains("('--options initial')") }, "\(page)")
    #expect(!page.contains { $0.contains("('--initial')") })
  }

  @Test("Prose is wrapped between words without losing text")
  func wrapping() {
    let text = (1...60).map { "word\($0)" }.joined(separator: " ")
    let lines = Prose.wrap(text)
    #expect(lines.count > 1)
    #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= 80 })
    #expect(lines.joined(separator: " ") == text)
    #expect(Prose.wrap("").isEmpty)
    let long = String(repeating: "x", count: 200)
    #expect(Prose.wrap("a \(long) b") == ["a", long, "b"])
  }

  @Test("On a narrow terminal a page is wrapped once, for its width")
  func narrow() {
    for signature in CommandRegistry.signatures where !signature.discussion.isEmpty {
      let lines = HelpPage(signature).lines(terminal: 40).map(\.plain)
      let prose = Prose.wrap(signature.discussion, columns: 40)
      #expect(lines.joined(separator: "\n").contains(prose.joined(separator: "\n")))
    }
    for topic in HelpTopic.all {
      let lines = topic.lines(terminal: 40).map(\.plain)
      #expect(
        lines.dropFirst(2).starts(with: Prose.wrap(topic.introduction, columns: 40)), "\(topic)")
      let meanings = lines.prefix { !$0.hasPrefix("Example") }.filter { $0.hasPrefix("      ") }
      #expect(meanings.allSatisfy { TextWidth.columns(of: $0) <= 40 }, "\(meanings)")
    }
    let items = [(name: "--name TEXT", meaning: "one two three four")]
    #expect(
      HelpPage.rows(items, terminal: 80).map(\.plain) == ["  --name TEXT  one two three four"])
    #expect(
      HelpPage.rows(items, terminal: 20).map(\.plain)
        == ["  --name TEXT", "      one two three", "      four"])
  }

  @Test("The topics list every command, and help WORDS shows one page or the group")
  func command() throws {
    let groups = HelpTopic.groups.flatMap { $0.lines() }.map(\.plain).joined(separator: "\n")
    for signature in CommandRegistry.signatures {
      #expect(
        groups.contains("  \(signature.fullName) ")
          || groups.contains("(also '\(signature.fullName)')"), "\(signature.fullName)")
    }
    let page = try Opsh.run("help queue pause")
    #expect(page.output.hasPrefix("queue pause [QUEUE|all]"))
    // Commands listed under a topic are not listed again.
    let pace = try Opsh.run("help queue pace")
    #expect(pace.output.contains("such as 200ms, or 'off'\n"))
    let group = try Opsh.run("help fetch")
    #expect(group.output.contains("fetch questions") && group.output.contains("fetch answers"))
    let further = try Opsh.run("help queue")
    #expect(further.output.contains("queue drain"))
    let unknown = try Opsh.run("help queue puase")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("did you mean 'help queue pause'?"))
  }

  @Test(
    "help has pages for keywords and functions",
    arguments: [
      ("length", "length(VALUE)"), ("while", "while (E)"), ("matches", "TEXT matches PATTERN"),
      ("count", "count of ops"), ("starts-with", "starts-with(TEXT, PREFIX)"),
    ])
  func language(_ word: String, _ usage: String) throws {
    let lines = try ShellFixture().output(of: "help \(word)")
    #expect(lines.first?.hasPrefix(usage) == true, "\(lines)")
    #expect(lines.contains("Example:"))
  }

  @Test("The reference page has every option and example of the help pages")
  func reference() {
    let page = Reference.text
    for signature in CommandRegistry.signatures {
      #expect(page.contains("### \(signature.fullName)\n"))
      for example in signature.examples {
        #expect(page.contains(example.text.replacing("\n", with: "\n    ")))
      }
    }
    #expect(page.components(separatedBy: "`--json`").count > 100)
  }

  @Test(
    "apropos finds commands by the terms of Foundation",
    arguments: [
      ("suspend", "queue pause"), ("maxConcurrentOperationCount", "queue width"),
      ("kvo", "observe"),
      ("abort", "cancel"),
    ])
  func apropos(_ word: String, _ command: String) throws {
    let outcome = try Opsh.run("apropos \(word)")
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(command))
  }

  @Test("A topic has a page, and is in the reference unless it lists what is there")
  func topics() throws {
    for topic in HelpTopic.all {
      let page = try ShellFixture().output(of: "help \(topic.name)").joined(separator: "\n")
      for item in topic.items where !item.name.contains("\\") {
        #expect(page.contains("  \(item.name)"), "\(topic.name)")
        #expect(
          topic.isIndex || Reference.text.contains("- `\(item.name)`: \(item.meaning)"),
          "\(topic.name)")
      }
    }
    let found = try ShellFixture().output(of: "apropos no_proxy")
    #expect(found == ["help network  Requests: environment and limits"])
  }
}
