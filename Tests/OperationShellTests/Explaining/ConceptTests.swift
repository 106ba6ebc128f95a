import Foundation
import ShellLanguage
import OpshTerminal
import TestSupport
import Testing

@testable import CommandParts
@testable import OperationShell
@testable import ShellCommands

@Suite("Pages of help about concepts", .timeLimit(.minutes(15)))
struct ConceptTests {
  /// The words of which `help` must know the concept.
  static let required = [
    "isReady", "isExecuting", "isFinished", "isCancelled", "isAsynchronous", "start", "main",
    "finish", "cancel", "kvo", "prior", "key-paths", "dependencies", "priority", "qos", "width",
    "slot", "barrier", "deadlock", "cycle", "states", "outcome", "queue", "group", "retry",
    "threads", "main-queue", "completionBlock", "virtual-clock", "foundation", "zoo", "timeout",
    "skip", "exclusive",
  ]

  @Test("Every required word opens the page of its concept", arguments: required)
  func opens(_ word: String) throws {
    let concept = try #require(Concept.all.first { $0.name == word })
    let shown = try ShellFixture().output(of: "help \(word)")
    #expect(shown.first?.hasPrefix("\(word): ") == true, "\(shown)")
    for statement in concept.experiment.split(separator: "\n") {
      #expect(shown.contains { $0.hasSuffix(statement) })
    }
    #expect(shown.contains { $0.hasPrefix("Foundation  ") })
    let same = try ShellFixture().output(of: "help \(word.uppercased())")
    #expect(same.contains { $0.hasPrefix("Foundation  ") })
  }

