import Foundation
import TestSupport
import Testing

@testable import ShellSession

@Suite("What is shown of operations", .timeLimit(.minutes(5)))
struct ShownValuesTests {
  @Test(
    "Values are shown as they are, and an absence is explained",
    arguments: [
      (script: "delay 1ms --name über; wait; echo (über.state)", shown: "finished\n"),
      ("fetch questions --name f; wait; echo (f.progress)", "1.0\n"),
      ("delay 1ms --name d; wait; echo (d.progress ?? none)", "none\n"),
      ("delay 1s; wait; delay 1s --name a; show a", "running    0 s\n"),
      (
        "server latency 1.5ms; get /2.3/info?site=stackoverflow; wait; show last --attempts --json",
        "\"duration\":0.0025"
      ),
      ("set keep 0; delay 1ms; wait; ops", "no operations are kept"), ("ops", "no operations yet"),
    ])
  func shown(_ script: String, _ shown: String) throws {
    let outcome = try Opsh.run("set clock virtual\n\(script)")
    #expect(outcome.output.contains(shown), "\(outcome.output)\(outcome.errors)")
  }

  @Test("A point in time is written to the nearest millisecond")
  func milliseconds() {
    for number in 0..<1000 {
      let date = Date(timeIntervalSince1970: 1_325_533_616 + Double(number) / 1000)
      #expect(DateText.text(date).hasSuffix(String(format: "T19:46:56.%03dZ", number)))
    }
    #expect(DateText.text(.distantPast).hasPrefix("0001-01-01"))
    #expect(DateText.text(Date(timeIntervalSince1970: 1e15)).hasPrefix("9999-12-31"))
  }

  @Test("A comma alone is no list of nothing", arguments: ["delay 1ms --after ,", "wait ,"])
  func commaAlone(_ script: String) throws {
    let outcome = try Opsh.run(script)
    #expect(outcome.status == 1 && outcome.errors.contains("',' names no operation"))
  }

  @Test("A server that runs already is not called an operation")
  func serverRuns() throws {
    let outcome = try Opsh.run("server start; server start 1")
    #expect(outcome.errors.contains("help: 'server stop' stops it"), "\(outcome.errors)")
  }
}
