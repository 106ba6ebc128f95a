import Foundation
import Operations
import Testing

@testable import ShellSession

/// One situation: what was typed, and why the operation `x` does not go on.
struct WhySituation: Sendable, CustomTestStringConvertible {
  let name: String
  let script: String
  /// The codes of the reasons, the nearest first.
  let codes: [String]
  /// The text of the root.
  let root: String
  /// The command that `why` names for the root.
  let cure: String?

  init(
    _ name: String, _ script: String, _ codes: [String], _ root: String, cure: String? = nil
  ) {
    self.name = name
    self.script = script
    self.codes = codes
    self.root = root
    self.cure = cure
  }

  var testDescription: String { name }

  static let all: [WhySituation] = queues + dependencies + conditions + groups + bodies + jams

  private static let queues: [WhySituation] = [
    .init(
      "a paused queue", "queue pause; delay 1ms --name x", ["queue-paused"],
      "queue 'network' is paused", cure: "queue resume network"),
    .init(
      "a queue made paused", "queue new q --paused; delay 1ms --name x --queue q",
      ["queue-paused"], "queue 'q' is paused", cure: "queue resume q"),
    .init(
      "a width of 0", "queue width 0; delay 1ms --name x", ["width-zero"],
      "queue 'network' has width 0 and starts nothing", cure: "queue width network 1"),
    .init(
      "a paused queue of width 0", "queue width 0; queue pause; delay 1ms --name x",
      ["width-zero", "queue-paused"], "queue 'network' is paused", cure: "queue resume network"),
    .init(
      "a full queue", "delay 60s --name a; delay 60s --name b; delay 1ms --name x",
      ["queue-full"], "queue 'network' is full: 'a' and 'b' hold its 2 slots",
      cure: "queue width network unlimited"),
    .init(
      "a full queue of width 1", "queue width 1; delay 60s --name a; delay 1ms --name x",
      ["queue-full"], "queue 'network' is full: 'a' holds its slot",
      cure: "queue width network unlimited"),
    .init(
      "a turn behind another",
      "queue width 1; delay 60s --name a; delay 1ms --name b; delay 1ms --name x",
      ["higher-priority", "queue-full"], "queue 'network' is full: 'a' holds its slot",
      cure: "queue width network unlimited"),
    .init(
      "a lower priority",
      "queue width 1; delay 60s --name a; delay 1ms --name x --priority low; delay 1ms --name b",
      ["higher-priority", "queue-full"], "queue 'network' is full: 'a' holds its slot",
      cure: "queue width network unlimited"),
    .init(
      "a pace", "queue pace 60s; delay 0s --name a; delay 1ms --name x", ["pace"],
      "queue 'network' starts the next one in", cure: "queue pace network off"),
    .init(
      "an operation on no queue", "delay 1ms --name x --hold", ["not-on-queue"],
      "'x' is on no queue, so nothing will start it", cure: "start x"),
    .init(
      "a queue that is paused and full",
      "queue width 1; delay 60s --name a; delay 1ms --name x; queue pause",
      ["queue-paused", "queue-full"], "queue 'network' is full: 'a' holds its slot",
      cure: "queue width network unlimited"),
    .init(
      "a cancelled one on a paused queue", "queue pause; delay 1ms --name x; cancel x",
      ["queue-paused"], "queue 'network' is paused", cure: "queue resume network"),
  ]

  private static let dependencies: [WhySituation] = [
    .init(
      "an executing dependency", "delay 5s --name a; delay 1ms --name x --after a",
      ["dependency"], "waits for 'a', which is executing"),
    .init(
      "a dependency on a paused queue",
      "queue new q --paused; delay 1ms --name a --queue q; delay 1ms --name x --after a",
      ["dependency", "queue-paused"], "queue 'q' is paused", cure: "queue resume q"),
    .init(
      "a held dependency", "delay 1ms --name a --hold; delay 1ms --name x --after a",
      ["dependency", "not-on-queue"], "'a' is on no queue, so nothing will start it",
      cure: "start a"),
    .init(
      "a chain down to a held one",
      "delay 1ms --name a --hold; delay 1ms --name b --after a; delay 1ms --name x --after b",
      ["dependency", "dependency", "not-on-queue"],
      "'a' is on no queue, so nothing will start it", cure: "start a"),
    .init(
      "a dependency that waits for a slot",
      "queue width 1; delay 60s --name z; delay 1ms --name a; queue new q; delay 1ms --name x --after a --queue q",
      ["dependency", "queue-full"], "queue 'network' is full: 'z' holds its slot",
      cure: "queue width network unlimited"),
    .init(
      "a cancelled dependency on a paused queue",
      "queue new q --paused; delay 1ms --name a --queue q; delay 1ms --name x --after a; cancel a",
      ["dependency", "queue-paused"], "queue 'q' is paused", cure: "queue resume q"),
    .init(
      "a dependency added late",
      "queue pause; delay 1ms --name a --hold; delay 1ms --name x; deps x on a; queue resume",
      ["dependency", "not-on-queue"], "'a' is on no queue, so nothing will start it",
      cure: "start a"),
    .init(
      "a dependency whose own queue has width 0",
      "queue new q --width 0; delay 1ms --name a --queue q; delay 1ms --name x --after a",
      ["dependency", "width-zero"], "queue 'q' has width 0 and starts nothing",
      cure: "queue width q 1"),
  ]

