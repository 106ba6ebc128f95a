import Foundation
import TestSupport
import Testing

/// Equal transitions of many operations at the prompt.
@Suite("Folded transitions", .serialized, .timeLimit(.minutes(15)))
struct FoldedEventsTests {
  @Test("Equal transitions of one statement are one line; 'events all' shows each")
  func folded() throws {
    let session = try PromptSession(columns: 110)
    session.enter("queue pause")
    session.enter("delay 20ms --count 20")
    session.see(/delay-1…20 +created → pending → ready +20 added to network/)
    #expect(!session.lines.contains { $0.contains("delay-7 ") })
    session.enter("cancel all")
    session.see(/delay-1…20 +ready, cancelled +20 cancelled, each finishes when/)
    session.enter("queue resume; wait; queue pause")
    session.see(/delay-\d+ ?… ?(delay-)?\d+ +ready → finished +\d+ cancelled before it ran/)
    session.enter("events all")
    session.enter("delay 20ms --count 6")
    session.see(/delay-23 +pending → ready/)
    session.enter("events on")
    session.enter("events")
    session.see("events are on (stderr), equal ones as one line")
    session.enter("delay 20ms --count 4")
    session.see(/delay-28 +created → pending/)
    session.enter("queue resume")
    // What people wait for is shown of each.
    session.see(/delay-23 +executing → finished/)
    session.terminal.write("quit\r")
    session.expectExit(0)
  }

  @Test("Scripts show every transition")
  func scripts() throws {
    let outcome = try Opsh.run([
      "-c", "queue pause; delay 1ms --count 9; queue resume; wait",
    ])
    for number in 1...9 {
      #expect(outcome.errors.contains("delay-\(number)  "), "\(outcome.errors)")
    }
    #expect(!outcome.errors.contains("…"))
  }
}
