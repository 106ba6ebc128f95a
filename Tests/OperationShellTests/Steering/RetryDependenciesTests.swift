import Foundation
import Operations
import Testing

@testable import ShellSession

@Suite("What 'retry' connects", .timeLimit(.minutes(10)))
struct RetryDependenciesTests {
  private func fixture(_ script: String) throws -> ShellFixture {
    try ShellFixture("set clock virtual\n\(script)")
  }

  /// The ids of what an operation depends on.
  private func upstream(_ name: String, in fixture: ShellFixture) throws -> [Int] {
    try fixture.operation(name).upstream.map(\.operation.id)
  }

  @Test(
    "A new operation depends on the newest retry of each dependency",
    arguments: [
      ("delay 1s --name a; delay 1s --name b --after a; wait; retry a b", [3]),
      ("delay 1s --name a; delay 1s --name b --after a; wait; retry b a", [3]),
      ("delay 1s --name a; delay 1s --name b --after a; wait; retry 2 1", [3]),
      ("delay 1s --name a; delay 1s --name b --after a; wait; retry b", [1]),
      ("delay 1s --name a; delay 1s --name b --after a; wait; retry a; wait; retry b", [3]),
      (
        "delay 1s --name a; delay 1s --name b --after a; wait; retry a; wait; retry a; wait; retry 2",
        [4]
      ),
      // The old name means another operation, or none, and the pattern more of them.
      ("delay 1s --name a; delay 1s --name b --after a; wait; delay 1s --name a; retry b", [1]),
      ("delay 1s --name a; delay 1s --name b --after a; name a c; wait; retry b c", [3]),
      (
        "delay 1s --name p --count 2; delay 1s --name b --after 'p-*'; wait; delay 1s --name p-9; "
          + "wait; retry b p-2", [1, 5]
      ),
      ("delay 1s --name a; delay 1s --name b --after last; wait; delay 1s; wait; retry b", [1]),
      // Dependencies given, and taken away, after the operations were built.
      (
        "delay 1s --name a; delay 1s --name b --after a; delay 1s --name x; deps b on x; deps b off a; "
          + "wait; retry b x", [4]
      ),
      // Groups, as a whole and by their members.
      ("group g { delay 1s }; delay 1s --name b --after g; wait; retry b g", [4]),
      ("group g { delay 1s --name m }; delay 1s --name b --after m; wait; retry b g", [5]),
      (
        "group g { group h { delay 1s --name m } }; delay 1s --name b --after m; wait; retry g; wait; "
          + "retry b", [7]
      ),
    ])
  func newest(_ script: String, _ ids: [Int]) throws {
    #expect(try upstream("b", in: fixture(script)) == ids)
  }

  @Test("A chain that is retried in any order runs in its order again")
  func chain() throws {
    let fixture = try fixture(
      "delay 1s --name a; delay 1s --name b --after a; delay 1s --name c --after b; wait\n"
        + "retry c a b; wait; expect (a.finished <= b.started and b.finished <= c.started)")
    #expect(try fixture.operation("a").id == 4)
    #expect(try upstream("c", in: fixture) == [5])
  }

  @Test("Each dependency keeps its policy")
  func policies() throws {
    let fixture = try fixture(
      """
      block --name a { fail "no" }
      delay 1s --name x
      delay 1s --name b --after a --on-failure skip
      deps b on x
      wait --any-outcome
      retry b a
      wait --any-outcome
      """)
    let edges = try fixture.operation("b").upstream
    #expect(edges.map(\.policy) == [.skip, .run])
    #expect(edges.map(\.operation.id) == [4, 2])
    #expect(try fixture.operation("b").outcome == .skipped)
  }

  @Test("The priority and the quality of service given later are kept")
  func settings() throws {
    let fixture = try fixture(
      "queue pause; delay 1s --name a --priority low; priority a high; qos a utility; queue resume\n"
        + "wait; retry a; wait; retry a; wait")
    let operation = try fixture.operation("a")
    #expect(operation.id == 3)
    #expect(operation.queuePriority == .high && operation.qualityOfService == .utility)
  }
}
