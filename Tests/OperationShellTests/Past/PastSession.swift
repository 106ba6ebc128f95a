import Foundation
import Operations
import OpshSupport
import ShellOutput
import Testing

@testable import ShellSession

/// A session of random statements in which something is asked at random moments, as 'at' is to show it
/// later.
struct PastSession {
  /// What a command printed at a moment.
  struct Answer {
    let question: String
    let lines: [String]
    /// How many events the log had.
    let position: Int
    /// The time in seconds, to the nanosecond.
    let time: String
  }

  let fixture: ShellFixture
  private(set) var script = ""
  private(set) var answers: [Answer] = []
  private var random: RandomSource
  private var names: [String] = []
  private let isVirtual: Bool

  init(seed: UInt64, isVirtual: Bool) throws {
    random = RandomSource(seed: seed)
    self.isVirtual = isVirtual
    let clock = isVirtual ? "set clock virtual; set seed \(seed); " : ""
    fixture = try ShellFixture(clock + "queue new side --width 1")
  }

  /// Runs statements, and asks after some of them; then lets everything run that waits.
  mutating func run(_ count: Int) throws {
    for _ in 0..<count {
      run(statement())
      // On the virtual clock, nothing else happens at the time of an answer.
      run("sleep \(random.below(9) + 1)ms")
      guard random.below(2) == 0 else { continue }
      for question in questions() { try ask(question) }
      run("sleep 1ms")
    }
    run("queue resume network; queue resume side; queue width network 3; queue width side 2")
    run("queue pace side off; queue pace network off; cancel all; close g-*")
    run("wait --any-outcome --timeout \(isVirtual ? "1h" : "5s")")
  }

  private mutating func run(_ line: String) {
    script += line + "\n"
    // Some are refused, such as a dependency on what has a name no longer.
    _ = try? fixture.run(line)
  }

  private mutating func ask(_ question: String) throws {
    let (log, clock) = (fixture.session.jobs.engine.log, fixture.session.run.clock)
    fixture.session.run.mode.runDueEvents()
    let before = log.position
    guard let lines = try? fixture.shown(by: question) else { return }
    // Otherwise something has happened meanwhile.
    guard log.position == before else { return }
    script += question + "\n"
    let nanoseconds = Int64(((clock.now - clock.startInstant) / .nanoseconds(1)).rounded())
    let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let digits = String(rest)
    answers.append(
      Answer(
        question: question, lines: lines, position: before,
        time: "\(seconds).\(String(repeating: "0", count: 9 - digits.count))\(digits)"))
  }

  // MARK: Statements

  private mutating func pick(_ words: [String]) -> String { words[random.below(words.count)] }

  private mutating func name() -> String { names.isEmpty ? "all" : pick(names.suffix(8)) }

  private mutating func newName(_ prefix: String = "op") -> String {
    names.append("\(prefix)-\(names.count)")
    return names[names.count - 1]
  }

  private mutating func questions() -> [String] {
    // In real time, 'why' tells equal waits apart if a millisecond lies between their texts.
    let all = [
      isVirtual ? "why" : "ops", "ops", "queue", "tree", "queue show side", "queue order side",
    ]
    return [pick(all)] + names.suffix(8).map { "why \($0)" } + ["deps \(name())", "show \(name())"]
  }

  private mutating func statement() -> String {
    let queue = pick(["network", "side"])
    switch random.below(24) {
    case 0..<9: return build()
    case 9: return "queue pause \(queue)"
    case 10, 11: return "queue resume \(queue)"
    case 12: return "queue width \(queue) \(random.below(4))"
    case 13: return "queue pace \(queue) \(pick(["20ms", "off"]))"
    case 14: return "cancel \(name())"
    case 15:
      let group = newName("g")
      return "group \(group)\(pick(["", " --open"])) "
        + "{ delay 20ms --name \(newName()); delay 5ms --name \(newName()) }"
    case 16: return "close \(name())"
    case 17: return pick(["async \(newName()) { sleep 10ms }", "finish \(name())"])
    case 18: return "deps \(name()) on \(name())"
    case 19: return "deps \(name()) off \(name())"
    case 20: return "priority \(name()) \(pick(["low", "high"]))"
    case 21: return "start \(name())"
    case 22:
      let old = name()
      return "name \(old) \(newName("new"))"
    default:
      return pick([
        "queue barrier side", "queue use \(queue)", "queue new extra --width 1",
        "queue remove extra", "queue step side",
      ])
    }
  }

  private mutating func build() -> String {
    let known = names
    var line = pick([
      "delay \(random.below(60))ms", "delay 3ms", "block { sleep 5ms; sleep 20ms }",
      "block { sleep 4ms; fail no } --retry 2 --backoff 15ms", "block { wait \(name()) }",
      "fetch questions",
    ])
    // The practice server of a session in real time has a socket, which these need not.
    if !isVirtual, line.hasPrefix("fetch") { line = "delay 8ms" }
    line += " --name \(newName()) --queue \(pick(["network", "side"]))"
    if random.below(3) == 0, !known.isEmpty {
      line += " --after \(pick(known)) --on-failure \(pick(["run", "skip", "fail"]))"
    }
    if random.below(4) == 0 { line += " --exclusive \(pick(["db", "db", "disk"]))" }
    if random.below(6) == 0 { line += " --delay 25ms" }
    if random.below(6) == 0 { line += " --priority \(pick(["low", "high"]))" }
    if random.below(8) == 0 { line += " --timeout 30ms" }
    if random.below(8) == 0 { line += " --hold" }
    return line
  }
}
