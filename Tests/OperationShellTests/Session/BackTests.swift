import Foundation
import OpshSupport
import ShellLanguage
import TestSupport
import Testing

@testable import OperationShell
@testable import ShellSession

@Suite("'back' and 'reset'", .timeLimit(.minutes(15)))
struct BackTests {
  /// The statements of a random session, some of which use files, handlers, bodies and variables.
  private static func lines(seed: UInt64) throws -> [String] {
    var session = try RandomSession(seed: seed)
    try session.begin()
    var random = RandomSource(seed: seed &+ 1)
    var lines = ["set clock virtual", "set seed \(seed)", "queue new side --width 1"]
    for line in session.script.split(separator: "\n") {
      lines.append(String(line))
      switch random.below(12) {
      case 0: lines.append("echo line\(lines.count) >> log.txt")
      case 1: lines.append("let n\(lines.count) = 5")
      case 2: lines.append("on all finished { echo \"$self.name ended\" >> ended.txt }")
      case 3: lines.append("block --name body\(lines.count) --retry 1 { sleep 7ms; fail no }")
      case 4: lines.append("post '/2.3/questions/add' --file log.txt --site stackoverflow")
      case 5: lines.append("retry last")
      case 6: lines.append("for i in 1..3 { delay 4ms --priority high; sleep 1ms }")
      default: break
      }
      lines.append("sleep \(random.below(12))ms")
    }
    return lines
  }

  /// The first lines in which two texts differ; nothing if they are equal.
  private static func difference(_ one: String, _ other: String) -> String {
    let (ones, others) = (one.split(separator: "\n"), other.split(separator: "\n"))
    let pairs = zip(ones, others).filter { $0 != $1 }.prefix(3).map { "\($0)\n\($1)" }
    return one == other
      ? "" : "\(ones.count) and \(others.count) lines\n" + pairs.joined(separator: "\n")
  }

  @Test(
    "'back' restores what every command showed, and a branch is as if it had been typed so",
    arguments: 0..<UInt64(TestScale.count(40, long: 400)))
  func restores(seed: UInt64) throws {
    let lines = try Self.lines(seed: seed)
    let session = try TypedSession()
    var seen: [(text: String, stops: Int)] = []
    for line in lines {
      try session.type(line)
      // A line that is refused is no stop.
      seen.append((try session.look(), session.session.run.inputs.stops.count))
    }
    var random = RandomSource(seed: seed &+ 2)
    let place = 3 + random.below(lines.count - 5)
    let steps = seen[seen.count - 1].stops - seen[place].stops
    try session.type("back \(steps)")
    try session.type("back 3")
    let change = Self.difference(try session.look(), seen[place].text)
    #expect(change.isEmpty, "seed \(seed), back to '\(lines[place])', line \(place): \(change)")

    let branch = [
      "cancel all", "delay 3ms --name other --priority high",
      "post '/2.3/questions/add' --file log.txt --site stackoverflow", "wait --any-outcome --timeout 1h",
    ]
    let straight = try TypedSession()
    for line in lines[...place] {
      try straight.type(line)
      _ = try straight.look()
    }
    for line in branch {
      try session.type(line)
      try straight.type(line)
    }
    let difference = Self.difference(try session.whole(), try straight.whole())
    #expect(difference.isEmpty, "seed \(seed), branch at line \(place): \(difference)")
  }
}
