import Testing

@Suite("Deep trees", .timeLimit(.minutes(15)))
struct TreeTests {
  @Test("The output for a chain grows linearly with its length")
  func chain() throws {
    func size(_ count: Int) throws -> Int {
      let fixture = try ShellFixture(
        "queue pause; delay 1ms; for i in 2..\(count) { delay 1ms --after last }")
      let lines = try fixture.output(of: "tree last")
      #expect(lines.count == count)
      return lines.reduce(0) { $0 + $1.utf8.count }
    }
    let (few, many) = (try size(200), try size(2_000))
    #expect(many < 13 * few, "\(few) and \(many)")
  }

  @Test("A wait for a slot does not read like a dependency")
  func waits() throws {
    let fixture = try ShellFixture(
      """
      set clock virtual
      queue width 1
      delay 5s --name a; delay 1s --name h; delay 1s --name i; delay 1s --name e
      delay 1s --name last-one --after a
      """)
    let lines = try fixture.output(of: "tree")
    #expect(lines.contains { $0.hasPrefix("i ") && $0.hasSuffix(": h starts first") }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("e ") && $0.hasSuffix(": h and 1 more start first") })
    #expect(lines.contains { $0.hasPrefix("last-one ") && $0.hasSuffix(": waits for a") })
    try fixture.run(
      "cancel all; wait --any-outcome; delay 1s --name x; queue barrier --name b; "
        + "delay 1s --name y")
    let others = try fixture.output(of: "tree")
    #expect(
      others.contains { $0.hasPrefix("y ") && $0.hasSuffix(": comes after barrier b") }, "\(others)"
    )
  }

  @Test("Beyond forty levels a row shows its depth as a number")
  func depth() throws {
    let fixture = try ShellFixture(
      "queue pause; delay 1ms; for i in 2..60 { delay 1ms --after last }")
    let lines = try fixture.output(of: "tree last")
    #expect(lines[40].contains("└─ after delay-20"))
    #expect(!lines[40].contains("deep"))
    #expect(lines[41].contains("(41 deep) after delay-19"))
    #expect(lines[59].contains("(59 deep) after delay-1"))
  }
}