  @Test("A page has few lines of at most 100 columns", arguments: Concept.all.map(\.name))
  func size(_ name: String) throws {
    let concept = try #require(Concept.named(name))
    let lines = ConceptPage(concept).lines().map(\.plain)
    // The list of mistakes is longer than a picture.
    #expect(lines.count <= (name == "zoo" ? 28 : 20))
    for line in lines { #expect(TextWidth.columns(of: line) <= 100, "\(line)") }
    // A page of a command as well is one page, and has at most 45 rows.
    let shown = try ShellFixture().shown(by: "help \(name)")
    #expect(shown.count <= 45, "\(shown.count)")
  }

  /// The pages whose experiment shows what it does only while a delay or sleep of it lasts: it runs on
  /// the virtual clock, since a busy machine may take longer than that for a few statements.
  private static let timed: Set = [
    "isReady", "isFinished", "finish", "cancel", "completionBlock", "width", "slot", "threads",
    "barrier", "exclusive", "group", "zoo",
  ]

  @Test("An experiment runs and shows what the page says", arguments: Concept.all.map(\.name))
  func experiment(_ name: String) throws {
    let concept = try #require(Concept.named(name))
    let folder = try ScratchFolder()
    let clock = Self.timed.contains(name) ? "set clock virtual\n" : ""
    let outcome = try Opsh.run(clock + concept.experiment, directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("error:"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("warning:"), "\(outcome.errors)")
    let text = outcome.output + outcome.errors
    #expect(text.contains(concept.shows), "\(text)")
  }

  @Test("All experiments run one after the other in a session: none leaves anything behind")
  func inOneSession() throws {
    func words(_ text: some StringProtocol) -> String {
      text.split(separator: " ").joined(separator: " ")
    }
    let folder = try ScratchFolder()
    let ordered =
      Concept.all.filter { $0.name == "virtual-clock" }
      + Concept.all.filter { $0.name != "virtual-clock" }
    let script = ordered.map { "\($0.experiment)\necho 'end of \($0.name)'" }
      .joined(separator: "\n")
    let outcome = try Opsh.run(
      script + "\nqueue", options: ["--events", "stdout"], directory: folder.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    var rest = Substring(outcome.output)
    for concept in ordered {
      let end = try #require(rest.range(of: "end of \(concept.name)\n"), "\(concept.name)")
      let printed = rest[..<end.lowerBound]
      // Tables are wider where operations of earlier experiments are in them.
      #expect(words(printed).contains(words(concept.shows)), "\(concept.name): \(printed)")
      rest = rest[end.upperBound...]
    }
    let queue = try #require(rest.split(separator: "\n").first { $0.hasPrefix("network") })
    #expect(queue.contains(" 2  running        0      0          0 "), "\(queue)")
  }

  @Test("A word that is a command and a concept shows summary, usage, concept and experiment")
  func commands() throws {
    for word in ["start", "finish", "cancel", "priority", "qos", "queue", "group", "retry"] {
      let signature = try #require(CommandRegistry.signatures.first { $0.path == [word] })
      let concept = try #require(Concept.named(word))
      let shown = try ShellFixture().output(of: "help \(word)")
      #expect(shown.first == "\(word): \(signature.summary)")
      let usage = try #require(shown.firstIndex { $0.hasPrefix(word + " ") })
      let text = try #require(shown.firstIndex { concept.text.hasPrefix($0) })
      let experiment = try #require(shown.firstIndex { $0.hasPrefix("Try ") })
      #expect(text < usage && usage < experiment, "\(word)")
      #expect(shown.filter { $0.contains(signature.summary) }.count == 1, "\(word)")
    }
  }

  @Test("No two concepts share a word, and none hides a command, a function or a topic")
  func words() {
    let concepts = Concept.all.flatMap { [$0.name] + $0.aliases }.map { $0.lowercased() }
    let repeated = Dictionary(grouping: concepts) { $0 }.filter { $0.value.count > 1 }
    #expect(repeated.isEmpty)
    for concept in Concept.all {
      #expect(Keyword(concept.name) == nil)
      for word in [concept.name] + concept.aliases {
        #expect(BuiltinFunction.function(named: word) == nil, "\(word)")
        #expect(!HelpTopic.all.contains { $0.name == word }, "\(word)")
      }
    }
  }

  @Test("help concepts lists every concept on one screen")
  func list() throws {
    let shown = try ShellFixture().shown(by: "help concepts")
    #expect(shown.count <= 45)
    for concept in Concept.all {
      #expect(
        shown.contains { $0.hasPrefix("  \(concept.name) ") && $0.hasSuffix(concept.summary) })
    }
    for line in shown { #expect(TextWidth.columns(of: line) <= 100, "\(line)") }
    #expect(try Opsh.run("help").output.contains("'help concepts'"))
  }

  @Test("A misspelled concept is corrected")
  func spelling() throws {
    let outcome = try Opsh.run("help isRaedy")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("did you mean 'isReady'?"), "\(outcome.errors)")
  }

  @Test("The words of 'See also' have pages")
  func related() throws {
    let fixture = try ShellFixture()
    for concept in Concept.all {
      for word in concept.related {
        #expect(try !fixture.output(of: "help \(word)").isEmpty, "\(concept.name): \(word)")
      }
    }
  }

  @Test(
    "What only opsh has is marked",
    arguments: ["outcome", "retry", "timeout", "skip", "exclusive", "group", "virtual-clock"])
  func marked(_ word: String) throws {
    let shown = try ShellFixture().output(of: "help \(word)")
    #expect(shown.contains { $0.hasPrefix("Foundation  opsh only. ") })
  }

  @Test("help width explains 2 and -1, help zoo lists every mistake of async")
  func contents() throws {
    let fixture = try ShellFixture()
    let width = try fixture.output(of: "help width").joined(separator: "\n")
    #expect(width.contains("Foundation's default is -1, which means unlimited"))
    #expect(width.contains("opsh's is 2"))
    let zoo = try fixture.output(of: "help zoo")
    let async = try #require(CommandRegistry.signatures.first { $0.path == ["async"] })
    for option in async.options where option.help.hasPrefix("mistake") {
      for choice in option.kind?.choices ?? [""] {
        let written = choice.isEmpty ? "--\(option.name)" : "--\(option.name) \(choice)"
        #expect(zoo.contains { $0.hasPrefix("  \(written) ") }, "\(written)")
      }
    }
  }

  @Test("The reference page has every concept")
  func reference() {
    let page = Reference.text
    for concept in Concept.all {
      #expect(page.contains("### \(concept.name) (concept)\n"))
      #expect(page.contains(Prose.wrap(concept.text)[0]))
    }
  }
}
