import ShellLanguage
import TestSupport
import Testing

@Suite("The quality of service of queues", .timeLimit(.minutes(5)))
struct QueueQualityTests {
  @Test("A queue's quality of service is shown, inherited, and changed with its effect")
  func inherited() throws {
    let fixture = try ShellFixture(
      "set clock virtual; queue new q --qos userInitiated --paused; queue use q")
    #expect(try fixture.output(of: "queue").contains { $0.contains("userInitiated") })
    try fixture.run("block --name a { sleep 5ms }; block --name b --qos utility { sleep 5ms }")
    #expect(try fixture.output(of: "show a").contains("qos        userInitiated, of queue 'q'"))
    #expect(try fixture.output(of: "show b").contains("qos        utility"))
    let effect = try fixture.output(of: "queue qos background --json")
    #expect(
      effect.first?.contains(
        #""queue":"q","keyPath":"qualityOfService","initial":false,"prior":false,"#
          + #""old":"userInitiated","new":"background","reason":"1 waiting takes it, 1 has its own""#
      )
        == true)
    try fixture.run("queue resume; sleep 1ms; queue qos default")
    #expect(
      try fixture.run("(a.effectiveQos) (a.qos) (q.qos)").text == "background default default")
    let earlier = try fixture.output(of: "at 0s show a")
    #expect(earlier.contains("qos        userInitiated, of queue 'q'"))
  }
}
