import Foundation
import ShellLanguage
import TestSupport
import Testing

@testable import ShellSession

/// What happens where the system has no thread or descriptor left.
@Suite("Scarce threads and descriptors", .timeLimit(.minutes(15)))
struct ScarceResourceTests {
  /// Shell text that closes what this process passes on by chance, and sets the limit.
  private static func limit(_ count: Int) -> String {
    "for d in /proc/$$/fd/*; do d=${d##*/}; (( d < 3 || d > 250 )) || eval \"exec $d>&-\"; done; "
      + "ulimit -n \(count)"
  }

  @Test(
    "A few descriptors are enough without operations, and otherwise too few are an error",
    arguments: [6, 7, 8, 9, 10, 11, 14, 18],
    ["delay 1ms", "get http://127.0.0.1:1/", "fetch questions", "run true", "block { (1) }"])
  func descriptors(limit: Int, command: String) throws {
    let plain = try Opsh.shell("'echo hello'", then: "", after: Self.limit(limit))
    #expect(plain.output == "hello\n" && plain.status == 0, "\(plain.errors)")
    let outcome = try Opsh.shell("'\(command); wait'", then: "", after: Self.limit(limit))
    #expect(outcome.status == 1, "\(outcome.status)")
    #expect(
      outcome.errors.contains(
        "error: operations need 16 open files more than the system allows: "), "\(outcome.errors)")
    #expect(outcome.errors.contains("help: 'ulimit -n' shows the limit"))
  }

  @Test("With enough descriptors for the start, further ones that are missing end nothing else")
  func exhaustedLater() throws {
    let outcome = try Opsh.shell(
      "'queue width 50; run sleep 1 --count 40; delay 10ms --name d; wait d; "
        + "echo (d.outcome); wait --any-outcome'", then: "--events off", after: Self.limit(30))
    #expect(outcome.output == "succeeded\n" && outcome.status == 0, "\(outcome.errors)")
  }

  @Test("Where the system has no threads, nothing is built, and the error says so")
  func threads() {
    let resources = EngineResources(
      shortageOfThreads: { $0 > 3 ? EAGAIN : nil }, shortageOfDescriptors: { _ in nil })
    // Each time, until there are some.
    for _ in 1...2 {
      let error = #expect(throws: UnplacedError.self) { try resources.claim() }
      #expect(error?.code == "file(\(EAGAIN))")
      #expect(error?.message.hasPrefix("operations need 6 threads more than the system") == true)
      #expect(error?.help?.contains("ulimit -u") == true)
    }
  }

  @Test("What is there once is not looked at again")
  func claimedOnce() throws {
    let calls = Mutable(0)
    let resources = EngineResources(
      shortageOfThreads: { _ in
        calls.value += 1
        return nil
      }, shortageOfDescriptors: { _ in nil })
    for _ in 1...3 { try resources.claim() }
    #expect(calls.value == 1)
  }

  /// A number that one thread uses.
  private final class Mutable: @unchecked Sendable {
    // @unchecked because only the test's thread uses it.
    var value: Int

    init(_ value: Int) { self.value = value }
  }
}
