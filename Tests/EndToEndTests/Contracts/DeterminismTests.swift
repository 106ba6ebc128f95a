import Foundation
import TestSupport
import Testing

/// Every example prints the same bytes in each run on the virtual clock.
@Suite("Determinism", .timeLimit(.minutes(60))) struct DeterminismTests {
  struct Manner: Sendable, CustomTestStringConvertible {
    let options: [String]
    let width: Int
    let runs: Int

    var testDescription: String { "width \(width) \(options.joined(separator: " "))" }
  }

  /// Text at the usual width runs as often as documented; the other modes share the remaining runs.
  static let manners: [Manner] = [
    Manner(options: [], width: 2, runs: TestScale.count(5, long: 200)),
    Manner(options: ["--json"], width: 1, runs: TestScale.count(2, long: 50)),
    Manner(options: ["--json"], width: 8, runs: TestScale.count(2, long: 50)),
  ]

  private func run(_ script: String, _ manner: Manner) throws -> String {
    let path = PackageFolder.path + "/scripts/examples/" + script
    let outcome = try Opsh.run(
      manner.options + [
        "-c",
        "set clock virtual; set seed 7; queue width \(manner.width); source '\(path)'",
      ])
    if manner.width == 2 { #expect(outcome.status == 0, "\(outcome.errors)") }
    return "\(outcome.status)\n\(outcome.output)\n\(outcome.errors)"
  }

  @Test("An example prints the same each time", arguments: SessionScriptTests.examples, manners)
  func same(example: String, manner: Manner) throws {
    let first = try run(example, manner)
    #expect(first.utf8.count > 200)
    for _ in 1..<max(2, manner.runs) {
      let next = try run(example, manner)
      guard next != first else { continue }
      let lines = zip(first.split(separator: "\n"), next.split(separator: "\n"))
      let difference = lines.first { $0 != $1 }
      Issue.record("'\(difference?.0 ?? "less")' and '\(difference?.1 ?? "more")'")
      return
    }
  }

  @Test("Bodies, handlers and a burst of requests print the same each time")
  func mixed() throws {
    let script = """
      set clock virtual; set seed 3; queue width 5
      server latency 40ms --jitter 30ms; server drop 20%
      on queue network empty { echo "empty" }
      for n in 1..6 {
        block --name "body-$n" { repeat 3 { sleep 7ms; echo "$self.name" }; if ($self.id > 4) { fail no } }
        fetch questions --name "fetch-$n" --retry 2 --backoff 20ms --after "body-$n"
        on "fetch-$n" finished { sleep 1ms; echo "$self.name $self.outcome" }
      }
      observe queue network operationCount
      cancel body-6
      wait --any-outcome
      ops
      """
    for options in [[], ["--json"]] {
      let runs = try (0..<TestScale.count(5, long: 200)).map { _ in
        let outcome = try Opsh.text(script, options: options)
        return "\(outcome.status)\n\(outcome.output)\n\(outcome.errors)"
      }
      #expect(runs[0].contains("body-3"))
      #expect(runs.allSatisfy { $0 == runs[0] })
    }
  }

  @Test("A file, -c and standard input print the same")
  func sameWay() throws {
    let folder = try TemporaryFolder()
    let script = "set clock virtual\ndelay 10m\nblock { sleep 1m; echo body }\nwait\necho done\n"
    let file = folder.path + "/lesson.opsh"
    try script.write(toFile: file, atomically: true, encoding: .utf8)
    let outcomes = try [
      Opsh.run([file]), Opsh.text(script), Opsh.run([], input: script),
      Opsh.run(["-c", "source '\(file)'"]),
    ]
    #expect(outcomes[0].output == "body\ndone\n")
    #expect(outcomes.allSatisfy { $0.output == outcomes[0].output })
    #expect(outcomes.allSatisfy { $0.errors == outcomes[0].errors })
    #expect(outcomes.allSatisfy { $0.status == 0 })
  }

  @Test(
    "No time passes before the handlers of what happened last",
    arguments: [
      "block --queue main --after a { sleep 1ms }; on last finished { echo x }",
      "async c { echo z }; on all finished { cancel all }",
      "block --queue main --after a { echo b }; on queue main empty { echo e }; wait",
    ])
  func handlersBeforeTime(_ text: String) throws {
    let outcome = try Opsh.text(
      "set clock virtual; delay 8ms --name a; " + text, options: ["--timeout", "1h"])
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test("'--timeout' counts virtual time, and real time if no virtual time passes")
  func timeout() throws {
    let long = try Opsh.text("set clock virtual; delay 1h; wait", options: ["--timeout", "5m"])
    #expect(long.status == 124)
    #expect(long.errors.contains("longer than --timeout"))
    let endless = try Opsh.text(
      "set clock virtual; while (true) { }", options: ["--timeout", "500ms"])
    #expect(endless.status == 124)
    let body = try Opsh.text(
      "set clock virtual; block { while (true) { } }; wait", options: ["--timeout", "500ms"])
    #expect(body.status == 124)
  }

  @Test("Ctrl-C ends an endless body, and a loop, on the virtual clock")
  func interrupt() throws {
    for script in ["block { while (true) { } }; wait", "while (true) { }"] {
      let child = try Opsh.start(["-c", "set clock virtual; echo ready; \(script)"])
      #expect(child.read { output, _ in output.contains("ready") })
      child.send(signal: SIGINT)
      let outcome = child.communicate()
      #expect(!outcome.timedOut)
      #expect(outcome.status == 128 + SIGINT)
    }
  }
}
