import Operations
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

/// Handlers of operations that are still to come, and of the app.
@Suite(.timeLimit(.minutes(5))) struct ComingHandlerTests {
  /// The text that the handlers of a script have collected in 'seen'.
  private func seen(_ script: String) throws -> String {
    let fixture = try ShellFixture("set clock virtual; let seen = \"\"\n\(script)")
    return try fixture.run("($seen)").text
  }

  @Test(
    "A handler runs for operations that are built after it",
    arguments: [
      ("nap", "delay 1ms --name nap; wait; delay 1ms --name nap; wait", " nap"),
      ("d-*", "delay 1ms --name d-a; delay 1ms --name e; delay 1ms --name d-b; wait", " d-a d-b"),
      ("any", "delay 1ms --name a; delay 2ms --name b; wait", " a b"),
      ("a,c-*", "delay 1ms --name b; delay 1ms --name a; delay 1ms --name c-1; wait", " a c-1"),
      ("a b", "delay 1ms --name b; delay 2ms --name a; wait", " b a"),
    ])
  func coming(_ subject: String, _ statements: String, _ expected: String) throws {
    #expect(
      try seen(
        """
        on \(subject) finished { let seen = "$seen $self.name" }
        \(statements)
        """) == expected)
  }

  @Test(
    "A handler of a phase runs for each request in a group, built before or after it",
    arguments: [
      ("on 'quotes-*' saving", "quotes sync; wait", " save-1"),
      (
        "on g headers", "group g { fetch questions; fetch answers }; wait", " questions-1 answers-1"
      ),
      (
        "on any headers", "group g { fetch questions }; fetch answers; wait",
        " questions-1 answers-1"
      ),
      (
        "group g --hold { fetch questions }; on g headers",
        "start g; wait", " questions-1"
      ),
    ])
  func phases(_ handler: String, _ statements: String, _ expected: String) throws {
    let names = try seen("\(handler) { let seen = \"$seen $self.name\" }\n\(statements)")
    #expect(names.split(separator: " ").sorted() == expected.split(separator: " ").sorted())
  }

  @Test("A handler of a name runs once: for the one that has it, or the next one")
  func finishedName() throws {
    // Its event has happened.
    #expect(
      try seen(
        """
        delay 1ms --name a; wait
        on a finished { let seen = "$seen $self.id" }
        delay 1ms --name a; wait
        """) == " 1")
    // Its event will never happen.
    #expect(
      try seen(
        """
        delay 1ms --name a; wait
        on a failed { let seen = "$seen $self.id" }
        block --name a { fail no }; wait --any-outcome
        """) == " 2")
    // It is unfinished.
    #expect(
      try seen(
        """
        delay 1ms --name a
        on a finished { let seen = "$seen $self.id" }
        wait; delay 1ms --name a; wait
        """) == " 1")
  }

  @Test("'on any failed' runs for each failure, and forgets operations that end otherwise")
  func any() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual; let seen = ""
      on any failed { let seen = "$seen $self.name:$self.error.code" }
      for i in 1..3 { delay 1ms --name d$i; block --name b$i { fail no } }
      wait --any-outcome
      """)
    #expect(try fixture.run("($seen)").text == " b1:script b2:script b3:script")
    let handler = try #require(fixture.session.jobs.eventHandlers.handlers.first)
    #expect(handler.awaited.isEmpty && handler.arrived.isEmpty)
  }

  @Test("'observers' lists handlers of what is to come, and 'unobserve' ends them")
  func ended() throws {
    let fixture = try ShellFixture(
      "set clock virtual; let seen = 0; on d-* finished { let seen = ($seen + 1) }")
    #expect(
      try fixture.output(of: "observers").last?.split(separator: " ").map(String.init)
        == ["1", "on", "d-*", "finished"])
    try fixture.run("delay 1ms --name d-1; wait; unobserve 1; delay 1ms --name d-2; wait")
    #expect(try fixture.run("($seen)").text == "1")
    #expect(fixture.session.jobs.eventHandlers.handlers.isEmpty)
  }

  @Test("'observe any' observes what exists and what comes")
  func observeAny() throws {
    #expect(
      try seen(
        """
        delay 1ms --name a
        observe any isFinished --options new { let seen = "$seen $change.subject" }
        delay 2ms --name b; wait
        """) == " a b")
  }

  @Test("The check accepts a name that a later statement creates, and refuses one that none does")
  func check() throws {
    let fixture = try ShellFixture()
    func codes(_ text: String) -> [String] {
      fixture.session.run.check(
        Parser.parse(SourceText(name: "s", text: text)), isWhole: true, names: .all,
        in: fixture.shell.interpreter.makeContext()
      ).map(\.code)
    }
    #expect(codes("on nap finished { }\ndelay 1ms --name nap").isEmpty)
    #expect(codes("on nap finished { }\ndelay 1ms --name napp") == ["unknown-operation"])
    #expect(codes("on any failed { echo $self.name }\non 'q-*' ready { }").isEmpty)
    #expect(codes("on app background { }\non app finished { }") == ["unknown-choice"])
  }

  @Test("'any' and 'app' are no names of operations")
  func reserved() throws {
    let fixture = try ShellFixture()
    for name in ["any", "app"] {
      #expect(try fixture.error(of: "delay 1ms --name \(name)").code == "bad-name")
    }
  }

  @Test("Handlers of the app run at each change of its state")
  func app() throws {
    #expect(
      try seen(
        """
        on app background { let seen = "$seen background"; delay 1s --essential --name save }
        on app foreground { let seen = "$seen foreground" }
        on app terminate { let seen = "$seen terminate" }
        app foreground
        app background; app background; sleep 2s; app foreground
        app terminate; app terminate; app foreground
        """) == " background foreground terminate foreground")
  }
}
