import Foundation

// `opsh-bench` runs the benchmarks that `scripts/bench` offers. It starts itself again for each
// case, so that no case inherits the memory or the threads of the one before.

do {
  let options = try BenchmarkOptions(Array(CommandLine.arguments.dropFirst()))
  if let engineCase = options.engineCase {
    try engineCase.run()
    // Without unwinding: Foundation's chains of operations overflow the stack when released.
    _exit(0)
  }
  if let networkCase = options.networkCase {
    try networkCase.run()
    _exit(0)
  }
  let report = Report(isJSON: options.isJSON, selection: options.selection)
  let runs = [
    StartGroup(report: report, opsh: options.opsh).run,
    LanguageGroup(report: report, opsh: options.opsh).run,
    TerminalGroup(report: report, opsh: options.opsh).run,
    WatchGroup(report: report, opsh: options.opsh).run,
    EngineGroup(report: report, isQuick: options.isQuick).run,
    NetworkGroup(report: report, isQuick: options.isQuick, opsh: options.opsh).run,
    MemoryGroup(report: report, opsh: options.opsh).run,
    InspectGroup(report: report, isQuick: options.isQuick).run,
  ]
  for run in runs { try run() }
} catch {
  Console.complain("opsh-bench: \(error)")
  exit(error is BenchmarkOptions.Misuse ? 2 : 1)
}
