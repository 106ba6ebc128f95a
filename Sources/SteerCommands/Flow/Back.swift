import CommandParts
package import ShellLanguage
import ShellSession

/// `back`: returns to an earlier stop.
enum Back: Command {
  static let count = Positional<Int?>(
    "count", .integer(minimum: 1, maximum: 1_000_000_000), help: "number of stops (default 1)")

  static let path = ["back"]
  static let declaration = CommandDeclaration(
    summary: "Goes back to an earlier moment of the session, on the virtual clock",
    discussion: """
      A stop is the end of a statement, or of a step of 'next'. To get there, opsh runs again what \
      was typed or read up to the stop, silently, with the files and the keys of that time: all is as \
      it was then. What comes next begins a new branch; what followed the stop is gone, also from \
      'save'. Files that were written stay as they are on the disk and are listed; later statements \
      read them as they were at the stop. 'at' asks about the past on either clock and changes \
      nothing.
      """,
    positionals: [count],
    examples: [
      .init(
        "set clock virtual; delay 1s --name a; delay 2s --name b; next; back; next 2; ops",
        "the step is taken back, and two are taken"),
      .init(
        "set clock virtual; delay 1s --name a; cancel a; back; wait; ops",
        "as if 'a' had not been cancelled"),
    ],
    searchTerms: [
      "undo", "rewind", "reverse", "previous", "return", "time", "travel", "history", "branch",
    ],
    traits: [.waits, .removesNames])

  static func clockUse(of call: CommandCall) -> ClockUse {
    .needsVirtualTime(
      call.failure(
        .needsVirtualClock, "'back' works on the virtual clock, and the clock is real",
        help: "'set clock virtual' at the top; 'at TIME why NAME' asks about the past on any clock")
    )
  }

  static func succession(of call: CommandCall) -> Succession? { .earlier }

  static func run(_ invocation: Invocation) throws -> Value {
    let (call, inputs) = (invocation.call, invocation.run.inputs)
    try invocation.requireTopLevel()
    if let obstacle = inputs.obstacle {
      throw call.failure(
        .cannotGoBack, "this session can't go back: \(obstacle)",
        help: "begin a session with 'set clock virtual'; 'at TIME why NAME' asks about this one")
    }
    let stops = inputs.stops
    let wanted = call[count] ?? 1
    guard wanted < stops.count else {
      let most = stops.count - 1
      throw call.failure(
        .cannotGoBack,
        most == 0
          ? "this is the beginning of the session"
          : "there \(most == 1 ? "is one stop" : "are \(most) stops") before this one, not \(wanted)",
        at: count,
        help: most == 0 ? nil : "'back \(most)' returns to the beginning")
    }
    throw SessionChange.back(stops[stops.count - 1 - wanted])
  }
}

extension ErrorPage {
  package static let cannotGoBack = ErrorPage(
    "cannot-go-back", "The session can't go back so far",
    "'back' runs again what was typed. What happened on the real clock before 'set clock virtual', "
      + "and what programs did, can't be repeated; nor is there anything before the beginning.",
    help: "'set clock virtual' at the top, before anything else",
    wrong: "set clock virtual\ndelay 1s\nback 5", right: "set clock virtual\ndelay 1s\nback",
    proof: .running)
}
