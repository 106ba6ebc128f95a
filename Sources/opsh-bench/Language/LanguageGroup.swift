import Foundation

/// How fast scripts are read, checked and run, ours and those of other languages one types.
///
/// The programs take turns, so that whatever else the machine does hits all of them.
struct LanguageGroup {
  private static let rounds = 5
  private static let turns = 1_000_000
  private static let lines = 100_000
  private static let watched = 5_000
  let report: Report
  let opsh: String?

  func run() throws {
    let loop = "language/loop/\(Self.turns)"
    let check = "language/check/\(Self.lines)"
    let isWanted = { (bench: String) in
      report.selection.includes(bench) || report.selection.reaches(bench)
    }
    let expectation = "language/never/\(Self.watched)"
    guard isWanted(loop) || isWanted(check) || isWanted(expectation) else { return }
    guard let opsh else {
      report.note("language: needs --opsh PATH; scripts/bench gives it")
      return
    }
    let folder = NSTemporaryDirectory() + "opsh-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    if isWanted(loop) { try runLoop(loop, opsh, folder) }
    if isWanted(check) { try runCheck(check, opsh, folder) }
    if isWanted(expectation) { try runExpectation(expectation, opsh, folder) }
    report.endGroup("Scripts, median of \(Self.rounds)")
  }

  // MARK: The loop

  private struct Peer {
    let name: String
    let script: String
  }

  /// The same in each language: count to a million, and add up every third number.
  private static let ours = """
    let n = 0
    let sum = 0
    while ($n < \(turns)) {
      let n = ($n + 1)
      if ($n % 3 == 0) { let sum = ($sum + $n) }
    }
    echo $sum
    """

  private static let peers = [
    Peer(
      name: "bash",
      script: """
        n=0; sum=0
        while (( n < \(turns) )); do
          n=$((n + 1))
          if (( n % 3 == 0 )); then sum=$((sum + n)); fi
        done
        echo $sum
        """),
    Peer(
      name: "tclsh",
      script: """
        set n 0
        set sum 0
        while {$n < \(turns)} {
          set n [expr {$n + 1}]
          if {$n % 3 == 0} { set sum [expr {$sum + $n}] }
        }
        puts $sum
        """),
    Peer(
      name: "python3",
      script: """
        n = 0
        total = 0
        while n < \(turns):
            n = n + 1
            if n % 3 == 0:
                total = total + n
        print(total)
        """),
  ]

  private func runLoop(_ bench: String, _ opsh: String, _ folder: String) throws {
    let own = try write(Self.ours, to: "\(folder)/loop.opsh")
    var programs: [(name: String, path: String, file: String)] = []
    for peer in Self.peers where report.selection.includes("\(bench)/\(peer.name)") {
      guard let path = StartGroup.find(peer.name) else {
        report.note("language: '\(peer.name)' is missing and left out")
        continue
      }
      programs.append((peer.name, path, try write(peer.script, to: "\(folder)/loop.\(peer.name)")))
    }
    report.note("\(bench): \(Self.rounds) rounds")
    // What is timed must be the same work.
    let expected = try Child.output(of: opsh, ["--no-rc", own], timeout: .seconds(300))
    for program in programs {
      let output = try Child.output(of: program.path, [program.file], timeout: .seconds(300))
      guard output == expected else {
        report.note("\(program.name) gives \(output), and opsh \(expected)")
        throw Child.Failure.status(1)
      }
    }
    var times: [Double] = []
    var theirs = [[Double]](repeating: [], count: programs.count)
    for _ in 0..<Self.rounds {
      times.append(try Child.time(opsh, ["--no-rc", own]))
      for (index, program) in programs.enumerated() {
        theirs[index].append(try Child.time(program.path, [program.file]))
      }
    }
    guard let value = times.median else { return }
    if programs.isEmpty {
      report.add(Measurement(bench: bench, value: value, unit: .seconds, operations: Self.turns))
    }
    for (program, times) in zip(programs, theirs) {
      report.add(
        Measurement(
          bench: "\(bench)/\(program.name)", value: value, unit: .seconds, peer: program.name,
          peerValue: times.median, operations: Self.turns))
    }
  }

  // MARK: Reading and checking

  /// A long script with a bit of everything in it.
  private static var longScript: String {
    var text = ""
    for line in 0..<lines {
      switch line % 10 {
      case 0: text += "let v\(line) = (\(line) + 1)\n"
      case 1: text += "echo \"line \(line) ${\(line) * 2}\" $v\(line - 1)\n"
      case 2: text += "if ($v\(line - 2) > 3 and true) { echo a }\n"
      case 3: text += "# a comment\n"
      case 4: text += "def f\(line) x { for y in 1 2 $x { echo $y } }\n"
      case 5: text += "delay 1ms --name d\(line) --hold\n"
      case 6: text += "try { fail \"x\" } catch e { echo $e.code }\n"
      case 7: text += "let l\(line) = (list(1, 2, 3))\n"
      case 8: text += "echo $l\(line - 1)[0]\n"
      default: text += "fetch questions --count 3 --priority high --hold\n"
      }
    }
    return text
  }

  private func runCheck(_ bench: String, _ opsh: String, _ folder: String) throws {
    let file = try write(Self.longScript, to: "\(folder)/long.opsh")
    report.note("\(bench): \(Self.rounds) rounds")
    var times: [Double] = []
    for _ in 0..<Self.rounds {
      times.append(try Child.time(opsh, ["--no-rc", "--check", file]))
    }
    guard let value = times.median else { return }
    report.add(Measurement(bench: bench, value: value, unit: .seconds, operations: Self.lines))
  }

  // MARK: Expectations

  /// An expectation that counts operations after each event, and one about a tenth as many.
  private func runExpectation(_ bench: String, _ opsh: String, _ folder: String) throws {
    func script(_ count: Int) -> String {
      """
      set clock virtual
      events off
      delay 1ms --count \(count)
      never ((count of ops where state == executing) > 2) until ((count of ops where state == finished) == \(count))
      """
    }
    let many = try write(script(Self.watched), to: "\(folder)/many.opsh")
    let few = try write(script(Self.watched / 10), to: "\(folder)/few.opsh")
    report.note("\(bench): \(Self.rounds) rounds")
    var times: [Double] = []
    var tenths: [Double] = []
    for _ in 0..<Self.rounds {
      times.append(try Child.time(opsh, ["--no-rc", many]))
      tenths.append(try Child.time(opsh, ["--no-rc", few]))
    }
    guard let value = times.median else { return }
    report.add(
      Measurement(
        bench: bench, value: value, unit: .seconds, peer: "\(Self.watched / 10)",
        peerValue: tenths.median, operations: Self.watched))
  }

  private func write(_ text: String, to path: String) throws -> String {
    try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }
}