  private static let conditions: [WhySituation] = [
    .init(
      "a delay", "delay 1ms --name x --delay 5s", ["delay"], "'x' may become ready in",
      cure: "wait x"),
    .init(
      "a delay on a paused queue", "queue pause; delay 1ms --name x --delay 5s",
      ["delay", "queue-paused"], "queue 'network' is paused", cure: "queue resume network"),
    .init(
      "an exclusive name", "delay 60s --name a --exclusive db; delay 1ms --name x --exclusive db",
      ["exclusive"], "'db' is held by 'a'", cure: "cancel a"),
    .init(
      "one that is passed over because of an exclusive name",
      """
      delay 60s --name a --exclusive db; delay 60s --name c; delay 1ms --name b --exclusive db
      delay 1ms --name x
      """,
      ["queue-full"], "queue 'network' is full: 'a' and 'c' hold its 2 slots",
      cure: "queue width network unlimited"),
    .init(
      "an exclusive name and a turn",
      """
      delay 60s --name a --exclusive db; delay 1ms --name b --exclusive db
      delay 1ms --name x --exclusive db
      """,
      ["exclusive", "higher-priority"], "'b' gets 'db' first"),
    .init(
      "a barrier before it",
      "delay 60s --name a; queue barrier --name bar; delay 1ms --name x",
      ["barrier", "barrier"], "barrier 'bar' waits for 'a', added before it", cure: "cancel a"),
    .init(
      "a barrier itself", "delay 60s --name a; queue barrier --name x", ["barrier"],
      "barrier 'x' waits for 'a', added before it", cure: "cancel a"),
    .init(
      "a barrier that works",
      "queue barrier --name bar { sleep 5s }; sleep 5ms; delay 1ms --name x",
      ["barrier"], "comes after barrier 'bar'", cure: "cancel bar"),
    .init(
      "a retry", "block --name x --retry 1 --backoff 5s { fail \"no\" }; sleep 5ms",
      ["backoff"], "script, attempt 2 of 2 follows in"),
    .init(
      "a dependency that pauses before a retry",
      "block --name a --retry 1 --backoff 5s { fail \"no\" }; delay 1ms --name x --after a; sleep 5ms",
      ["dependency", "backoff"], "'a' pauses: script, attempt 2 of 2 follows in"),
  ]

  private static let groups: [WhySituation] = [
    .init(
      "a member of a held group", "group g --hold { delay 1ms --name x }",
      ["group", "not-on-queue"],
      "'g' is on no queue, so nothing will start it", cure: "start g"),
    .init(
      "a member of a group on a paused queue", "queue pause; group g { delay 1ms --name x }",
      ["group", "queue-paused"], "queue 'network' is paused", cure: "queue resume network"),
    .init(
      "a group that waits for a member",
      "group x { async a { let y = 1 } }; sleep 20ms",
      ["awaits-finish"], "'a' has done its work, and nothing has called finish",
      cure: "finish a"),
    .init(
      "a dependent of a group whose queue is paused",
      "group g --hold { delay 1ms --name a }; queue pause g; start g; delay 1ms --name x --after g",
      ["dependency", "members", "queue-paused"], "queue 'g' is paused", cure: "queue resume g"),
    .init(
      "a full group queue",
      "group g --width 1 { delay 60s --name a; delay 1ms --name x }; sleep 5ms",
      ["queue-full"], "queue 'g' is full: 'a' holds its slot", cure: "queue width g unlimited"),
  ]

