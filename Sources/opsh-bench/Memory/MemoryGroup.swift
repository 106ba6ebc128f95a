import Foundation

/// How much memory opsh holds after a script: what the limits of 'set keep' come to.
struct MemoryGroup {
  let report: Report
  let opsh: String?

  private struct Case {
    let name: String
    let script: String
  }

  private static let cases: [Case] = [
    .init(
      name: "events/1000000/default", script: "repeat 100 { delay 0s --count 2500; wait }"),
    .init(
      name: "events/1000000/keep-1000",
      script: "set keep 1000; repeat 100 { delay 0s --count 2500; wait }"),
    .init(
      name: "events/1200000/keep-1000-bursts",
      script: "set keep 1000; repeat 3 { delay 0s --count 100000; wait }"),
    .init(
      name: "values/60/10MB",
      script: """
        block --count 60 {
          let text = (format("{:>10000}", 1))
          repeat 10 { let text = "$text$text" }
          ($text) > /dev/null
        }
        wait
        """),
    .init(
      name: "errors/100000/2kB",
      script: """
        queue width 8
        repeat 40 { block --count 2500 { fail (format("{:>2000}", 1)) }; wait --any-outcome }
        """),
  ]

  func run() throws {
    let wanted = Self.cases.filter { report.selection.includes("memory/" + $0.name) }
    guard !wanted.isEmpty else { return }
    guard let opsh else {
      report.note("memory: needs --opsh PATH; scripts/bench gives it")
      return
    }
    for item in wanted {
      let output = try Child.output(
        of: opsh,
        [
          "--no-rc", "--no-history", "--events", "off", "-c",
          item.script + "\n!grep VmRSS /proc/$PPID/status",
        ], timeout: .seconds(300))
      guard let kilobytes = Self.kilobytes(in: output) else {
        report.note("memory/\(item.name): no figure in '\(output.suffix(200))'")
        continue
      }
      report.add(
        Measurement(bench: "memory/" + item.name, value: kilobytes / 1024, unit: .megabytes))
    }
    report.endGroup("Memory after a script, as the system counts it")
  }

  /// The number in `VmRSS:	   36456 kB`.
  private static func kilobytes(in output: String) -> Double? {
    let line = output.split(separator: "\n").last { $0.hasPrefix("VmRSS:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
  }
}
