import OpshLocking
import OpshTerminal
import TestSupport
import Testing

@testable import ShellCommands
@testable import ShellSession

@Suite("Session settings")
struct SettingTests {
  @Test("Switches are shown as on or off, the same words that set them")
  func trace() throws {
    let fixture = try ShellFixture()
    #expect(try fixture.output(of: "set trace") == ["off"])
    fixture.session.screen.isTracing = true
    let values = try fixture.output(of: "set")
      .map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(
      values == [
        "option value", "clock real", "connect-timeout 30s", "editing emacs", "idle-timeout 1m",
        "keep 100000", "notify 10s", "pager off", "plain off", "prompt {opsh}{star}{", "seed none",
        "speed 1", "theme auto", "trace on",
      ])
  }

  @Test(
    "Each setting prints an object with '--json'",
    arguments: [
      "clock", "connect-timeout", "editing", "idle-timeout", "keep", "notify", "pager", "plain",
      "prompt", "seed", "speed",
      "theme",
      "trace",
    ])
  func objects(name: String) throws {
    let outcome = try Opsh.run("set \(name)", options: ["--json"])
    #expect(outcome.output.contains("\"type\":\"setting\""), "\(outcome.output)")
    #expect(outcome.output.contains("\"name\":\"\(name)\""), "\(outcome.output)")
  }

  private func prompt(
    _ template: String, _ fixture: ShellFixture, columns: Int = 80
  ) throws -> String {
    try fixture.run("set prompt '\(template)'")
    return fixture.session.run.livePromptText(columns: columns).plain
  }

  @Test("A field of the prompt is shown with the signs around it, or not at all")
  func promptFields() throws {
    let fixture = try ShellFixture("set clock virtual; delay 5s --count 5; sleep 1s")
    #expect(try prompt("default", fixture) == "opsh* 1.000> ")
    #expect(
      try prompt("{executing+}{ -waiting-}{ !failed}{ status}{ [queue]}:", fixture) == "2+ -3-:")
    let failing = try ShellFixture("block { fail 'no' }; wait --any-outcome; queue pause")
    failing.session.screen.state.withLock { $0.prompt.lastStatus = 2 }
    #expect(try prompt("{!failed}{ status}{ [queue]}", failing) == "!1 2 [network paused 0]")
    // What failed before the line was entered is no news.
    failing.session.screen.state.withLock { $0.prompt.failuresBefore = 1 }
    #expect(try prompt("{!failed}{status}", failing) == "2")
    // A transcript has the usual prompt.
    #expect(failing.session.run.promptText().plain == "opsh [network paused 0]> ")
  }

  @Test("A long name of a queue is shortened in the middle, to a third of the width")
  func longQueueName() throws {
    let fixture = try ShellFixture(
      "queue new uploads-of-large-pictures; queue use uploads-of-large-pictures")
    #expect(try prompt("default", fixture, columns: 200) == "opsh [uploads-of-large-pictures]> ")
    #expect(try prompt("default", fixture, columns: 60) == "opsh [uploa…tures]> ")
    #expect(try prompt("default", fixture, columns: 10) == "opsh [uplo…res]> ")
  }

  @Test(
    "A prompt with an unknown field or a stray brace is refused",
    arguments: [
      ("{queues}", "there is no field 'queues'"), ("{queue", "'{' is never closed"),
      ("queue}", "'}' closes nothing"), ("{ }", "names no field"),
      ("{queue or}", "there is no field"),
    ])
  func wrongPrompts(template: String, message: String) throws {
    let outcome = try Opsh.run("echo one; set prompt '\(template)'")
    #expect(outcome.status == 2)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.contains(message), "\(outcome.errors)")
  }

  @Test("What follows a prompt of a template is found in a copied line")
  func copiedPrompt() throws {
    let template = try PromptTemplate("{!failed }work{*executing}{ [queue]}$ ")
    for line in ["work$ ops", "!3 work$ ops", "work*2 [network paused 0]$ ops"] {
      #expect(template.input(in: line[...]) == "ops", "\(line)")
    }
    #expect(template.input(in: "work") == nil)
    #expect(template.input(in: "work$") == "")
    #expect(try PromptTemplate("work{ queue}").input(in: "work ops") == nil)
  }
}
