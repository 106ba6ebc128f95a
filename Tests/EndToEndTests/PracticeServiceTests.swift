import Foundation
import TestSupport
import Testing

@Suite("The practice server as a separate process", .timeLimit(.minutes(15)))
struct PracticeServiceTests {
  @Test(
    "The server prints its URL on a line, serves requests, and ends on a signal",
    arguments: [SIGTERM, SIGINT, SIGHUP])
  func serves(signal: Int32) throws {
    let child = try Opsh.start(["--practice-server", "0"])
    #expect(child.read { stdout, _ in stdout.hasSuffix("\n") })
    let text = String(decoding: child.stdout, as: UTF8.self)
    #expect(text.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+\n/) != nil, "\(text)")
    let url = String(text.dropLast())
    let client = try Opsh.text(
      "fetch questions --pagesize 4; wait; expect (questions-1.items == 4)",
      options: ["--endpoint", url])
    #expect(client.status == 0, "\(client.errors)")
    child.send(signal: signal)
    let outcome = child.communicate(timeout: .seconds(30))
    #expect(outcome.status == 128 + signal)
    #expect(outcome.errors == "")
    #expect(outcome.output == text)
  }

  @Test("The server serves several shells at once, with the same data")
  func severalShells() throws {
    let child = try Opsh.start(["--practice-server", "0"])
    #expect(child.read { stdout, _ in stdout.hasSuffix("\n") })
    let url = String(decoding: child.stdout, as: UTF8.self).dropLast()
    let children = try (0..<4).map { _ in
      try Opsh.start([
        "--endpoint", String(url), "-c",
        "events off; fetch questions --pagesize 3; wait; result last",
      ])
    }
    let results = children.map { $0.communicate() }
    #expect(results.allSatisfy { $0.status == 0 }, "\(results[0].errors)")
    #expect(Set(results.map(\.output)).count == 1)
  }

  @Test("A server that cannot print its URL ends", arguments: [">/dev/full", ">&-"])
  func unwrittenURL(_ redirection: String) throws {
    let outcome = try Opsh.shell("exec \"$OPSH\" --practice-server 0 \(redirection)")
    #expect(outcome.status == 1 && outcome.errors.contains("standard output"), "\(outcome.errors)")
  }

  @Test("A port in use is an error with status 1")
  func takenPort() throws {
    let child = try Opsh.start(["--practice-server", "0"])
    #expect(child.read { stdout, _ in stdout.hasSuffix("\n") })
    let text = String(decoding: child.stdout, as: UTF8.self)
    let port = text.split(separator: ":").last.map { $0.filter(\.isNumber) } ?? ""
    let outcome = try Opsh.run(["--practice-server", port])
    #expect(outcome.status == 1)
    #expect(outcome.output == "")
    #expect(outcome.errors.contains("error: "))
  }
}
