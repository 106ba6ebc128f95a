import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession
@testable import WorldCommands

@Suite("App life cycle", .timeLimit(.minutes(15)))
struct AppTests {
  @Test("In the background only essential operations continue, within the background time")
  func background() throws {
    let fixture = try ShellFixture(
      """
      queue width unlimited
      delay 60s --name avatar; delay 30ms --name upload --essential
      delay 60s --name held --hold
      app background --grace 20s
      wait
      """)
    #expect(try fixture.operation("avatar").outcome == .cancelled)
    #expect(try fixture.operation("upload").outcome == .succeeded)
    #expect(try fixture.operation("held").isCancelled)
    #expect(try fixture.output(of: "app").first?.hasPrefix("background") == true)
  }

  @Test("At the end of the background time essential operations are cancelled too")
  func expiry() throws {
    let fixture = try ShellFixture(
      "delay 60s --name upload --essential; app background --grace 30ms; wait")
    #expect(try fixture.operation("upload").outcome == .cancelled)
    // 'wait' may see the cancellation before the background time is over.
    #expect(eventually { fixture.session.jobs.app.remaining == nil })
  }

  @Test("Returning to the foreground removes the limit")
  func foreground() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 200ms --name upload --essential
      app background --grace 50ms; app foreground; wait
      """)
    #expect(try fixture.operation("upload").outcome == .succeeded)
    #expect(fixture.session.jobs.app.phase == .foreground)
  }

  @Test("An essential group keeps all its members, and a group with an essential member stays")
  func groups() throws {
    let fixture = try ShellFixture(
      """
      queue width unlimited
      group whole { delay 30ms --name a; delay 30ms --name b } --essential
      group some { delay 30ms --name c --essential; delay 60s --name d }
      app background --grace 20s
      wait --any-outcome
      """)
    for name in ["a", "b", "c"] {
      #expect(try fixture.operation(name).outcome == .succeeded, "\(name)")
    }
    #expect(try fixture.operation("d").outcome == .cancelled)
  }

  @Test("Termination cancels all operations")
  func terminate() throws {
    let fixture = try ShellFixture("delay 60s --essential; delay 60s; app terminate; wait")
    #expect(try fixture.operation("delay-1").outcome == .cancelled)
    #expect(try fixture.operation("delay-2").outcome == .cancelled)
    #expect(fixture.session.jobs.app.phase == .terminated)
  }

  @Test("Operations that were cancelled before do not count as cancelled by the app")
  func cancelledBefore() throws {
    let fixture = try ShellFixture("queue pause; delay 60s --count 3; cancel delay-1,delay-2")
    #expect(try fixture.output(of: "app terminate") == ["terminated: 1 operation cancelled"])
  }

  @Test("A terminated app accepts no operations until it is launched again")
  func terminated() throws {
    let fixture = try ShellFixture("delay 1ms --hold --name held; app terminate")
    let building = [
      "fetch questions", "get /x", "delay 1s", "block { }", "run true", "group g { }",
      "queue barrier { }", "quotes sync", "download /x y", "start held",
    ]
    for command in building {
      let error = try fixture.error(of: command)
      #expect(error.code == "app-terminated", "\(command)")
      #expect(error.help?.contains("app foreground") == true)
    }
    #expect(fixture.session.jobs.operations.count == 1)
    try fixture.run("app foreground; fetch questions --pagesize 1; wait")
    #expect(try fixture.operation("questions-1").outcome == .succeeded)
  }

  @Test("A terminated app can only go to the foreground")
  func terminatedForGood() throws {
    let shell = try ShellFixture("app terminate")
    #expect(try shell.error(of: "app background").code == "app-terminated")
    #expect(try shell.error(of: "delay 1ms").code == "app-terminated")
    try shell.run("app foreground; app background; delay 1ms --essential; wait")
  }

  @Test("The countdown is shown")
  func countdown() throws {
    let outcome = try Opsh.run(
      "delay 60s --name upload --essential; app background --grace 5s; wait",
      options: ["--json"])
    #expect(outcome.status == 0)
    #expect(outcome.output.contains(" s left for upload"))
    #expect(outcome.output.contains("the time in the background is over; cancelling upload"))
  }
}
