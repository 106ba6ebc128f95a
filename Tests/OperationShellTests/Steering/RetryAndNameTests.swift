import Operations
import ShellLanguage
import Testing

@testable import ShellSession

@Suite("'retry' and 'name'", .timeLimit(.minutes(10)))
struct RetryAndNameTests {
  @Test(
    "A new operation is built with the same arguments, options and name",
    arguments: [
      ("block --name x { let y = 1 }", "x", "x"),
      ("block { let y = 1 }", "block-1", "block-2"),
      ("delay 1ms --count 3 --priority high", "delay-2", "delay-4"),
      ("delay 1ms --name d --count 2", "d-2", "d-2"),
      ("group g { delay 1ms; delay 1ms }", "g", "g"),
      ("fetch questions --pagesize 2 --tagged swift", "questions-1", "questions-2"),
      ("fetch tweets swift c++", "tweets-2", "tweets-3"),
      ("async a { finish a 3 }", "a", "a"),
      ("queue barrier network", "barrier-1", "barrier-2"),
      ("quotes sync", "quotes-1", "quotes-2"),
    ])
  func rebuilds(_ script: String, _ old: String, _ new: String) throws {
    let folder = try ScratchFolder()
    var configuration = SessionConfiguration()
    configuration.dataDirectory = folder.path
    let fixture = try ShellFixture("\(script); wait", configuration)
    let first = try fixture.operation(old)
    let count = fixture.session.jobs.operations.all.filter { $0.kind == first.kind }.count
    try fixture.run("retry \(old); wait")
    let second = try fixture.operation(new)
    #expect(second !== first)
    #expect(second.kind == first.kind)
    #expect(second.queuePriority == first.queuePriority)
    #expect(second.outcome == .succeeded)
    #expect(fixture.session.jobs.operations.all.filter { $0.kind == first.kind }.count == count + 1)
    if let group = first as? GroupOperation, let anew = second as? GroupOperation {
      #expect(group.summary.finished == anew.summary.finished)
    }
  }

  @Test("Its arguments have the values that they had, and a body reads variables as they are now")
  func values() throws {
    let fixture = try ShellFixture(
      """
      let n = 3
      block --name a --priority high --retry $n { fail $n }
      wait --any-outcome
      let n = 4
      retry a
      wait --any-outcome
      """)
    let operation = try fixture.operation("a")
    #expect(operation.id == 2)
    #expect(operation.retryPolicy?.limit == 3)
    #expect(operation.outcome?.failure?.message.hasPrefix("4 ") == true)
  }

  @Test("'retry' of an operation that was held holds the new one, and says so")
  func held() throws {
    let fixture = try ShellFixture("delay 1ms --name h --hold; start h; wait")
    #expect(
      try fixture.shown(by: "retry h") == ["'h' is held, as it was built: 'start h' adds it"])
    #expect(try fixture.operation("h").state == .created)
  }

  @Test("An error of rebuilding is reported at 'retry', with the place of the first build")
  func place() throws {
    let fixture = try ShellFixture(
      "queue new q; delay 1ms --queue q --name a; wait; queue remove q")
    let error = try fixture.error(of: "echo 1\nretry a")
    #expect(error.code == "unknown-queue" && error.line == 2 && error.column == 7, "\(error)")
    #expect(error.labels.map(\.message) == ["the operation was built here"])
    #expect(error.labels.first?.source.text.contains("--queue q") == true)
  }

  @Test(
    "What cannot be rebuilt is refused, and nothing is built",
    arguments: [
      ("delay 60s --name a; retry a", "not-finished"),
      ("quotes sync; wait; retry download-1", "recipe-dropped"),
      ("delay 1ms --name a; wait; delay 60s --name a; retry 1", "bad-name"),
      ("group g { delay 1ms --name m }; wait; retry m", "group-finished"),
      ("delay 1ms; wait; delay 60s; retry 1 2", "not-finished"),
    ])
  func refused(_ script: String, _ code: String) throws {
    let fixture = try ShellFixture()
    let error = try fixture.error(of: script)
    #expect(error.code == code, "\(error)")
  }

  @Test("The error about an operation of a finished group names the group to retry")
  func memberOfFinishedGroup() throws {
    let fixture = try ShellFixture("group g { group h { delay 1ms --name m } }; wait")
    #expect(try fixture.error(of: "retry m").help == "'retry g' builds the group anew")
    #expect(try fixture.error(of: "retry h").help == "'retry g' builds the group anew")
    try fixture.run("retry g; wait")
  }

  @Test("Only the latest operations can be built anew")
  func bounded() throws {
    let count = BuildRecipes.limit
    let fixture = try ShellFixture("delay 0s --count \(count + 1); wait")
    #expect(try fixture.error(of: "retry delay-1").code == "recipe-dropped")
    try fixture.run("retry delay-2; wait")
  }

  @Test("A renamed operation is found by its new name, and the old one is free")
  func renames() throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1ms --name a; name a b; delay 1ms --name a; queue resume; wait")
    #expect(try fixture.operation("b").id == 1)
    #expect(try fixture.operation("a").id == 2)
    try fixture.run("delay 60s --name c; name c d")
    #expect(fixture.session.jobs.operations.operation(named: "c") == nil)
    // Only of queues.
    try fixture.run("name d auto; cancel auto; wait auto")
  }

  @Test("A name that a finished operation had before means that one again")
  func olderName() throws {
    let fixture = try ShellFixture(
      "delay 0s --name a; wait; queue pause; delay 1ms --name a; name a b; queue resume; wait")
    #expect(try fixture.operation("a").id == 1)
    #expect(try fixture.operation("b").id == 2)
  }

  @Test("Automatic numbers never give a name that was chosen")
  func numbers() throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1ms; name delay-1 delay-2; delay 1ms; queue resume; wait")
    #expect(try fixture.operation("delay-3").id == 2)
  }

  @Test(
    "Names that others have or that mean something else are refused",
    arguments: [
      ("delay 60s --name a; delay 60s --name b; name a b", "bad-name"),
      ("delay 60s --name a; name a all", "bad-name"),
      ("delay 60s --name a; name a 3x", "bad-name"),
      ("delay 0s --name a; wait; name a b", "already-finished"),
      ("group g --hold { delay 1ms }; name g network", "bad-name"),
      ("group g --hold { delay 1ms }; name g auto", "bad-name"),
    ])
  func refusedNames(_ script: String, _ code: String) throws {
    #expect(try ShellFixture().error(of: script).code == code)
  }

  @Test("A reserved name is called reserved")
  func reserved() throws {
    let error = try ShellFixture().error(of: "delay 60s --name a; name a last")
    #expect(error.message == "the new name must be a name that is not reserved, found 'last'")
    #expect(error.help?.hasPrefix("reserved: ") == true && error.help?.contains("last") == true)
  }
}
