import Operations
import ShellLanguage
import TestSupport
import Testing

@Suite("Adding held operations to a queue", .timeLimit(.minutes(5)))
struct QueueAddTests {
  @Test("A held operation goes to the queue that is named, also if it was held for another one")
  func held() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue new slow --width 1; delay 1s --count 2 --name a --hold; queue add a-* slow"
    )
    #expect(try fixture.run("(a-1.queue)").text == "slow")
    #expect(try fixture.operation("a-2").state == .ready)
    try fixture.run("wait")
    #expect(try fixture.run("(a-2.started == a-1.finished)").text == "true")
  }

  @Test(
    "What Foundation would end the process for is an error that says so",
    arguments: [
      ("delay 1s --name a; queue add a slow", "already-on-queue"),
      ("queue pause; delay 1s --name a; queue add a network", "already-on-queue"),
      ("delay 1s --name a; wait; queue add a slow", "already-finished"),
    ])
  func refused(_ script: String, _ code: String) throws {
    let fixture = try ShellFixture("set clock virtual; queue new slow")
    let error = try fixture.error(of: script)
    #expect(error.code == code)
    #expect(error.help?.contains("already in a queue cannot be enqueued") == true)
  }

  @Test("If one operation is refused, none is added")
  func allOrNone() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue new slow; delay 1s --name a --hold; delay 1s --name b")
    #expect(try fixture.error(of: "queue add a b slow").code == "already-on-queue")
    #expect(try fixture.operation("a").state == .created)
    try fixture.run("start a; wait")
    #expect(try fixture.run("(a.queue)").text == "network")
  }
}
