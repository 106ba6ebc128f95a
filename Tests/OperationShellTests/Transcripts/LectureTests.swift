import Foundation
import TestSupport
import Testing

@Suite("A lecture", .timeLimit(.minutes(2)))
struct LectureTests {
  @Test("The transcript of a lecture on queues is what opsh prints")
  func runs() throws {
    let outcome = try ChildProcess.run(
      try BuiltProducts.executable("opsh"),
      arguments: [
        "--no-rc", "--no-history", "--test", PackageFolder.path + "/Tests/Transcripts/lecture.txt",
      ],
      environment: [
        "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
        "HOME": "/nonexistent", "LANG": "C.UTF-8", "TERM": "xterm",
      ],
      timeout: .seconds(60))
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }
}
