import Foundation
import TestSupport
import Testing

/// What the five posts and the card of commands teach, point by point, as a reader would try it.
@Suite("Points of the posts", .timeLimit(.minutes(15)))
struct ReferencePointTests {
  @Test(
    "A reader of the post sees the point",
    arguments: ReferencePoint.all.filter { $0.test == nil && $0.absence == nil })
  func seen(_ point: ReferencePoint) throws {
    let folder = try TemporaryFolder()
    let script = folder.path + "/point.opsh"
    try point.script.write(toFile: script, atomically: true, encoding: .utf8)
    let outcome = try ChildProcess.run(
      "/bin/sh",
      arguments: [
        "-c", #"exec "$@" 2>&1"#, "sh", try BuiltProducts.executable("opsh"),
        "--no-rc", "--events", "stdout", "--data", folder.path + "/data", script,
      ],
      environment: Opsh.environment(), directory: folder.path, timeout: .seconds(60))
    #expect(!outcome.timedOut, "\(outcome.output)")
    #expect(outcome.shellStatus == point.status, "\(outcome.output)")
    if let missing = point.missing(in: outcome.output) {
      Issue.record("not seen: \(missing)\n\(outcome.output)")
    }
    let marks = point.seen.count + point.script.matches(of: /expect \(/).count
    #expect(marks > 0, "nothing is looked for")
  }

  @Test("What a script can't show is shown by another test, or its row says why it is absent")
  func others() throws {
    var titles = ""
    for path in try FileManager.default.subpathsOfDirectory(atPath: PackageFolder.path + "/Tests")
    where path.hasSuffix("Tests.swift") {
      titles += try String(contentsOfFile: PackageFolder.path + "/Tests/" + path, encoding: .utf8)
    }
    for point in ReferencePoint.all {
      guard let test = point.test else { continue }
      #expect(titles.contains("\"\(test)\""), "\(point)")
    }
    #expect(Set(ReferencePoint.all.map(\.description)).count == ReferencePoint.all.count)
  }
}
