import ShellLanguage
import Testing

@testable import ShellSession

@Suite("Steering in 'log' and 'diagram'", .timeLimit(.minutes(5)))
struct SteeredLogTests {
  private func fixture() throws -> ShellFixture {
    try ShellFixture(
      """
      set clock virtual; queue pause
      delay 1s --name a --priority low; delay 1s --name b
      priority a high; deps b on a; queue width 4; deps b off a; queue resume; wait
      """)
  }

  @Test("Changes of priorities, dependencies and queues stand among the transitions")
  func isLogged() throws {
    let fixture = try fixture()
    let log = try fixture.output(of: "log").map { $0.dropFirst(8) }
    let told = log.filter { !$0.contains("→ ") || $0.contains("priority") || $0.contains("width") }
    #expect(
      told.map { $0.split(separator: " ").joined(separator: " ") } == [
        "network queue paused", "a ready priority low → high", "b ready depends on a",
        "network queue width 2 → 4", "b pending no longer depends on a", "network queue resumed",
      ])
    #expect(try fixture.output(of: "log a").count { $0.contains("priority low → high") } == 1)
    #expect(try fixture.text(of: "log a").contains("queue") == false)
    #expect(try fixture.output(of: "log a --last 3")[0].contains("priority low → high"))
    #expect(try fixture.text(of: "diagram a").contains("├ priority   low → high"))
  }

  @Test("With '--json' they are 'change' objects")
  func isJSON() throws {
    let fixture = try fixture()
    let changes = try fixture.output(of: "log --json").filter { $0.contains("\"type\":\"change\"") }
    #expect(changes.count == 6)
    #expect(
      changes.contains {
        $0.contains("\"keyPath\":\"queuePriority\"")
          && $0.contains("\"old\":\"low\",\"new\":\"high\"")
      })
    #expect(try fixture.text(of: "diagram a --json").contains("\"keyPath\":\"queuePriority\""))
  }

  @Test(
    "The log tells a change of dependencies as the command did, and one of qualities of service")
  func sameAsLive() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; queue new q --paused --qos utility; queue use q
      delay 1s --name a; delay 1s --name c; delay 1s --name b --after c --qos background
      """)
    let live = try fixture.output(of: "deps b on a; qos b utility; queue qos q background")
    let told = try fixture.output(of: "log").suffix(3)
    #expect(
      told.map { $0.dropFirst(8).split(separator: " ").joined(separator: " ") } == [
        "b pending depends on a", "b pending qos background → utility",
        "q queue qos utility → background",
      ], "\(live)")
    #expect(try !fixture.text(of: "log").contains("default → utility"))
    let json = try fixture.output(of: "log --json").filter { $0.contains("\"dependencies\"") }
    #expect(
      json.count == 1 && json[0].contains(#""old":["c"],"new":["c","a"],"reason":"""#), "\(json)")
    #expect(try fixture.text(of: "diagram b").contains("├ qos        background → utility"))
  }

  @Test("What an operation was built with, and a change without effect, is not told")
  func leavesOut() throws {
    let fixture = try ShellFixture(
      "set clock virtual; delay 1s --name a; delay 1s --name b --after a --priority high; wait")
    try fixture.run("priority a high")
    #expect(try fixture.text(of: "log").contains("priority") == false)
    #expect(try fixture.text(of: "log").contains("depends") == false)
  }
}
