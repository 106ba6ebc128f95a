import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

/// What is built while the app is in the background, and what comes back with it.
@Suite(.timeLimit(.minutes(5))) struct BackgroundTests {
  @Test("In the background a new operation waits for the foreground, unless it is essential")
  func waits() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      app background
      delay 1s --name new
      delay 1s --name save --essential
      sleep 2s
      """)
    let new = try fixture.operation("new")
    #expect(new.state == .pending && !new.isReady)
    #expect(try fixture.operation("save").outcome == .succeeded)
    #expect(
      try fixture.output(of: "why new") == [
        "new is pending and does not run because",
        "  the app is in the background, and 'new' is not essential  → app foreground",
      ])
    #expect(
      try fixture.output(of: "app") == [
        "background: only operations built with '--essential' go on; 'app foreground' returns; "
          + "wait for the foreground: new"
      ])
    #expect(
      try fixture.output(of: "app foreground") == ["in the foreground again; waited for it: new"])
    try fixture.run("wait")
    #expect(new.outcome == .succeeded)
    #expect(
      try fixture.output(of: "log new")[1].hasSuffix(
        "pending → ready       the app is in the foreground"))
    #expect(try fixture.output(of: "at 1s why new").count == 2)
    #expect(try fixture.output(of: "blame")[2].hasPrefix("app in the background   2 s"))
  }

  @Test("A wait for an operation that waits for the foreground fails with the reason and the cure")
  func endlessWait() throws {
    let fixture = try ShellFixture("set clock virtual; app background; delay 1s --name new")
    let error = try fixture.error(of: "wait")
    #expect(error.code == "never-ends" && error.help == "app foreground")
    #expect(error.message.contains("the app is in the background, and 'new' is not essential"))
  }

  @Test("Members wait with their group, held operations when started; cancelling ends it")
  func others() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      app background
      group g { delay 1s --name a }
      group e --essential { delay 1s --name b }
      delay 1s --name held --hold
      delay 1s --name gone
      start held; cancel gone
      sleep 2s
      """)
    func state(_ name: String) throws -> OperationState { try fixture.operation(name).state }
    #expect(try state("g") == .pending && state("a") == .ready && state("held") == .pending)
    #expect(try fixture.operation("e").outcome == .succeeded)
    #expect(try fixture.operation("gone").outcome == .cancelled)
    try fixture.run("app foreground; wait")
    for name in ["g", "a", "held"] {
      #expect(try fixture.operation(name).outcome == .succeeded, "\(name)")
    }
  }

  @Test("'app foreground --retry' builds anew what was cancelled since the app left")
  func retried() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      delay 1s --name earlier; cancel earlier
      delay 5s --name old
      delay 5s --name upload --essential
      group g { delay 3s --name a }
      delay 1s --name after --after old
      app background --grace 2s
      sleep 3s
      let built = app foreground --retry
      wait
      """)
    #expect(try fixture.run("(length($built))").text == "4")
    for name in ["old", "upload", "g", "a", "after"] {
      #expect(try fixture.operation(name).outcome == .succeeded, "\(name)")
    }
    #expect(try fixture.operation("earlier").outcome == .cancelled)
    let after = try fixture.operation("after")
    #expect(try after.upstream.map(\.operation.id) == [fixture.operation("old").id])
    #expect(try fixture.run("let none = app foreground --retry; (length($none))").text == "0")
    let built = try fixture.run(
      "delay 1s --name again; app background; wait; retry again; app foreground --retry"
    ).text
    #expect(built == "", "what 'retry' has built anew is not built twice")
  }

  @Test("A recording has what waits for the foreground")
  func recorded() throws {
    let folder = try ScratchFolder()
    _ = try ShellFixture(
      """
      set clock virtual; record '\(folder.path)/r'
      app background; delay 1s --name new; sleep 2s; app foreground; wait; record off
      """)
    let replayed = try ShellFixture("replay '\(folder.path)/r'")
    #expect(try replayed.output(of: "at 1s why new").count == 2)
  }
}
