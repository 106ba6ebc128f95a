import Foundation

// Checks of the engine as it is released: with optimization, and without a test runner around it.
// `engine-check` runs every check in a process of its own and prints a line for each; the exit
// status is 1 if one failed. `engine-check NAME` runs one check in this process.

let checks = ReleaseChecks.all + ThreadChecks.all + RaceChecks.all
let arguments = CommandLine.arguments.dropFirst()
if let name = arguments.first {
  guard arguments.count == 1, let check = checks.first(where: { $0.name == name }) else {
    print("usage: engine-check [NAME]")
    for check in checks { print("  \(check.name)") }
    exit(2)
  }
  exit(check.runHere() ? 0 : 1)
}
var failures = 0
for check in checks where !check.runInChild() { failures += 1 }
print(
  failures == 0 ? "engine-check: all \(checks.count) passed" : "engine-check: \(failures) failed")
exit(failures == 0 ? 0 : 1)