  private static let bodies: [WhySituation] = [
    .init(
      "a body that waits for an operation on a paused queue",
      """
      queue new q --paused; delay 1ms --name a --queue q; delay 60s --name other
      block --name x { wait a }
      """,
      ["body-waits", "queue-paused"], "queue 'q' is paused", cure: "queue resume q")
  ]

  private static let jams: [WhySituation] = [
    .init(
      "a forgotten finish", "async x { let y = 1 }; sleep 20ms", ["awaits-finish"],
      "'x' has done its work, and nothing has called finish", cure: "finish x"),
    .init(
      "a finish forgotten by its own code", "async x --forget finish { finish x }; sleep 20ms",
      ["awaits-finish"], "'x' has done its work, and nothing has called finish", cure: "finish x"),
    .init(
      "a missing notification", "async x --forget kvo:isFinished { finish x }; sleep 20ms",
      ["awaits-finish"],
      "'x' says isFinished = true, but sent no KVO for it, so the queue does not know",
      cure: "finish x"),
    .init(
      "a lock held while notifying",
      "observe x isFinished; async x --lock-while-notifying { finish x }; sleep 20ms",
      ["awaits-finish"],
      "'x' holds its lock while it sends KVO, and the observer needs the same lock",
      cure: "cancel x"),
    .init(
      "a dependency that is never finished",
      "async a { let y = 1 }; delay 1ms --name x --after a; sleep 20ms",
      ["dependency", "awaits-finish"], "'a' has done its work, and nothing has called finish",
      cure: "finish a"),
    .init(
      "slots held by operations that are never finished",
      "async a --count 2 { let y = 1 }; delay 1ms --name x; sleep 20ms",
      ["queue-full", "awaits-finish", "awaits-finish"],
      "'a-2' has done its work, and nothing has called finish", cure: "finish a-2"),
    .init(
      "one that ignores being cancelled",
      "async x --ignore-cancel { let y = 1 }; try { wait x } catch e { }; cancel x",
      ["awaits-finish"],
      "'x' has done its work, and nothing has called finish", cure: "finish x"),
  ]
}

@Suite("Why an operation waits", .timeLimit(.minutes(15)))
struct WhySituationTests {
  @Test(
    "The reasons, the root and its cure are right, and the cure works", arguments: WhySituation.all)
  func situation(_ situation: WhySituation) throws {
    let fixture = try ShellFixture(situation.script)
    let operation = try fixture.operation("x")
    // Bodies may take a moment to get there.
    _ = try fixture.pump {
      WhyReason.reasons(of: operation, in: fixture.session.jobs).map(\.cause.rawValue)
        == situation.codes
    }
    let reasons = WhyReason.reasons(of: operation, in: fixture.session.jobs)
    #expect(reasons.map(\.cause.rawValue) == situation.codes)
    if let root = reasons.last {
      #expect(root.text.contains(situation.root))
      #expect(root.cure == situation.cure)
    }
    // Typed again and again as `why` names them, the cures free the operation.
    for _ in 0..<6 where operation.state != .finished {
      let reasons = WhyReason.reasons(of: operation, in: fixture.session.jobs)
      let cure = reasons.last { $0.cure != nil }?.cure
      if let cure { try fixture.run(cure) }
      if cure == nil { break }
    }
    #expect(try fixture.pump { operation.state == .finished })
  }

  @Test(
    "Of a queue, the number of slots has the right form", arguments: [(1, "slot"), (2, "slots")])
  func slots(width: Int, word: String) throws {
    let fixture = try ShellFixture("queue width \(width); delay 60s --count 3 --name x")
    let lines = try fixture.output(of: "why")
    #expect(lines.contains { $0.contains("\(width) of \(width) \(word) taken, ") }, "\(lines)")
    try fixture.run("cancel all")
  }

  @Test("What an operation waits for is one sentence, also of a queue")
  func sentence() throws {
    let fixture = try ShellFixture(
      "delay 60s --name a; delay 1s --name b --after a; queue new p; queue pause p\n"
        + "delay 1s --name c --queue p; queue new r; "
        + "delay 1s --count 2 --name d --queue r --after a")
    let lines = try fixture.output(of: "why")
    for text in [
      "  'b' waits for 'a', which is executing", "  'c' waits: queue 'p' is paused",
      "  2 operations wait for 'a', which is executing",
    ] {
      #expect(lines.contains { $0.hasPrefix(text) }, "\(lines)")
    }
    try fixture.run("cancel all; queue resume p")
  }

  @Test("At least forty situations are looked at")
  func count() { #expect(WhySituation.all.filter { !$0.codes.isEmpty }.count >= 40) }
}
