import Operations
import Testing

@Suite("Dependencies that are added later") struct DepsTests {
  @Test(
    "Adding a dependency again keeps its policy, unless another one is given",
    arguments: [
      ("deps b on a", FailurePolicy.skip),
      ("deps b on a --on-failure fail", .fail),
      ("deps b on a --on-failure run", .run),
      ("deps b off a; deps b on a", .run),
    ])
  func policy(_ script: String, _ expected: FailurePolicy) throws {
    let fixture = try ShellFixture(
      "queue pause; delay 0s --name a; delay 0s --name b --after a --on-failure skip")
    try fixture.run(script)
    #expect(try fixture.operation("b").upstream.map(\.policy) == [expected])
  }
}
