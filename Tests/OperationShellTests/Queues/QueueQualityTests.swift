import ShellLanguage
import TestSupport
import Testing

@Suite("The quality of service of queues", .timeLimit(.minutes(5)))
struct QueueQualityTests {
  @Test("A queue's quality of service is shown and inherited, and 'at' tells the earlier one")
  func inherited() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue new q --qos userInitiated --paused; queue use q")
    #expect(try fixture.output(of: "queue").contains { $0.contains("userInitiated") })
    try fixture.run("block --name a { sleep 5ms }; block --name b --qos utility { sleep 5ms }")
    #expect(try fixture.output(of: "show a").contains("qos        userInitiated, of queue 'q'"))
    #expect(try fixture.output(of: "show b").contains("qos        utility"))
    try fixture.run("sleep 1ms; queue qos background; queue resume; sleep 1ms; queue qos default")
    #expect(try fixture.run("(a.effectiveQos)").text == "background")
    #expect(try fixture.run("(a.qos)").text == "default")
    #expect(try fixture.run("(q.qos)").text == "default")
    let earlier = try fixture.output(of: "at 0s show a")
    #expect(earlier.contains("qos        userInitiated, of queue 'q'"))
  }

  @Test("'queue qos' says how many operations it is for")
  func effect() throws {
    let outcome = try Opsh.run(
      """
      set clock virtual; queue new q --qos userInitiated --paused; queue use q
      delay 1s --name a; delay 1s --name b --qos utility; queue qos background; queue resume; wait
      """, options: ["--json"])
    #expect(
      outcome.output.contains(
        #""queue":"q","keyPath":"qualityOfService","initial":false,"prior":false,"#
          + #""old":"userInitiated","new":"background","reason":"1 waiting takes it, 1 has its own""#
      ))
  }
}
