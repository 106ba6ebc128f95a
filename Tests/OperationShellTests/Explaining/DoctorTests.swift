import TestSupport
import Testing

@Suite("'doctor'", .timeLimit(.minutes(5)))
struct DoctorTests {
  private static let script = """
    set clock virtual
    let bad = true
    block --name c { if ($bad) { fail "x" } }; delay 1s --name d --after c --on-failure skip
    wait --any-outcome

    """

  @Test(
    "The command that a finding names ends it",
    arguments: [
      (retries: "", finding: "d did not run, because 'c' failed  → retry c"),
      ("let bad = false; retry c; wait", "d did not run, because 'c' failed  → retry d"),
      ("let bad = false; retry c; wait; retry d; wait", "nothing is wrong"),
    ])
  func cures(_ retries: String, _ finding: String) throws {
    let outcome = try Opsh.run("\(Self.script)\(retries)\ndoctor")
    #expect(outcome.output.contains(finding), "\(outcome.output)")
  }
}
