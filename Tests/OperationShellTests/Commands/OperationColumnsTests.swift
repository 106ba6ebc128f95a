import Foundation
import TestSupport
import Testing

@Suite("Columns and order of 'ops'", .timeLimit(.minutes(15)))
struct OperationColumnsTests {
  @Test("'ops' shows the message of an error in a body")
  func errorInBody() throws {
    let fixture = try ShellFixture(
      """
      let d = 0
      block --name b { echo (1 / $d) }
      async a { wait 999 }
      delay 1s --timeout 1ms --name t
      wait --any-outcome
      """)
    let text = try fixture.output(of: "ops").joined(separator: "\n")
    #expect(text.contains("✗ division-by-zero: division by zero ("), "\(text)")
    #expect(text.contains("✗ unknown-operation: there is no operation 999"), "\(text)")
    // Other codes say enough.
    #expect(text.contains("✗ timed-out") && !text.contains("timed-out:"), "\(text)")
  }

  @Test("Columns appear in the requested order, and rows are sorted by the keys")
  func columns() throws {
    let fixture = try ShellFixture(
      """
      delay 0s --name b --priority low --hold
      delay 0s --name a --priority high --hold
      delay 0s --name c --priority low --hold
      deps c on a
      """)
    let table = try fixture.output(
      of: "ops --columns name,id,priority,dependencies,wait --sort name")
    #expect(
      table.map { $0.split(separator: " ").joined(separator: " ") } == [
        "name id priority dependencies wait", "a 2 high - -", "b 1 low - -", "c 3 low a -",
      ])
    func names(_ command: String) throws -> [String] {
      Array(try fixture.output(of: command)[1...])
    }
    #expect(try names("ops --columns name --sort=-id") == ["c", "a", "b"])
    #expect(try names("ops --columns name --sort priority,-name") == ["c", "b", "a"])
    #expect(try names("ops --columns name --sort=-priority") == ["a", "b", "c"])
    #expect(try names("ops --columns name --sort -name") == ["c", "b", "a"])
  }

  @Test("Priorities are compared by level, also in conditions", arguments: [1, 2, 3, 4, 5])
  func levels(_ count: Int) throws {
    let levels = ["veryLow", "low", "normal", "high", "veryHigh"]
    let fixture = try ShellFixture(
      levels.map { "delay 0s --name \($0) --priority \($0) --hold" }.joined(separator: "\n"))
    let bound = levels[count - 1]
    let upTo = try fixture.output(of: "ops --columns name --where 'priority <= \(bound)'")
    #expect(Array(upTo[1...]) == Array(levels.prefix(count)))
    let above = try fixture.output(of: "ops --columns name --where 'priority >= \(bound)'")
    #expect(Array(above[1...]) == Array(levels.suffix(6 - count)))
  }

  @Test("Times are computed from the states; rows without a value come last")
  func times() throws {
    let fixture = try ShellFixture(
      "delay 20ms --name long; delay 0s --name short; wait; delay 0s --name held --hold")
    let lines = try fixture.output(of: "ops --columns name,duration --sort -duration")
    #expect(lines.map { $0.split(separator: " ").first } == ["name", "long", "short", "held"])
    #expect(lines.last?.split(separator: " ").last == "-")
    let duration = try #require(lines[1].split(separator: " ").last.flatMap { Double($0) })
    #expect(duration >= 0.02)
  }

  @Test("A finished operation waits for nothing")
  func finished() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 1s --name h --hold; block --name f { fail no }
      delay 1s --name skipped --after h,f --on-failure skip; delay 1s --name waiting --after h
      sleep 1s
      """)
    let lines = try fixture.output(of: "ops skipped waiting")
    #expect(
      lines.dropFirst().map { $0.split(separator: " ").dropFirst(4).joined(separator: " ") }
        == ["finished normal ↷ skipped", "pending normal waits for h"])
  }

  @Test("An unknown column is an error with a place and a suggestion")
  func unknown() throws {
    let outcome = try Opsh.run("ops --columns id,nme")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("-c:1:18: error:"))
    #expect(outcome.errors.contains("did you mean 'name'?"))
  }

  @Test("'--columns' and the command's own '--json' do not go together; the run's is no conflict")
  func columnsOfObjects() throws {
    let message = "'--columns' is for the table: an object of '--json' has all keys"
    for text in ["ops --columns name,state --json", "ops --json --columns=name"] {
      let outcome = try Opsh.run("echo hello; \(text)")
      #expect(outcome.status == 2 && outcome.output == "", "\(text)")
      #expect(outcome.errors.contains("error: \(message) [conflicting-options]"), "\(outcome)")
    }
    let whole = try Opsh.run(
      "delay 1ms; wait; ops --columns name", options: ["--json", "--events", "off"])
    #expect(whole.output.contains("\"type\":\"operation\"") && whole.status == 0)
  }
}
