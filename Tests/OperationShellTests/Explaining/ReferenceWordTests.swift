import ShellLanguage
import Testing

@testable import ShellCommands
@testable import ShellSession

@Suite("Words of the reference articles", .timeLimit(.minutes(5)))
struct ReferenceWordTests {
  static let words = [
    "authentication", "coalesce", "duplicate", "singleton", "serial", "FIFO", "GCD", "lock", "race",
    "semaphore", "recursive", "thread-safe", "exponential", "inversion", "NSURLSession",
    "URLSession", "NSOperation", "suspend",
  ]

  @Test("'help' and 'apropos' know each word, and lead to pages that exist", arguments: words)
  func isKnown(_ word: String) throws {
    let fixture = try ShellFixture()
    let help = try fixture.text(of: "help \(word)")
    #expect(help.contains("To see it:"), "\(help)")
    let found = try fixture.output(of: "apropos \(word)")
    #expect(found.contains { $0.hasPrefix("\(word): ") } && found.count > 1, "\(found)")
  }

  /// Pages and options that do not exist are left to their own tests.
  private static let later = ["--coalesce", "queue coalesce"]

  @Test("The statements of a page pass the check, and its pages exist")
  func experimentsPass() throws {
    for word in ReferenceWord.all {
      let fixture = try ShellFixture()
      for page in word.pages where !Self.later.contains(page) { try fixture.run("help \(page)") }
      guard !Self.later.contains(where: word.experiment.contains) else { continue }
      let script = Parser.parse(SourceText(name: "test", text: word.experiment))
      let found = fixture.session.run.checkForLater(script, host: fixture.session)
      #expect(found.filter { $0.severity == .error }.isEmpty, "\(word.names): \(found)")
    }
  }

  @Test("'queue suspend' leads to 'queue pause'")
  func suspends() throws {
    #expect(try ShellFixture().error(of: "queue suspend").help?.contains("'queue pause'") == true)
  }
}
