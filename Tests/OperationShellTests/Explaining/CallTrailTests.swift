import Foundation
import TestSupport
import Testing

@Suite("Call traces of errors", .timeLimit(.minutes(15)))
struct CallTrailTests {
  /// The lines of the call trace.
  private func notes(_ outcome: ChildProcess.Outcome) -> [String] {
    outcome.errors.split(separator: "\n").map(String.init).filter { $0.contains("note:") }
  }

  @Test("An error in a definition lists the calls, innermost first")
  func definitions() throws {
    let outcome = try Opsh.run(
      "def inner { show nobody }\ndef outer { inner }\n\n  outer", options: ["--events", "off"])
    #expect(outcome.errors.hasPrefix("-c:1:18: error: there is no operation 'nobody'"))
    #expect(
      notes(outcome) == [
        "-c:2:13: note: 'inner' was called here", "-c:4:3: note: 'outer' was called here",
      ])
    #expect(outcome.status == 1)
  }

  @Test("An error in a sourced file lists the 'source' statements")
  func files() throws {
    let folder = try ScratchFolder()
    try folder.write("source b.opsh\n", to: "a.opsh")
    try folder.write("def broken { fail no }\n  broken\n", to: "b.opsh")
    let outcome = try Opsh.run("echo x\nsource a.opsh", directory: folder.path)
    #expect(outcome.errors.hasPrefix("b.opsh:1:14: error: no [script]"), "\(outcome.errors)")
    #expect(
      notes(outcome) == [
        "b.opsh:2:3: note: 'broken' was called here", "a.opsh:1:1: note: 'b.opsh' was sourced here",
        "-c:2:1: note: 'a.opsh' was sourced here",
      ])
  }

  @Test(
    "The error report of a failed body lists the calls in it",
    arguments: ["; wait b", ""])
  func bodies(_ end: String) throws {
    let definitions = "def inner { fail no }\ndef outer { inner }\n"
    let outcome = try Opsh.run(
      definitions + "block { outer } --name b" + end, options: ["--events", "off"])
    #expect(
      notes(outcome) == [
        "-c:2:13: note: 'inner' was called here", "-c:3:9: note: 'outer' was called here",
      ], "\(outcome.errors)")
    #expect(outcome.status == 1)
    let json = try Opsh.run(definitions + "block { outer } --name b" + end, options: ["--json"])
    #expect(!json.output.contains("was called here"))
  }

  @Test("A long call trace shows the first and last calls and the number of the others")
  func many() throws {
    let outcome = try Opsh.run("def f n { if ($n == 0) { fail deep }; f ($n - 1) }\nf 100")
    let found = notes(outcome)
    #expect(found.count == 9)
    #expect(found[4] == "note: … 93 more calls …")
    #expect(found[0] == "-c:1:39: note: 'f' was called here")
    #expect(found[8] == "-c:2:1: note: 'f' was called here")
  }

  @Test("The error of an endless recursion lists its calls")
  func endless() throws {
    let outcome = try Opsh.run("def f { f }\nf")
    #expect(outcome.errors.contains("too many calls inside each other [too-deep]"))
    #expect(notes(outcome).count == 9)
    #expect(notes(outcome).last == "-c:2:1: note: 'f' was called here")
  }

  @Test("A call through an alias is listed at its place in the script")
  func aliases() throws {
    let outcome = try Opsh.run("def f a b { fail $b }\nalias g = f one\n\ng two")
    #expect(notes(outcome) == ["-c:4:1: note: 'f' was called here"])
  }

  @Test("A wrong argument is reported at the call, and a caught error has no call trace")
  func elsewhere() throws {
    let wrong = try Opsh.run("def f a { echo $a }\nlet x = f (1 / $1) --b", options: [])
    #expect(notes(wrong).isEmpty, "\(wrong.errors)")
    let caught = try Opsh.run("def f { fail no }\ntry { f } catch e { echo $e.line $e.message }")
    #expect(caught.output == "1 no\n" && caught.errors == "")
  }
}
