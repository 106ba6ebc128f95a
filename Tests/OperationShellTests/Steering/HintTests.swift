import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession
@testable import SteerCommands

@Suite("Hints of steering commands")
struct HintTests {
  @Test("Starting a pending operation says that its queue starts it")
  func startsPending() throws {
    let fixture = try ShellFixture("queue pause; delay 1ms --name a; delay 1ms --name b --after a")
    let error = #expect(throws: Diagnostic.self) { try fixture.run("start b") }
    #expect(error?.code == "already-started")
    #expect(error?.message.hasSuffix("it is pending") == true)
    #expect(error?.help?.contains("'why b' says what it waits for") == true)
  }

  @Test("Observing the progress of what never has any is remarked on")
  func observesProgress() throws {
    for (line, isRemarked) in [
      ("group g --hold { delay 1ms }; observe g progress", true),
      ("delay 1ms --hold --name d; observe d isFinished progress", true),
      ("delay 1ms --hold --name d; observe d isFinished", false),
      ("get /2.3/info --hold --name r; observe r progress", false),
    ] {
      let outcome = try Opsh.run(line)
      #expect(outcome.errors.contains("never changes") == isRemarked, "\(line): \(outcome.errors)")
    }
  }
}
